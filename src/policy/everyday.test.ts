import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { kernelPath } from "../files/real-path.ts"
import { analyze } from "../shell/analysis/analyze.ts"
import type { ParseShell } from "../shell/analysis/syntax.ts"
import { decide } from "./decide.ts"
import { type Decision, type DecisionContext, SHELL_TOOL } from "./decision.ts"
import { defaultRules } from "./default-rules.ts"
import { holdsClosedNames } from "./fixed-context.ts"
import { EVERYDAY, EVERYDAY_GROUPS, EVERYDAY_QUESTIONS } from "./fixtures/everyday.ts"
import { inOrder } from "./rule.ts"
import { readingIn } from "./test-context.ts"

let parse: ParseShell
let root: string

const FILES = ["README.md", "package.json", "data.csv", "data.json", "config.yaml", "src/main.ts", "src/util.ts"]

beforeAll(async () => {
  const { loadParser } = await import("../shell/analysis/bash-grammar.live.ts")
  parse = await loadParser(() => performance.now())
  root = realpathSync(mkdtempSync(join(tmpdir(), "everyday-")))
  for (const file of [...FILES, "test/main.test.ts", "node_modules/.bin/tsc"]) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), "{}\n")
  }
  const made = Bun.spawnSync(["git", "init", "-q", "--template=", root])
  expect(made.exitCode).toBe(0)
})
afterAll(() => rmSync(root, { recursive: true }))

const rules = inOrder(defaultRules())

const decideOn = (command: string): Decision => {
  const context: DecisionContext = {
    mode: "default",
    isInteractive: true,
    isTrusted: true,
    cwd: root,
    workspaceDirs: [root],
    home: join(root, "../home"),
    plansDir: undefined,
    ignoresAlways: false,
    forceAsk: undefined,
    realPath: (path) => kernelPath("/", path),
    holdsClosed: holdsClosedNames,
    shell: analyze(command, parse),
    reading: undefined
  }
  const reading = readingIn(context, command)
  return decide(rules, { name: SHELL_TOOL, args: { command }, kind: "execute" }, { ...context, reading })
}

describe("everyday lines", () => {
  test("are at least 400, each once", () => {
    expect(new Set(EVERYDAY).size).toBe(EVERYDAY.length)
    expect(EVERYDAY.length).toBeGreaterThanOrEqual(400)
  })

  for (const { asked, free, topic } of EVERYDAY_GROUPS) {
    describe(topic, () => {
      test.each([...free])("%p runs unasked", (command) => {
        const { reason, verdict, commands } = decideOn(command)
        const reasons = [reason, ...commands.flatMap(({ doubt = "" }) => doubt)]
        expect({ verdict, reasons }).toEqual({ verdict: "allow", reasons })
      })

      test.each([...asked])("%p is never denied", (command) => {
        expect(decideOn(command).verdict).not.toBe("deny")
      })
    })
  }

  test.each([...EVERYDAY_QUESTIONS])("%p is asked about", (command) => {
    expect(decideOn(command).verdict).not.toBe("allow")
  })
})
