/**
 * Tries what the sandbox promises, instead of saying what it should do: each trial is a command that attempts something
 * from inside, and what counts is what is found afterwards outside, or what came out.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { networkText, type SandboxReport } from "../protocol/sandbox-report.ts"
import { plainVariables } from "../system/child-variables.ts"
import { serveLocally } from "../system/http/local-server.ts"
import { runProgram } from "../system/programs.ts"
import type { Sandbox } from "./sandbox.ts"

export interface SandboxCheck {
  readonly sandbox: SandboxReport | null
  readonly trials: ReadonlyArray<{ readonly promise: string; readonly holds: boolean }>
  readonly holds: boolean
}

export const checkSandbox = Effect.fn("Sandbox.check")(function* (
  sandbox: Sandbox["Type"],
  { cwd }: { readonly cwd: string }
) {
  const report = (yield* sandbox.report) ?? null
  const outside = yield* outsideFolder
  const inside = yield* workspaceFile(cwd)
  const attempt = attemptIn(sandbox, cwd)
  const wrote = join(outside, "written")
  const trials: Array<SandboxCheck["trials"][number]> = []
  const promise = (text: string, holds: boolean) => void trials.push({ promise: text, holds })

  yield* attempt(`echo x >'${inside}'`)
  promise("the workspace can be written to", existsSync(inside))
  yield* attempt(`echo x >'${wrote}'`)
  promise("nothing outside can be written to", !existsSync(wrote))
  promise("files outside cannot be read", !(yield* attempt(`cat '${outside}/secret'`)).includes(MARKER))
  promise(
    "keys in ~/.ssh cannot be read",
    !/^ok$/m.test(yield* attempt(`for f in '${homedir()}'/.ssh/*; do head -c 1 "$f" >/dev/null && echo ok; done`))
  )
  promise("other processes cannot be signalled", !/^ok$/m.test(yield* attempt(`kill -0 ${process.pid} && echo ok`)))
  if (report !== null && report.network !== "on") promise("nothing can be connected to", !(yield* connects(attempt)))
  return {
    sandbox: report,
    trials,
    holds: report !== null && trials.every(({ holds }) => holds)
  } satisfies SandboxCheck
})

const MARKER = "gemini-sandbox-marker"

const outsideFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "gemini-outside-"))
    writeFileSync(join(folder, "secret"), MARKER)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const workspaceFile = (cwd: string) =>
  Effect.acquireRelease(
    Effect.sync(() => join(cwd, `.gemini-check-${crypto.randomUUID()}`)),
    (file) => Effect.sync(() => rmSync(file, { force: true }))
  )

type Attempt = (script: string) => Effect.Effect<string>

/** Both outputs; what cannot even be started has none. */
const attemptIn =
  (sandbox: Sandbox["Type"], cwd: string): Attempt =>
  (script) =>
    sandbox.confine({ argv: ["/bin/sh", "-c", script], cwd, env: plainVariables() }, { access: "write" }).pipe(
      Effect.flatMap((program) =>
        runProgram({
          ...program,
          timeout: "10 seconds",
          maxOutputBytes: 64 * 1024,
          onTooMuch: "drop",
          reach: "group",
          leftovers: "end",
          grace: 0
        })
      ),
      Effect.map(({ stderr, stdout }) => `${stdout}${stderr}`),
      Effect.orElseSucceed(() => "")
    )

/** Tries to reach a listener of ours, by the one way to connect that most machines have. */
const connects = Effect.fnUntraced(function* (attempt: Attempt) {
  const port = yield* Effect.either(serveLocally({ port: 0, answer: () => new Response() }))
  if (Either.isLeft(port)) return false
  return /^ok$/m.test(yield* attempt(`bash -c 'exec 3<>/dev/tcp/localhost/${port.right}' && echo ok`))
})

export const checkText = ({ sandbox, trials }: SandboxCheck): string =>
  [
    ...(sandbox === null ? ["No sandbox."] : reportLines(sandbox)),
    ...trials.map(({ holds, promise }) => `${holds ? "ok  " : "FAIL"}  ${promise}`),
    ""
  ].join("\n")

export const reportLines = (report: SandboxReport): ReadonlyArray<string> => [
  `Sandbox: ${report.backend} (${report.strength})${report.isWhole === true ? ", around the whole run" : ""}, network ${networkText(report)}, writable: ${report.writable.join(", ")}`,
  ...report.gaps.map((gap) => `gap   ${gap}`)
]
