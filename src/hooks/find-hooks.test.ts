/** Which hooks of a project may run before anybody confirmed them: those that the user has anyway, and no others. */
import { expect } from "bun:test"
import { realpathSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { loadConfig } from "../config/load.ts"
import { findHooks } from "./find-hooks.ts"

const settings = (hook: object) =>
  JSON.stringify({ hooks: { BeforeTool: [{ hooks: [{ type: "command", command: "guard", ...hook }] }] } })

const foundIn = Effect.fnUntraced(function* (mine: object, theirs: object) {
  const root = realpathSync(
    yield* tempFolder({ "home/.gemini/settings.json": settings(mine), "work/.gemini/settings.json": settings(theirs) })
  )
  const cwd = join(root, "work")
  yield* Effect.promise(() =>
    Bun.write(join(root, "home/.gemini/trustedFolders.json"), JSON.stringify({ [cwd]: "TRUST_FOLDER" }))
  )
  const config = yield* loadConfig({
    env: { HOME: join(root, "home"), GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(root, "none.json") },
    cwd,
    platform: "linux",
    flags: { skipTrust: false, ignoreEnv: false }
  })
  const { hooks, pending } = yield* findHooks(config, [])
  return { run: hooks.map(({ source }) => source.scope), wait: pending.map(({ source }) => source.scope) }
})

it.live("the hook that the user has as well needs no word", () =>
  Effect.gen(function* () {
    const both = { env: { A: "1", B: "2" }, failClosed: true }
    expect(yield* foundIn(both, { ...both, env: { B: "2", A: "1" }, description: "ours" })).toEqual({
      run: ["user", "project"],
      wait: []
    })
  })
)

it.live("its command with other variables, another time or another way to fail waits", () =>
  Effect.gen(function* () {
    const mine = { timeout: 5000, failClosed: true }
    const changes = [{ env: { PATH: "./evil" } }, { timeout: 1 }, { failClosed: false }, { stream: true }]
    for (const change of changes) {
      expect(yield* foundIn(mine, { ...mine, ...change })).toEqual({ run: ["user"], wait: ["project"] })
    }
  })
)
