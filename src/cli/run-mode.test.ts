import { describe, expect, test } from "bun:test"
import { Either } from "effect"
import { chooseMode, type LaunchContext, type RunMode } from "./run-mode.ts"

const terminal: LaunchContext = { env: {}, stdinIsTerminal: true, stdoutIsTerminal: true }
const nothing = { words: [], acp: false, estimate: false, code: false }
const headless = (prompt: string | undefined): RunMode => ({ _tag: "Headless", prompt })
const interactive = (firstPrompt: string | undefined, fromWords = false): RunMode => ({
  _tag: "Interactive",
  firstPrompt,
  fromWords
})

describe("mode", () => {
  test.each<[string, Parameters<typeof chooseMode>[0], LaunchContext, RunMode]>([
    ["a terminal and no prompt", nothing, terminal, interactive(undefined)],
    ["words on a terminal", { ...nothing, words: ["fix", "it"] }, terminal, interactive("fix it", true)],
    ["-p on a terminal", { ...nothing, prompt: "x" }, terminal, headless("x")],
    ["an empty -p", { ...nothing, prompt: "" }, terminal, headless(undefined)],
    ["-i on a terminal", { ...nothing, promptInteractive: "x" }, terminal, interactive("x")],
    [
      "-i with stdout in a file",
      { ...nothing, promptInteractive: "x" },
      { ...terminal, stdoutIsTerminal: false },
      interactive("x")
    ],
    ["an estimate of words", { ...nothing, words: ["a"], estimate: true }, terminal, headless("a")],
    ["an answer of a given form", { ...nothing, words: ["a"], outputSchema: "s.json" }, terminal, headless("a")],
    ["an answer in a file", { ...nothing, words: ["a"], lastMessageFile: "a.md" }, terminal, headless("a")],
    ["piped input", nothing, { ...terminal, stdinIsTerminal: false }, headless(undefined)],
    [
      "words and piped input",
      { ...nothing, words: ["a", "b"] },
      { ...terminal, stdinIsTerminal: false },
      headless("a b")
    ],
    ["stdout in a file", nothing, { ...terminal, stdoutIsTerminal: false }, headless(undefined)],
    ["CI=true", nothing, { ...terminal, env: { CI: "true" } }, headless(undefined)],
    ["CI=1", nothing, { ...terminal, env: { CI: "1" } }, interactive(undefined)],
    ["GITHUB_ACTIONS=true", nothing, { ...terminal, env: { GITHUB_ACTIONS: "true" } }, headless(undefined)],
    [
      "CI under a test rig",
      nothing,
      { ...terminal, env: { CI: "true", GEMINI_CLI_INTEGRATION_TEST: "true" } },
      interactive(undefined)
    ],
    [
      "--acp over pipes",
      { ...nothing, acp: true },
      { env: {}, stdinIsTerminal: false, stdoutIsTerminal: false },
      { _tag: "Editor" }
    ]
  ])("%s", (_, options, around, expected) => expect(chooseMode(options, around)).toEqual(Either.right(expected)))
})

test("-i with piped input ends with code 42 and names the way out", () => {
  const refused = chooseMode({ ...nothing, promptInteractive: "x" }, { ...terminal, stdinIsTerminal: false })
  expect(Either.flip(refused)).toMatchObject({
    right: {
      message: expect.stringContaining("--prompt-interactive flag cannot be used when input is piped"),
      hint: expect.stringContaining("-p"),
      exitCode: 42
    }
  })
})
