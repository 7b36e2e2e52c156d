import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { decide } from "./decide.ts"
import type { DecisionContext, PolicyCall } from "./decision.ts"
import { withPlainPaths } from "./paths.ts"
import type { RuleDecision } from "./rule.ts"
import { inOrder, type PolicyRule } from "./rule.ts"
import { plainContext, userRule } from "./test-context.ts"

const SCHEMA = {
  type: "object",
  properties: {
    file_path: { type: "string" },
    content: { type: "string" },
    dir_path: { type: "string" },
    options: { type: "object", properties: { mode: { type: "string" }, file_path: { type: "string" } } },
    free: { type: "object" }
  }
}

/** Name by name, as the kernel goes: `link` in `docs` leads to `/etc`, and `..` after it is above that. */
const realPath = (path: string): string | undefined => {
  if (path === "/loop") return undefined
  const names: Array<string> = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
    if (names.join("/") === "work/docs/link") names.splice(0, names.length, "etc")
  }
  return `/${names.join("/")}`
}

const context: DecisionContext = { ...plainContext, realPath }

const rule = (decision: RuleDecision, argsPattern: RegExp, more: Partial<PolicyRule> = {}): PolicyRule =>
  userRule({ toolName: "write_file", decision, argsPattern, ...more })

const verdict = (rules: ReadonlyArray<PolicyRule>, call: Partial<PolicyCall>) =>
  decide(
    inOrder(rules),
    withPlainPaths({ name: "write_file", args: {}, kind: "edit", schema: SCHEMA, ...call }, context.cwd),
    context
  ).verdict

const IN_DOCS = /"file_path":"docs\//
/** As people write them who are not careful. */
const LOOSE = /.*"file_path":"docs\/.*/

describe("a permission looks at what the tool will use", () => {
  test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
    ["the plain name", { file_path: "docs/a.md" }, true],
    ["with a dot", { file_path: "./docs/a.md" }, true],
    ["by the way up and back", { file_path: "src/../docs/a.md" }, true],
    ["absolute", { file_path: "/work/docs/a.md" }, true],
    ["as a mention", { file_path: "@docs/a.md" }, true],
    ["as an address", { file_path: "file:///work/docs/a.md" }, true],
    ["escaped in the answer of the model", JSON.parse('{"file_path":"\\u0064ocs/a.md"}'), true],
    ["given twice, the last one in", JSON.parse('{"file_path":"src/a.ts","file_path":"docs/a.md"}'), true],
    ["given twice, the last one out", JSON.parse('{"file_path":"docs/a.md","file_path":"src/a.ts"}'), false],
    ["up and away", { file_path: "docs/../src/a.ts" }, false],
    ["up and away as an address", { file_path: "file:///work/docs/%2e%2e/src/a.ts" }, false],
    ["through a link", { file_path: "docs/link/passwd" }, false],
    ["an argument that is not declared", { file_path: "src/a.ts", extra: { file_path: "docs/a.md" } }, false],
    ["inside of one that is", { file_path: "src/a.ts", options: { file_path: "docs/a.md" } }, false],
    ["inside of one that takes anything", { file_path: "src/a.ts", free: { x: [{ file_path: "docs/a.md" }] } }, false],
    ["in a text", { file_path: "src/a.ts", content: '"file_path":"docs/a.md"' }, false],
    ["in a text that is JSON", { file_path: "src/a.ts", content: JSON.stringify({ file_path: "docs/a.md" }) }, false],
    ["in the name of another", { file_path: "src/a.ts", 'x"file_path":"docs/': 1 }, false],
    ["nowhere", { content: "x" }, false]
  ])("%s", (_, args, isAllowed) => {
    for (const pattern of [IN_DOCS, LOOSE]) {
      expect(verdict([rule("allow", pattern)], { args })).toBe(isAllowed ? "allow" : "ask")
    }
  })

  test("a path that cannot be followed is permitted by nothing", () =>
    expect(verdict([rule("allow", /"file_path"/)], { args: { file_path: "/loop" } })).toBe("ask"))

  test("what the tool decoded counts, not what was written", () => {
    const call = { args: { file_path: "docs/a.md" }, used: { file_path: "src/a.ts" } }
    expect(verdict([rule("allow", IN_DOCS)], call)).toBe("ask")
    expect(verdict([rule("allow", /"file_path":"src\//)], call)).toBe("allow")
  })

  test("a nested argument is reached by its own name", () => {
    const args = { file_path: "a.txt", options: { mode: "quick" } }
    expect(verdict([rule("allow", /"options":\{"mode":"quick"/)], { args })).toBe("allow")
    expect(verdict([rule("allow", /"mode":"quick"/)], { args })).toBe("allow")
  })
})

describe("a prohibition looks everywhere", () => {
  test.each<Readonly<Record<string, unknown>>>([
    { file_path: "docs/a.md" },
    { file_path: "src/../docs/a.md" },
    { file_path: "docs/../src/a.ts" },
    { file_path: "@docs/a.md" },
    { file_path: "/work/docs/a.md" },
    { file_path: "src/a.ts", extra: { file_path: "docs/a.md" } },
    { file_path: "src/a.ts", options: { file_path: "src/../docs/a.md" } }
  ])("%j", (args) => {
    expect(verdict([rule("deny", IN_DOCS)], { args })).toBe("deny")
    expect(verdict([rule("deny", IN_DOCS)], { args, used: { file_path: "src/a.ts" } })).toBe("deny")
  })

  test("nobody can choose to be asked instead of being denied", () => {
    const rules = [rule("ask_user", /"why":/, { rank: 4500 }), rule("deny", /"file_path":"secret/, { rank: 4400 })]
    expect(verdict(rules, { args: { file_path: "secret/a", why: "x" } })).toBe("deny")
    expect(verdict([...rules, userRule({ toolName: "write_file", decision: "allow" })], { args: { why: "x" } })).toBe(
      "ask"
    )
  })
})

describe("foreign tools", () => {
  const remote = (args: Readonly<Record<string, unknown>>, decision: RuleDecision = "allow") =>
    verdict([{ ...rule(decision, /"path":"\/srv\/docs\//), toolName: "*" }], {
      name: "mcp_fs_read",
      server: "fs",
      schema: { type: "object", properties: { path: { type: "string" }, meta: { type: "object" } } },
      args
    })

  test("their paths are not followed, but dots are taken out", () => {
    expect(remote({ path: "/srv/docs/a" })).toBe("allow")
    expect(remote({ path: "/srv/docs/../etc/passwd" })).toBe("ask")
    expect(remote({ path: "/srv/docs/./../../etc" })).toBe("ask")
    expect(remote({ path: "/srv/docs/../etc/passwd" }, "deny")).toBe("deny")
  })
  test("what they do not declare permits nothing", () => {
    expect(remote({ path: "/etc", meta: { path: "/srv/docs/" } })).toBe("ask")
    expect(remote({ path: "/etc", other: { path: "/srv/docs/" } })).toBe("ask")
    expect(remote({ path: "/etc", other: { path: "/srv/docs/" } }, "deny")).toBe("deny")
  })
  test("an address is read as one", () => {
    const call = { name: "mcp_fs_open", server: "fs", args: { uri: "file:///srv/docs/%2e%2e/etc" } }
    expect(verdict([{ ...rule("allow", /"uri":"file:\/\/\/srv\/docs\//), toolName: "*" }], call)).toBe("ask")
  })
})

describe("for all calls", () => {
  const name = fc.constantFrom("docs", "src", "..", ".", "a.md", "link", "etc")
  const path = fc
    .tuple(fc.constantFrom("", "/", "/work/", "./", "@", "file:///work/", "../"), fc.array(name, { minLength: 1 }))
    .map(([start, names]) => start + names.join("/"))
  const hostile: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("docs/a.md", '"file_path":"docs/a.md"', '\0"file_path":"docs/a.md"\0', 1, null),
      fc.array(tie("value"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("file_path", "mode", "x", '"file_path":"docs/'), tie("value"), { maxKeys: 3 })
    )
  })).value
  const others = fc.dictionary(fc.constantFrom("content", "options", "free", "extra", "File_path", "path"), hostile)

  /** Where the tool would write, found another way. */
  const target = (written: string): string => {
    const plain = written.startsWith("file://") ? new URL(written).pathname : written.replace(/^@/, "")
    const names: Array<string> = plain.startsWith("/") ? [] : ["work"]
    for (const part of plain.split("/")) {
      if (part === "..") names.pop()
      else if (part !== "" && part !== ".") names.push(part)
    }
    return context.realPath(`/${names.join("/")}`) ?? ""
  }

  test("a permission for a folder permits what lies in it, and nothing else", () =>
    fc.assert(
      fc.property(path, others, (file_path, more) => {
        const isIn = target(file_path).startsWith("/work/docs/")
        const args = { ...more, file_path }
        for (const call of [{ args }, { args, used: { file_path } }]) {
          expect(verdict([rule("allow", IN_DOCS)], call)).toBe(isIn ? "allow" : "ask")
        }
      }),
      { numRuns: 500 }
    ))

  test("a prohibition reaches at least what lies in it", () =>
    fc.assert(
      fc.property(path, others, (file_path, more) => {
        const denied = verdict([rule("deny", IN_DOCS)], { args: { ...more, file_path } })
        if (target(file_path).startsWith("/work/docs/") || file_path.startsWith("docs/")) expect(denied).toBe("deny")
      }),
      { numRuns: 500 }
    ))
})
