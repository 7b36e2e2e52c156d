/** What makes another hook of a hook, and what does not. */
import { describe, expect, test } from "bun:test"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hookFingerprint } from "./fingerprint.ts"
import type { Hook } from "./hook.ts"

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
