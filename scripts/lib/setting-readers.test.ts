import { expect, test } from "bun:test"
import { readersIn, settingFaults } from "./setting-readers.ts"

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
