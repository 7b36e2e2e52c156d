import { describe, expect, test } from "bun:test"
import { Effect, Either } from "effect"
import { ignoredArguments, presentArguments } from "./argument-names.ts"

const read = (tool: string, args: Record<string, unknown>) =>
  Either.merge(Either.mapLeft(Effect.runSync(Effect.either(presentArguments(tool, args))), ({ message }) => message))

describe("names that models know from elsewhere", () => {
  const table: ReadonlyArray<[string, Record<string, unknown>, unknown]> = [
    ["read_file", { path: "a", offset: 0, limit: 5 }, { file_path: "a", start_line: 1, end_line: 5 }],
    ["read_file", { file_path: "a", offset: 10 }, { file_path: "a", start_line: 11 }],
    ["read_file", { file_path: "a", limit: 3 }, { file_path: "a", start_line: 1, end_line: 3 }],
    ["read_file", { file_path: "a", offset: -1 }, "offset must be a whole number from 0 on."],
    ["read_file", { file_path: "a", limit: 0 }, "limit must be a whole number from 1 on."],
    [
      "read_file",
      { file_path: "a", limit: 1, start_line: 2 },
      "Give start_line and end_line, or offset and limit, not both."
    ],
    ["run_shell_command", { command: "ls", directory: "x" }, { command: "ls", dir_path: "x" }],
    ["run_shell_command", { command: "ls", run_in_background: true }, { command: "ls", is_background: true }],
    ["replace", { path: "a", replace_all: true }, { file_path: "a", allow_multiple: true }],
    ["write_file", { path: "a", content: "" }, { file_path: "a", content: "" }],
    ["elsewhere", { path: "a", toString: 1 }, { path: "a", toString: 1 }]
  ]
  for (const [tool, args, expected] of table)
    test(`${tool} ${JSON.stringify(args)}`, () => expect<unknown>(read(tool, args)).toEqual(expected))

  test("where both are given ours counts, and the other is left over to be named", () =>
    expect<unknown>(read("replace", { path: "b", file_path: "a" })).toEqual({ path: "b", file_path: "a" }))
})

describe("arguments that nobody reads", () => {
  const call = (args?: Record<string, unknown>) => ({
    description: "",
    locations: [],
    confirmation: Effect.succeed(null),
    run: () => Effect.never,
    ...(args === undefined ? {} : { args })
  })

  test("are named", () =>
    expect(ignoredArguments({ a: 1, b: 2, wait_for_previous: true }, call({ a: 1 }))).toEqual([
      'Ignored, because this tool has no such argument: "b".'
    ]))

  test("are somebody else's business where somebody else reads them", () =>
    expect(ignoredArguments({ a: 1 }, call())).toEqual([]))
})
