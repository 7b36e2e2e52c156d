/** The folder of one run inside: nobody else enters it, and it goes with the run. */
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"
import { plainVariables } from "../../system/child-variables.ts"
import { setFileMode } from "../../system/file-mode.ts"
import { runProgram } from "../../system/programs.ts"
import { hopFailed } from "../sandbox-unavailable.ts"
import { sessionFolder } from "./inside-script.ts"

export const hopFolder = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.try({
      try: () => mkdtempSync(join(realpathSync(tmpdir()), "gemini-inside-")),
      catch: (cause) => hopFailed("run", `there is no place for it: ${messageOf(cause)}`)
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const temp = join(folder, "tmp")
  const own = sessionFolder(temp)
  for (const path of [temp, own]) {
    mkdirSync(path)
    // The user inside may be another one.
    setFileMode(path, 0o777)
  }
  yield* sign(join(own, "alive"))
  return { folder, temp }
})

/** Held open as long as this program lives: its end is seen inside, however it comes. */
const sign = Effect.fnUntraced(function* (path: string) {
  const made = yield* Effect.option(
    runProgram({
      argv: ["mkfifo", "-m", "666", path],
      cwd: "/",
      env: plainVariables(),
      timeout: "5 seconds",
      maxOutputBytes: 4096,
      reach: "group",
      leftovers: "keep",
      grace: 0
    })
  )
  if (made._tag === "None" || made.value.exitCode !== 0) return
  yield* Effect.acquireRelease(
    Effect.sync(() => openSync(path, constants.O_RDWR | constants.O_NONBLOCK)),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  )
})
