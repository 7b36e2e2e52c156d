/**
 * Safety checkers of the user's own: a program that reads the call as JSON on standard input and answers with a verdict
 * on standard output. Whatever goes wrong with it is a denial.
 *
 * Programs are looked for in the user's and the administrator's folder, never in the project.
 */
import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Either, Schema } from "effect"
import type { ChildVariables } from "../system/child-variables.ts"
import { type ProgramEnd, runProgram } from "../system/programs.ts"
import type { CheckerVerdict } from "./safety-checkers.ts"

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
  readonly env: ChildVariables
}

export const runExternalChecker = Effect.fn("Policy.externalChecker")(function* (request: ExternalRequest) {
  const program = findProgram(request)
  if (program === undefined)
    return denied(request.name, "no program of this name that can be executed is in the folders for checkers")
  return yield* runProgram({
    argv: [program],
    cwd: request.cwd,
    env: request.env,
    stdin: request.input,
    timeout: TIME_LIMIT,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    reach: "tree",
    leftovers: "keep",
    grace: GRACE
  }).pipe(
    Effect.map((end) => judge(request.name, end)),
    Effect.catchTag("ProgramError", ({ detail, kind }) =>
      Effect.succeed(
        denied(request.name, kind === "timeout" ? `no answer within ${Duration.format(TIME_LIMIT)}` : `it ${detail}`)
      )
    )
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

const judge = (name: string, { exitCode, signal, stdout }: ProgramEnd): CheckerVerdict => {
  if (exitCode !== 0) return denied(name, `it ended with ${signal ?? `exit code ${exitCode}`}`)
  const answer = Schema.decodeUnknownEither(Answer)(stdout)
  if (Either.isLeft(answer)) return denied(name, "its answer is not a verdict")
  const { right } = answer
  return right.reason === undefined ? right : { ...right, reason: `safety checker ${name}: ${right.reason}` }
}
