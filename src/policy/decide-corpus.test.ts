import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FastCheck } from "effect"
import { realPathOf } from "../files/real-path.ts"
import { analyze } from "../shell/analysis/analyze.ts"
import type { ParseShell } from "../shell/analysis/syntax.ts"
import { decide } from "./decide.ts"
import { type Decision, type DecisionContext, isStricter, SHELL_TOOL } from "./decision.ts"
import { defaultRules } from "./default-rules.ts"
import { holdsClosedNames } from "./fixed-context.ts"
import { CORPUS } from "./fixtures/corpus.ts"
import type { CorpusSurroundings } from "./fixtures/corpus-group.ts"
import { inOrder, type PolicyRule, rankOf } from "./rule.ts"
import { noSettings, settingsRules } from "./settings-rules.ts"
import { readingIn } from "./test-context.ts"

let parse: ParseShell
let root: string
beforeAll(async () => {
  const { loadParser } = await import("../shell/analysis/bash-grammar.live.ts")
  parse = await loadParser(() => performance.now())
  root = realpathSync(mkdtempSync(join(tmpdir(), "policy-corpus-")))
  mkdirSync(join(root, "work", "src"), { recursive: true })
  mkdirSync(join(root, "work", "app"))
  writeFileSync(join(root, "work", "app", ".env"), "KEY=1\n")
  mkdirSync(join(root, "home"))
  for (const part of ["objects", "refs"]) mkdirSync(join(root, "work", ".git", part), { recursive: true })
  writeFileSync(join(root, "work", ".git", "HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(root, "work", ".git", "config"), "[core]\n\trepositoryformatversion = 0\n")
  mkdirSync(join(root, "elsewhere"))
  writeFileSync(join(root, "work", "a.txt"), "a\n")
  symlinkSync(join(root, "elsewhere"), join(root, "work", "out"))
})
afterAll(() => rmSync(root, { recursive: true }))

const prefix = (decision: PolicyRule["decision"], ...words: ReadonlyArray<string>): PolicyRule => ({
  toolName: SHELL_TOOL,
  commandPrefix: words,
  decision,
  rank: rankOf("user", 100),
  tier: "user",
  source: "test"
})

const extraRules = (surroundings: CorpusSurroundings): ReadonlyArray<PolicyRule> => {
  if (surroundings === "shell")
    return settingsRules({ ...noSettings, allowedTools: [SHELL_TOOL] }, { isInteractive: true })
  if (surroundings === "guarded") return [prefix("deny", "touch")]
  if (surroundings !== "named") return []
  const allowed = [["git"], ["npm", "test"], ["echo"], ["touch"], ["sudo", "apt"], ["python3"]]
  return allowed.map((words) => prefix("allow", ...words))
}

const modeOf = (surroundings: CorpusSurroundings): DecisionContext["mode"] => {
  if (surroundings === "auto_edit" || surroundings === "yolo" || surroundings === "plan") return surroundings
  return surroundings === "guarded" ? "yolo" : "default"
}

const rulesFor = (surroundings: CorpusSurroundings) => inOrder([...extraRules(surroundings), ...defaultRules()])

const decideIn = (surroundings: CorpusSurroundings, command: string, rules = rulesFor(surroundings)): Decision => {
  const context: DecisionContext = {
    mode: modeOf(surroundings),
    isInteractive: surroundings !== "headless",
    isTrusted: surroundings !== "untrusted",
    cwd: join(root, "work"),
    workspaceDirs: [join(root, "work")],
    home: join(root, "home"),
    plansDir: undefined,
    ignoresAlways: false,
    forceAsk: undefined,
    realPath: realPathOf,
    holdsClosed: holdsClosedNames,
    shell: analyze(command, parse),
    reading: undefined
  }
  const reading = readingIn(context, command)
  return decide(rules, { name: SHELL_TOOL, args: { command }, kind: "execute" }, { ...context, reading })
}

describe("corpus", () => {
  for (const { about, surroundings, verdict, commands } of CORPUS) {
    describe(`${surroundings}: ${verdict}: ${about}`, () => {
      test.each([...commands])("%p", (command) => {
        const decision = decideIn(surroundings, command)
        expect({ verdict: decision.verdict, reason: decision.reason }).toEqual({ verdict, reason: decision.reason })
      })
    })
  }

  test("holds at least 200 lines", () =>
    expect(CORPUS.reduce((count, { commands }) => count + commands.length, 0)).toBeGreaterThanOrEqual(200))
})

describe("properties", () => {
  // Texts that end open (a quote, a here-document, a comment) swallow what is put after them.
  const closed = CORPUS.flatMap(({ commands }) => [...commands]).filter(
    (text) => text !== "" && !/<<|[#'"\\]|&&$|&$|\(ls$/.test(text)
  )
  const all: ReadonlyArray<CorpusSurroundings> = [
    "default",
    "auto_edit",
    "yolo",
    "named",
    "shell",
    "guarded",
    "untrusted"
  ]

  test("a chain is never easier than its parts", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...closed),
        FastCheck.constantFrom(...closed),
        FastCheck.constantFrom(" ; ", " && ", " || ", " | ", "\n", " & "),
        FastCheck.constantFrom(...all),
        (one, other, operator, surroundings) => {
          const rules = rulesFor(surroundings)
          const both = decideIn(surroundings, `${one}${operator}${other}`, rules)
          for (const part of [one, other]) {
            const alone = decideIn(surroundings, part, rules)
            if (isStricter(alone.verdict, both.verdict))
              throw new Error(`${part} alone: ${alone.verdict} (${alone.reason})`)
          }
        }
      ),
      { numRuns: 800 }
    ))

  test("a chain of allowed commands is allowed", () => {
    const allowed = ["ls", "git status", "cat a.txt", "echo x", "bash -c ls", "timeout 5 ls"]
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.constantFrom(...allowed), { minLength: 1, maxLength: 6 }), (parts) =>
        ["; ", " && ", " | ", "\n"].every((operator) => decideIn("default", parts.join(operator)).verdict === "allow")
      ),
      { numRuns: 100 }
    )
  })

  test("arbitrary text never throws, and is never allowed without a rule unless it only looks", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary", maxLength: 60 }), (text) => {
        const { verdict, commands } = decideIn("default", text)
        return (
          verdict !== "allow" || commands.every((command) => command.cause === "safe" || command.cause === "neutral")
        )
      }),
      { numRuns: 500 }
    ))

  test("what a refusal says would allow it, does: the flag, and the rule once it is in a file", async () => {
    const { readRuleFile } = await import("./rule-file.live.ts")
    const lines = CORPUS.filter(({ surroundings }) => surroundings === "default").flatMap(({ commands }) => [
      ...commands
    ])
    const seen = { flags: 0, rules: 0 }
    for (const command of lines) {
      const { allowRule, allowWith = "" } = decideIn("headless", command)
      // It is pasted into a shell: what stands in the double quotes is nothing to it.
      expect(allowWith.replaceAll(/--[a-z-]+ /g, "")).not.toMatch(/[$`\\!]/)
      const allowedTools = [...allowWith.matchAll(/--allowed-tools "(.*?)"(?= |$)/g)].map((found) => found[1] ?? "")
      const verdictUnder = (rules: ReadonlyArray<PolicyRule>) => {
        const { reason, verdict } = decideIn("headless", command, inOrder([...rules, ...defaultRules()]))
        return { command, verdict, reason }
      }
      if (allowedTools.length > 0) {
        seen.flags++
        const byFlag = verdictUnder(settingsRules({ ...noSettings, allowedTools }, { isInteractive: false }))
        expect(byFlag).toEqual({ ...byFlag, verdict: "allow" })
      }
      if (allowRule !== undefined) {
        seen.rules++
        const { problems, rules } = readRuleFile(allowRule, { file: "pasted.toml", tier: "user" })
        const byRule = verdictUnder(rules)
        expect([problems, byRule]).toEqual([[], { ...byRule, verdict: "allow" }])
      }
    }
    expect(seen.flags).toBeGreaterThan(80)
    expect(seen.rules).toBeGreaterThan(seen.flags)
  })

  // Not xargs: it adds words, and so may turn the target of a command into one of its sources.
  test("a wrapper never makes a command easier", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...closed.filter((text) => /^[a-z]+(?: [\w./-]+)*$/.test(text))),
        FastCheck.constantFrom("sudo ", "env ", "timeout 5 ", "nohup ", "X=1 ", "command "),
        FastCheck.constantFrom(...all),
        (command, wrapper, surroundings) =>
          !isStricter(decideIn(surroundings, command).verdict, decideIn(surroundings, wrapper + command).verdict)
      ),
      { numRuns: 300 }
    ))
})
