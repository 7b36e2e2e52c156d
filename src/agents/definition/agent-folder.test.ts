import { expect, test } from "bun:test"
import { FastCheck, Option } from "effect"
import { parseDocument } from "yaml"
import { plainFields } from "./agent-folder.ts"

const read = (text: string) => Option.getOrUndefined(plainFields(text.split("\n")))

test.each([
  ["name: a-b", { name: "a-b" }],
  ["# note\nname: a\n\nmax_turns: 5", { name: "a", max_turns: 5 }],
  ["temperature: 0.25", { temperature: 0.25 }],
  ["tools: [read_file, glob]", { tools: ["read_file", "glob"] }],
  ["tools:\n  - read_file\n  - glob\nname: x", { tools: ["read_file", "glob"], name: "x" }]
])("%j is plain", (text, fields) => expect<unknown>(read(text)).toEqual(fields))

test.each([
  "name: 'quoted'",
  "name: a: b",
  "name: true",
  "tools: [yes, no]",
  "tools: ['*']",
  "tools: []",
  "name: a\nname: b",
  "description: |\n  two\n  lines",
  "mcp_servers:\n  x:\n    command: y",
  "max_turns: 012",
  "key:",
  "- a"
])("%j is left to the parser", (text) => expect(read(text)).toBeUndefined())

test("what is plain means the same to a parser of YAML", () => {
  const word = FastCheck.stringMatching(/^[A-Za-z0-9_.:,#'"&*!|>%@`[\]{} -]{1,12}$/)
  const line = FastCheck.oneof(
    FastCheck.tuple(FastCheck.constantFrom("name", "tools", "max_turns"), word).map(
      ([key, value]) => `${key}: ${value}`
    ),
    FastCheck.array(word, { maxLength: 3 }).map((words) => `tools: [${words.join(", ")}]`),
    FastCheck.array(word, { minLength: 1, maxLength: 3 }).map((words) => `tools:\n  - ${words.join("\n  - ")}`)
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(line, { maxLength: 3 }), (lines) => {
      const text = lines.join("\n")
      const fields = read(text)
      if (fields === undefined) return
      expect(fields).toEqual(parseDocument(text).toJS() ?? {})
    })
  )
})
