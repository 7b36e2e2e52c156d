import { describe, expect, test } from "bun:test"
import { FastCheck as fc, Option } from "effect"
import { subcommands } from "./generated/subcommands.ts"
import { matchSubcommand } from "./match-subcommand.ts"

const match = (...argv: ReadonlyArray<string>) =>
  Option.getOrNull(
    Option.map(matchSubcommand(argv), ({ subcommand, args, debug }) => ({ name: subcommand.name, args, debug }))
  )

describe("sub-commands", () => {
  test.each<[string, string, ReadonlyArray<string>, boolean]>([
    ["mcp", "mcp", [], false],
    ["mcp list", "mcp", ["list"], false],
    ["mcp servers are nice", "mcp", ["servers", "are", "nice"], false],
    ["extension list", "extensions", ["list"], false],
    ["skill list", "skills", ["list"], false],
    ["hook migrate", "hooks", ["migrate"], false],
    ["gemma start", "gemma", ["start"], false],
    ["--debug mcp list", "mcp", ["list"], true],
    ["-d config list", "config", ["list"], true],
    ["--debug=false mcp", "mcp", [], false],
    ["--debug false mcp", "mcp", [], false],
    ["--debug true mcp", "mcp", [], true],
    ["--no-debug mcp", "mcp", [], false],
    ["undo", "undo", [], false],
    ["undo list", "undo", ["list"], false],
    ["undo --json", "undo", ["--json"], false],
    ["undo 0b6c9a52-1 --yes", "undo", ["0b6c9a52-1", "--yes"], false],
    ["config get model.name", "config", ["get", "model.name"], false],
    ["sessions 0b6c9a52-7e5e-4b57-9a31-6a2d2c0f9e11", "sessions", ["0b6c9a52-7e5e-4b57-9a31-6a2d2c0f9e11"], false]
  ])("%s", (line, name, args, debug) => expect(match(...line.split(" "))).toEqual({ name, args, debug }))
})

describe("prompts", () => {
  test.each([
    "undo my last commit",
    "undo 2 commits",
    "sessions 0b6c9a52-1",
    "config files are where?",
    "sessions of parliament",
    "stats 0 and 1",
    "doctor 0b6c9a52-7e5e-4b57-9a31-6a2d2c0f9e11",
    "explain mcp",
    "-m pro mcp list",
    "-- mcp list",
    "mcps",
    ""
  ])("%s", (line) => expect(match(...line.split(" "))).toBeNull())
})

test("no everyday word takes a prompt away", () => {
  const exact = subcommands.filter((row) => row.matching === "exact")
  const prose = fc.stringMatching(/^[A-Z][a-z]{0,10}$/)
  fc.assert(
    fc.property(fc.constantFrom(...exact), prose, (row, word) => expect(match(row.name, word, "please")).toBeNull())
  )
})

test("names and verbs are unique", () => {
  const names = subcommands.flatMap((row) => [row.name, ...row.aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const row of subcommands) expect(new Set(row.verbs).size).toBe(row.verbs.length)
})
