import { describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, FastCheck } from "effect"
import { it } from "../../test/kit/it.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { type AlwaysNarrowing, alwaysRules, modesFrom, savedText } from "./always.ts"
import { canonicalArguments } from "./argument-forms.ts"
import { saveApproval, withEntry } from "./auto-saved.live.ts"
import type { PolicyRule } from "./rule.ts"
import { readRuleFile } from "./rule-file.live.ts"

const made = (toolName: string, narrowing?: AlwaysNarrowing, mode: ApprovalMode = "default") =>
  alwaysRules({ toolName, ...(narrowing === undefined ? {} : { narrowing }) }, mode, "user") ?? []

const command = (prefixes: ReadonlyArray<string>, allowRedirection = false) =>
  made("run_shell_command", { by: "command", prefixes, allowRedirection })

describe("rules from approvals", () => {
  test("count in the mode of the approval and in more permissive ones", () => {
    expect(modesFrom("plan")).toEqual(["plan", "default", "auto_edit", "yolo"])
    expect(modesFrom("auto_edit")).toEqual(["auto_edit", "yolo"])
  })

  test("are refused without narrowing for tools that act on files and commands", () => {
    expect(made("write_file")).toEqual([])
    expect(command([])).toEqual([])
    expect(command([" "])).toEqual([])
    expect(made("web_fetch")).toEqual([])
    expect(made("activate_skill")).toHaveLength(1)
  })

  test("match exactly the approved argument", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary" }), FastCheck.string({ unit: "binary" }), (value, other) => {
        const [rule] = made("write_file", { by: "argument", key: "file_path", value })
        const matches = (file_path: string) =>
          rule?.argsPattern?.test(canonicalArguments({ content: value, file_path })) === true
        return matches(value) && (value === other || !matches(other))
      })
    ))

  test("are written so that they come back the same", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ minLength: 1 }), (value) => {
        const rules = made("write_file", { by: "argument", key: "file_path", value })
        const [read] = readRuleFile(savedText(rules), { file: "f", tier: "user" }).rules
        const shown = (rule: PolicyRule | undefined) => ({
          ...rule,
          source: "",
          argsPattern: rule?.argsPattern?.source
        })
        expect(shown(read)).toEqual(shown(rules[0]))
      })
    ))

  test("look like this", () =>
    expect(savedText(command(["git", "npm test"], true))).toBe(
      [
        "[[rule]]",
        'decision = "allow"',
        "priority = 950",
        'toolName = "run_shell_command"',
        'commandPrefix = [ "git", "npm test" ]',
        "allowRedirection = true",
        'modes = [ "default", "autoEdit", "yolo" ]',
        ""
      ].join("\n")
    ))

  test("for servers name the server and the short name", () => {
    expect(savedText(made("mcp_s_x", { by: "mcp", server: "s", tool: "x" }))).toContain('toolName = "x"\nmcpName = "s"')
    expect(savedText(made("mcp_s_x", { by: "mcp", server: "s" }))).toContain('toolName = "*"\nmcpName = "s"')
  })
})

describe("the file", () => {
  const git = command(["git"])

  test("an equal entry is brought up to date, comments and others stay", () => {
    const other = savedText(command(["npm"]))
    const before = `# mine\n${savedText(git)}\n# theirs\n${other}`
    const after = withEntry(before, command(["git"], true))
    expect(after).toContain("# mine\n")
    expect(after.match(/\[\[rule\]\]/g)).toHaveLength(2)
    expect(
      readRuleFile(after, { file: "f", tier: "user" }).rules.map((rule) => [rule.commandPrefix, rule.allowRedirection])
    ).toEqual([
      [["git"], true],
      [["npm"], undefined]
    ])
  })

  test("another entry is added at the end", () =>
    expect(withEntry(savedText(git), command(["npm"]))).toBe(`${savedText(git)}\n${savedText(command(["npm"]))}`))

  const inFolder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "auto-saved-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )

  it.live("is made private, and repeated saving does not duplicate", () =>
    Effect.gen(function* () {
      const file = join(yield* inFolder, "policies", "auto-saved.toml")
      yield* saveApproval(file, git)
      yield* saveApproval(file, git)
      expect(readFileSync(file, "utf8")).toBe(savedText(git))
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })
  )

  it.live("that is no TOML is kept beside", () =>
    Effect.gen(function* () {
      const file = join(yield* inFolder, "auto-saved.toml")
      writeFileSync(file, "broken", { mode: 0o644 })
      yield* saveApproval(file, git)
      expect([readFileSync(`${file}.bak`, "utf8"), readFileSync(file, "utf8")]).toEqual(["broken", savedText(git)])
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })
  )

  it.live("behind a link is written where the link leads", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      mkdirSync(join(folder, "real"))
      writeFileSync(join(folder, "real", "x.toml"), "")
      symlinkSync(join(folder, "real", "x.toml"), join(folder, "auto-saved.toml"))
      yield* saveApproval(join(folder, "auto-saved.toml"), git)
      expect(readFileSync(join(folder, "real", "x.toml"), "utf8")).toBe(savedText(git))
    })
  )
})
