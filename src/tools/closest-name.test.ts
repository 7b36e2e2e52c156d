import { expect, test } from "bun:test"
import { closestNames, unknownToolMessage } from "./closest-name.ts"

test("the closest names come nearest first, and no more than three", () => {
  const names = ["write_file", "read_file", "glob", "read_many_files", "replace"]
  expect(closestNames("read_fil", names)).toEqual(["read_file", "write_file", "replace"])
})

test("an unknown tool is answered with names that exist", () => {
  expect(unknownToolMessage("golb", ["glob", "replace"])).toBe(
    'Tool "golb" not found. The closest available names are: "glob", "replace".'
  )
  expect(unknownToolMessage("x", [])).toBe('Tool "x" not found. No tools are available.')
})
