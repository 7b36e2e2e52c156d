import { describe, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { childVariables } from "../system/child-variables.ts"
import { isAlive } from "../system/process-table.ts"
import {
  allowedPath,
  type CheckerRule,
  type CheckerSpec,
  type CheckerSurroundings,
  runCheckers
} from "./safety-checkers.ts"
import { plainContext } from "./test-context.ts"

describe("allowed-path", () => {
  const check = (args: Record<string, unknown>, config = {}) =>
    allowedPath({ name: "x", args }, plainContext, config).decision
  const table: ReadonlyArray<readonly [Record<string, unknown>, string]> = [
    [{ file_path: "a.txt" }, "allow"],
    [{ file_path: "/etc/passwd" }, "deny"],
    [{ file_path: "../x" }, "deny"],
    [{ file_path: "/work-evil/x" }, "deny"],
    [{ file_path: ".git/config" }, "deny"],
    [{ file_path: "a/.ENV" }, "deny"],
    [{ file_path: "node_modules/x" }, "deny"],
    [{ file_path: ".vscode/settings.json" }, "ask_user"],
    [{ file_path: ".vscode/x", other_path: "/etc" }, "deny"],
    [{ nested: { deep: [{ source: "/etc/x" }] } }, "deny"],
    [{ paths: ["a", "/etc/x"] }, "deny"],
    [{ text: "/etc/passwd" }, "allow"]
  ]
  test.each(table)("%o", (args, expected) => expect(check(args)).toBe(expected as never))
  test("included and excluded arguments", () => {
    expect(check({ text: "/etc" }, { included_args: ["text"] })).toBe("deny")
    expect(check({ a: { file: "/etc" } }, { excluded_args: ["a.file"] })).toBe("allow")
  })
  test("what cannot be resolved is denied", () =>
    expect(
      allowedPath({ name: "x", args: { path: "loop" } }, { ...plainContext, realPath: () => undefined }).decision
    ).toBe("deny"))
})

const surroundings: CheckerSurroundings = {
  inProcess: {},
  folders: [],
  env: () => childVariables({ inherits: { PATH: "/usr/bin:/bin" } }),
  history: Effect.succeed([])
}
const ruleFor = (checker: CheckerSpec, rank = 4000): CheckerRule => ({ toolName: "*", checker, rank, source: "test" })
const call = { name: "read_file", args: { file_path: "a" } }

describe("running", () => {
  it.live("unknown checkers deny, the switched off one allows", () =>
    Effect.gen(function* () {
      const run = (name: string) =>
        runCheckers([ruleFor({ type: "in-process", name })], call, plainContext, surroundings)
      expect((yield* run("nothing"))?.verdict.decision).toBe("deny")
      expect(yield* run("conseca")).toBeUndefined()
    })
  )

  it.live("stronger ones come first, a denial wins over a question", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const named = (name: string, decision: "allow" | "deny" | "ask_user") => () =>
        Effect.sync(() => {
          seen.push(name)
          return { decision, reason: name }
        })
      const inProcess = {
        a: named("a", "ask_user"),
        b: named("b", "allow"),
        c: named("c", "deny"),
        d: named("d", "allow")
      }
      const rules = [
        ruleFor({ type: "in-process", name: "d" }, 1),
        ruleFor({ type: "in-process", name: "c" }, 2),
        ruleFor({ type: "in-process", name: "a" }, 4),
        ruleFor({ type: "in-process", name: "b" }, 3)
      ]
      const outcome = yield* runCheckers(rules, call, plainContext, { ...surroundings, inProcess })
      expect([outcome?.verdict.reason, seen]).toEqual(["c", ["a", "b", "c"]])
    })
  )

  it.live("only those whose conditions hold", () =>
    Effect.gen(function* () {
      const rule = { ...ruleFor({ type: "in-process", name: "nothing" }), toolName: "write_file" }
      expect(yield* runCheckers([rule], call, plainContext, surroundings)).toBeUndefined()
      const prefix = { ...ruleFor({ type: "in-process", name: "nothing" }), commandPrefix: ["rm"] }
      expect(yield* runCheckers([prefix], call, plainContext, surroundings)).toBeUndefined()
    })
  )
})

describe("external programs", () => {
  const withProgram = Effect.fnUntraced(function* (script: string, spec: Partial<CheckerSpec> = {}) {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "checker-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    writeFileSync(join(folder, "mine"), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, "mine"), 0o755)
    const rule = ruleFor({ type: "external", name: "mine", ...spec })
    const context = { ...plainContext, cwd: folder }
    const outcome = yield* runCheckers([rule], call, context, { ...surroundings, folders: ["/nowhere", folder] })
    return { folder, verdict: outcome?.verdict ?? { decision: "allow" } }
  })

  const table: ReadonlyArray<readonly [string, string]> = [
    ['echo \'{"decision":"allow"}\'', "allow"],
    ['echo \'{"decision":"deny","reason":"no"}\'', "deny"],
    ['echo \'{"decision":"ask_user","reason":"hm"}\'', "ask_user"],
    ['echo \'{"decision":"deny"}\'', "deny"],
    ['echo \'{"decision":"deny","reason":""}\'', "deny"],
    ['echo \'{"decision":"maybe"}\'', "deny"],
    ["echo nonsense", "deny"],
    ["", "deny"],
    ['echo \'{"decision":"allow"}\'; exit 3', "deny"],
    ["kill -9 $$", "deny"],
    ["head -c 200000 /dev/zero", "deny"]
  ]
  for (const [script, expected] of table) {
    it.live(`${script || "silence"}: ${expected}`, () =>
      Effect.gen(function* () {
        const decision: string = (yield* withProgram(script)).verdict.decision
        expect(decision).toBe(expected)
      })
    )
  }

  it.live("are told the call, and only the context that they want", () =>
    Effect.gen(function* () {
      const script = 'cat > input.json; echo \'{"decision":"allow"}\''
      const { folder } = yield* withProgram(script, { requiredContext: ["environment"], config: { a: 1 } })
      expect(JSON.parse(readFileSync(join(folder, "input.json"), "utf8"))).toEqual({
        protocolVersion: "1.0.0",
        toolCall: call,
        context: { environment: { cwd: folder, workspaces: ["/work"] } },
        config: { a: 1 }
      })
    })
  )

  it.live("that are missing deny", () =>
    Effect.gen(function* () {
      expect((yield* withProgram("", { name: "other" })).verdict.decision).toBe("deny")
    })
  )

  it.live(
    "that do not answer are ended with all their children",
    () =>
      Effect.gen(function* () {
        const script = "trap '' TERM; echo $$ > pids; (trap '' TERM; sleep 60) & echo $! >> pids; wait; sleep 60"
        const { folder, verdict } = yield* withProgram(script)
        expect(verdict).toMatchObject({ decision: "deny", reason: "safety checker mine: no answer within 5s" })
        const pids = readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number)
        expect(pids).toHaveLength(2)
        expect(pids.map((pid) => isAlive({ pid, startedAt: 0 }))).toEqual([false, false])
      }),
    20_000
  )
})
