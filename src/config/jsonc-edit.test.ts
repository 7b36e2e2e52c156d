import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { editJsonc, removeJsonc } from "./jsonc-edit.ts"
import { parseJsonc, plainValue } from "./jsonc-node.ts"

const FILE = `{
  // first
  "a": 1, // behind a
  /* about b */
  "b": { "c": 2 },
  "d": [1, 2] // last
}
`

describe("setting", () => {
  test.each<[string, string, ReadonlyArray<string>, unknown, string]>([
    ["a new file", "", ["a", "b"], 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ["a file of comments", "// mine\n", ["a"], 1, '// mine\n{\n  "a": 1\n}\n'],
    ["another value", FILE, ["a"], "x", FILE.replace("1, // behind", '"x", // behind')],
    ["a value inside", FILE, ["b", "c"], 3, FILE.replace('"c": 2', '"c": 3')],
    [
      "tabs stay tabs",
      '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
      ["a", "c"],
      2,
      '{\n\t"a": {\n\t\t"b": 1,\n\t\t"c": 2\n\t}\n}\n'
    ],
    ["four columns stay four", '{\n    "a": 1\n}\n', ["b"], 2, '{\n    "a": 1,\n    "b": 2\n}\n'],
    ["CRLF stays", '{\r\n  "a": 1\r\n}\r\n', ["b"], 2, '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n'],
    [
      "a comment behind the last value stays there",
      FILE,
      ["e"],
      3,
      FILE.replace("2] // last", '2], // last\n  "e": 3')
    ],
    [
      "a group on one line stays on it",
      '{\n  "a": { "b": 1 }\n}',
      ["c", "d"],
      [1],
      '{\n  "a": { "b": 1 },\n  "c": {\n    "d": [\n      1\n    ]\n  }\n}'
    ],
    ["names with dots are one name", "{}\n", ["/a.b/c"], 1, '{\n  "/a.b/c": 1\n}\n']
  ])("%s", (_, text, path, value, expected) => expect(editJsonc(text, path, value)).toBe(expected))
})

describe("removing keeps every comment", () => {
  test.each<[string, ReadonlyArray<string>, string]>([
    [FILE, ["a"], FILE.replace('"a": 1, // behind a', "// behind a")],
    [FILE, ["b"], FILE.replace('  "b": { "c": 2 },\n', "")],
    [FILE, ["b", "c"], FILE.replace('{ "c": 2 }', "{ }")],
    [FILE, ["d"], FILE.replace('{ "c": 2 },', '{ "c": 2 }').replace('"d": [1, 2] // last', "// last")],
    ['{"a": 1, "b": 2}', ["a"], '{"b": 2}'],
    ['{"a": 1, "b": 2}', ["b"], '{"a": 1 }'],
    ['{\n  "a": 1, // x, y\n  "b": 2\n}', ["b"], '{\n  "a": 1 // x, y\n}'],
    ['{\n  "a": 1,\n  "b": 2,\n}', ["b"], '{\n  "a": 1,\n}'],
    ["{}", ["x"], "{}"],
    ["", ["x"], ""]
  ])("%j without %j", (text, path, expected) => expect(editJsonc(text, path, undefined)).toBe(expected))
})

describe("for all objects", () => {
  const name = fc.constantFrom("a", "b", "c d", 'e"f')
  const json = fc.jsonValue().filter((value) => !/__proto__|constructor|prototype/.test(JSON.stringify(value)))
  const object = fc.dictionary(name, json)
  const read = (text: string): unknown => {
    const parsed = parseJsonc(text)
    return parsed.kind === "tree" ? plainValue(parsed.root) : parsed.kind
  }

  test("setting sets this and nothing else", () => {
    fc.assert(
      fc.property(object, name, json, fc.constantFrom(0, 2), (given, key, value, indent) => {
        const edited = editJsonc(JSON.stringify(given, null, indent), [key], value)
        expect(read(edited)).toEqual(JSON.parse(JSON.stringify({ ...given, [key]: value })))
      })
    )
  })

  test("what was set and removed again leaves the text as it was", () => {
    const filled = object.filter((given) => Object.keys(given).length > 0)
    fc.assert(
      fc.property(
        filled,
        fc.array(name, { minLength: 1, maxLength: 2 }),
        json,
        fc.boolean(),
        (given, path, value, isCommented) => {
          const plain = JSON.stringify(given, null, 2).replace(/\n\}$/, isCommented ? " // behind\n}" : "\n}")
          const text = `{\n  // all\n  "one": { "line": 1 },\n  "given": ${plain}\n}\n`
          const place = ["new", ...path]
          expect(removeJsonc(editJsonc(text, place, value), place)).toBe(text)
        }
      )
    )
  })

  test("removing removes this and nothing else, and leaves JSON that others can read", () => {
    fc.assert(
      fc.property(object, name, fc.constantFrom(0, 2), (given, key, indent) => {
        const { [key]: _, ...rest } = given
        const edited: unknown = JSON.parse(editJsonc(JSON.stringify(given, null, indent), [key], undefined))
        expect(edited).toEqual(JSON.parse(JSON.stringify(rest)))
      })
    )
  })
})
