import { describe, expect, test } from "bun:test"
import { Either, FastCheck as fc } from "effect"
import { readCommandLine } from "./command-line.ts"
import { rootOptions } from "./option-table.ts"
import type { LaunchContext } from "./run-mode.ts"

const piped: LaunchContext = { env: {}, stdinIsTerminal: false, stdoutIsTerminal: false }
const terminal: LaunchContext = { env: {}, stdinIsTerminal: true, stdoutIsTerminal: true }

const tagOf = (argv: ReadonlyArray<string>, around = piped) =>
  Either.match(readCommandLine(argv, around), { onLeft: ({ message }) => message, onRight: ({ _tag }) => _tag })

describe("what is asked for", () => {
  test.each<[ReadonlyArray<string>, string]>([
    [["-p", "x"], "Run"],
    [["just", "words"], "Run"],
    [["-p", "x", "--help"], "Help"],
    [["-p", "x", "-v"], "Version"],
    [["--bogus", "--help"], "Help"],
    [["-h", "-v"], "Help"],
    [["--bogus", "--", "--help"], "Unknown option --bogus"],
    [["config", "list"], "Subcommand"],
    [["config", "--help"], "Subcommand"],
    [["-m", "pro", "mcp", "list"], "mcp is a sub-command and must come first"],
    [["--", "mcp", "list"], "Run"],
    [["-m", "pro", "undo", "list"], "Run"]
  ])("%j", (argv, expected) => expect(tagOf(argv)).toBe(expected))
})

describe("features that do not work yet", () => {
  test("switching one off is no use of it", () => expect(tagOf(["-p", "x", "--no-acp"])).toBe("Run"))
  test("a conflict or wrong input is reported first", () => {
    expect(Either.flip(readCommandLine(["-i", "x"], piped))).toMatchObject({ right: { exitCode: 42 } })
    expect(tagOf(["-i", "x", "-p", "y"])).toBe("--prompt and --prompt-interactive exclude each other")
  })
})

test("the options and the mode of a run", () => {
  expect(readCommandLine(["-p", "x", "-ojson"], piped)).toMatchObject({
    right: { options: { prompt: "x", outputFormat: "json" }, mode: { _tag: "Headless", prompt: "x" } }
  })
})

test("at a terminal a conversation begins, with or without a first prompt", () => {
  const modeOf = (...argv: ReadonlyArray<string>) =>
    Either.map(readCommandLine(argv, terminal), (command) => (command._tag === "Run" ? command.mode : undefined))
  expect(modeOf()).toEqual(Either.right({ _tag: "Interactive", firstPrompt: undefined, fromWords: false }))
  expect(modeOf("-i", "x")).toEqual(Either.right({ _tag: "Interactive", firstPrompt: "x", fromWords: false }))
  expect(modeOf("fix", "it")).toEqual(Either.right({ _tag: "Interactive", firstPrompt: "fix it", fromWords: true }))
})

test("no command line breaks it", () => {
  const flags = rootOptions.flatMap((row) => [`--${row.long}`, `-${row.short ?? "d"}`])
  const token = fc.oneof(fc.string(), fc.constantFrom(...flags, "--", "mcp", "config", "list", "true", "3"))
  fc.assert(
    fc.property(fc.array(token), fc.constantFrom(piped, terminal), (argv, around) => void readCommandLine(argv, around))
  )
})
