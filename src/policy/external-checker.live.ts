/**
 * Safety checkers of the user's own: a program that reads the call as JSON on standard input and answers with a verdict
 * on standard output. Whatever goes wrong with it is a denial.
 *
 * Programs are looked for in the user's and the administrator's folder, never in the project.
 */
import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Either, Schema } from "effect"
import { endTree } from "../shell/end-tree.ts"
import { COMMAND_MARK } from "../shell/process-table.ts"
import type { CheckerVerdict } from "./allowed-path.ts"

const TIME_LIMIT = Duration.seconds(5)
const GRACE = Duration.seconds(1)
const MAX_OUTPUT_BYTES = 65_536

const Answer = Schema.parseJson(
  Schema.Union(
    Schema.Struct({ decision: Schema.Literal("allow"), reason: Schema.optionalWith(Schema.String, { exact: true }) }),
    Schema.Struct({ decision: Schema.Literal("deny", "ask_user"), reason: Schema.NonEmptyString })
  )
)

export interface ExternalRequest {
  readonly name: string
  /** Folders in the order in which they are searched. */
  readonly folders: ReadonlyArray<string>
  /** The JSON document for the checker. */
  readonly input: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export const runExternalChecker = Effect.fn("Policy.externalChecker")(function* (request: ExternalRequest) {
  const program = findProgram(request)
  if (program === undefined) return denied(request.name, "no such program in the folders for checkers")
  return yield* Effect.acquireUseRelease(
    Effect.try(() => spawn(program, request)),
    ({ child }) =>
      Effect.map(
        Effect.promise(() => answerOf(child)),
        (answer) => judge(request.name, answer)
      ),
    ({ child, mark }) => (child.exitCode === null ? endTree(child.pid, mark, GRACE) : Effect.void)
  ).pipe(
    Effect.timeoutTo({
      duration: TIME_LIMIT,
      onSuccess: (verdict: CheckerVerdict) => verdict,
      onTimeout: () => denied(request.name, `no answer within ${Duration.format(TIME_LIMIT)}`)
    }),
    Effect.catchTag("UnknownException", (error) => Effect.succeed(denied(request.name, error.message)))
  )
})

const denied = (name: string, reason: string): CheckerVerdict => ({
  decision: "deny",
  reason: `safety checker ${name}: ${reason}`
})

const findProgram = ({ folders, name }: ExternalRequest): string | undefined => {
  if (!/^[a-z0-9-]+$/.test(name)) return undefined
  return folders
    .map((folder) => join(folder, name))
    .find((path) => Either.isRight(Either.try(() => accessSync(path, constants.X_OK))))
}

const spawn = (program: string, request: ExternalRequest) => {
  // Marks the processes that it starts, so that all of them can be ended.
  const mark = crypto.randomUUID()
  const child = Bun.spawn([program], {
    cwd: request.cwd,
    env: { ...request.env, [COMMAND_MARK]: mark },
    stdin: Buffer.from(request.input),
    stdout: "pipe",
    stderr: "ignore",
    detached: true
  })
  return { child, mark }
}

interface Answered {
  readonly code: number
  readonly output: string
}

const answerOf = async (child: Bun.Subprocess<Buffer, "pipe", "ignore">): Promise<Answered> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of child.stdout) {
    size += chunk.length
    if (size > MAX_OUTPUT_BYTES) break
    chunks.push(chunk)
  }
  return { code: await child.exited, output: Buffer.concat(chunks).toString("utf8") }
}

const judge = (name: string, { code, output }: Answered): CheckerVerdict => {
  if (code !== 0) return denied(name, `it ended with exit code ${code}`)
  const answer = Schema.decodeUnknownEither(Answer)(output)
  if (Either.isLeft(answer)) return denied(name, "its answer is not a verdict")
  const { right } = answer
  return right.reason === undefined ? right : { ...right, reason: `safety checker ${name}: ${right.reason}` }
}
