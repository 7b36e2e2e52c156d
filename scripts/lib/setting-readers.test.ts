import { expect, test } from "bun:test"
import { Schema } from "effect"
import { fieldNames, propertiesRead, readersIn, settingFaults, unread } from "./setting-readers.ts"

const readers = readersIn(
  "x.ts",
  // A comment, a string and another method are no readers.
  'settings.get("a.one"); get("a.two"); settings.get(`hooks.$' +
    '{event}`) // settings.get("a.three")\nexplain("a.four")'
)

const row = (key: string, more: { isForScreen?: boolean; isUnsupported?: boolean } = {}) => ({
  key,
  isForScreen: false,
  isUnsupported: false,
  ...more
})

test("a setting has a reader, or says that it has none", () => {
  const rows = [row("a.one"), row("a.two"), row("hooks.Start"), row("a.four", { isUnsupported: true })]
  expect(settingFaults([...rows, row("ui.x", { isForScreen: true })], readers)).toEqual([])
  expect(settingFaults([row("a.three"), row("a.four")], readers)).toEqual([
    "a.three is read by nobody: say so in its row (unsupported)",
    "a.four is read by nobody: say so in its row (unsupported)"
  ])
  expect(settingFaults([row("a.one", { isUnsupported: true })], readers)).toEqual([
    "a.one is read, and its row says that it is not"
  ])
})

test("a field that no reader names is told", () => {
  const text =
    'const f = ({ one, two: other }, o) => [o.three, o["four"], textOf(o, "five")]; const g = { six: 1 } // o.seven'
  const files = new Map([["src/a/x.ts", propertiesRead("x.ts", text)]])
  const names = ["one", "two", "three", "four", "five", "six", "seven"]
  expect(unread({ what: "file", names, within: ["src/a/"] }, files)).toEqual([
    "file: six is read by nobody",
    "file: seven is read by nobody"
  ])
  expect(unread({ what: "file", names: ["one"], within: ["src/b/"] }, files)).toEqual(["file: one is read by nobody"])
})

test("fields are found at every depth", () => {
  const schema = Schema.Struct({
    a: Schema.optional(Schema.Array(Schema.Struct({ b: Schema.String }))),
    c: Schema.Record({ key: Schema.String, value: Schema.Union(Schema.Struct({ d: Schema.Number }), Schema.String) })
  })
  expect(fieldNames(schema.ast)).toEqual(["a", "b", "c", "d"])
})
