/** Which hooks of a project may run before anybody confirmed them: those that the user has anyway, and no others. */
import { describe, expect, test } from "bun:test"
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { loadConfig } from "../config/load.ts"
import { findHooks, hookFingerprint } from "./find-hooks.ts"
import type { Hook } from "./hook.ts"

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

/** What makes another hook of a hook, and what does not. */

describe("fingerprints", () => {
  const project = mkdtempSync(join(tmpdir(), "hooks-print-"))
  const hook: Hook = {
    event: "BeforeTool",
    command: "$GEMINI_PROJECT_DIR/check.sh && python3 './lib/x.py'",
    name: undefined,
    description: undefined,
    matcher: "write_file",
    isSequential: false,
    timeoutMs: 5,
    env: { A: "1", B: "2" },
    given: {},
    failsClosed: false,
    streams: false,
    source: { scope: "project", file: "f" }
  }
  const print = (changed: Partial<Hook> = {}) => hookFingerprint({ ...hook, ...changed }, project)

  test("event, matcher, command, variables, time and a duty not to fail make another one; the rest does not", () => {
    const same = print()
    expect(same).toMatch(/^sha256:[0-9a-f]{64}$/)
    for (const changed of [
      { event: "AfterTool" },
      { matcher: "x" },
      { command: "y" },
      { env: { A: "2" } },
      { timeoutMs: 6 },
      { failsClosed: true }
    ] as const) {
      expect(print(changed)).not.toBe(same)
    }
    expect(print({ env: { B: "2", A: "1" }, description: "d", source: { scope: "project", file: "g" } })).toBe(same)
  })
  test("so does the content of a file of the project that the command runs, behind an interpreter too", () => {
    const none = print()
    writeFileSync(join(project, "check.sh"), "one")
    const one = print()
    writeFileSync(join(project, "check.sh"), "two")
    const two = print()
    Bun.spawnSync(["mkdir", "-p", join(project, "lib")])
    writeFileSync(join(project, "lib/x.py"), "x")
    expect(new Set([none, one, two, print()]).size).toBe(4)
  })
})
