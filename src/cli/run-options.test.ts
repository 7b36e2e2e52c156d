import { describe, expect, test } from "bun:test"
import { Duration, Either } from "effect"
import { propertyOf } from "./option-row.ts"
import { rootOptions } from "./option-table.ts"
import { parseArgv } from "./parse-argv.ts"
import { decodeRunOptions, RunOptions, stdinTimeoutOf } from "./run-options.ts"

const read = (...argv: ReadonlyArray<string>) => Either.flatMap(parseArgv(rootOptions, argv), decodeRunOptions)
const options = (...argv: ReadonlyArray<string>) => Either.getOrThrowWith(read(...argv), (error) => error)
const refusal = (...argv: ReadonlyArray<string>) => {
  const { message, hint } = Either.getOrThrowWith(Either.flip(read(...argv)), () => new Error("was accepted"))
  return { message, hint }
}

test("every row of the table has its field, and every field its row", () => {
  const handledBefore = ["version", "help", "yolo"]
  const rows = rootOptions.map((row) => propertyOf(row.long)).filter((property) => !handledBefore.includes(property))
  const fields = Object.keys(RunOptions.fields).filter((field) => field !== "words")
  expect(fields.toSorted()).toEqual(rows.toSorted())
})

test("nothing given is all defaults", () => {
  expect(options()).toEqual({
    words: [],
    allFiles: false,
    replayTools: false,
    replayGaps: false,
    code: false,
    strictInput: false,
    quiet: false,
    verbose: false,
    noProgress: false,
    noTools: false,
    ephemeral: false,
    strictMcpConfig: false,
    estimate: false,
    rawOutput: false,
    acceptRawOutputRisk: false,
    skipTrust: false,
    failOnDenied: false,
    ignoreEnv: false,
    bare: false,
    continue: false,
    fork: false,
    listSessions: false,
    listExtensions: false,
    acp: false,
    demo: false,
    debug: false,
    profile: false,
    ideMode: false
  })
})

describe("values", () => {
  test.each<[ReadonlyArray<string>, Partial<RunOptions>]>([
    [["-m", "  pro "], { model: "pro" }],
    [["--max-turns", "3"], { maxTurns: 3 }],
    [["--max-cost", "0.25"], { maxCost: 0.25 }],
    [["--max-time", "90"], { maxTime: Duration.seconds(90) }],
    [["--max-time", "10m"], { maxTime: Duration.minutes(10) }],
    [["--stdin-timeout", "0"], { stdinTimeout: Duration.zero }],
    [["--on-quota", "wait"], { onQuota: { action: "wait" } }],
    [["--on-quota", "fallback:flash"], { onQuota: { action: "fallback", model: "flash" } }],
    [["--resume"], { resume: "latest" }],
    [["--resume", "3"], { resume: "3" }],
    [["-y"], { approvalMode: "yolo" }],
    [["--no-yolo", "--approval-mode", "plan"], { approvalMode: "plan" }],
    [["--sandbox=bwrap"], { sandbox: "bwrap" }],
    [["--no-sandbox"], { sandbox: false }]
  ])("%j", (argv, expected) => expect(options(...argv)).toEqual({ ...options(), ...expected }))

  test("a blank model is no model", () => expect(options("-m", " ")).not.toHaveProperty("model"))
  test("--no-yolo asks for no mode", () => expect(options("--no-yolo")).not.toHaveProperty("approvalMode"))
})

describe("refused values name the flag, the value and the way out", () => {
  test.each<[string, string, string]>([
    ["--max-turns", "0", "Write a whole number from 1 up."],
    ["--max-turns", "1.5", "Write a whole number from 1 up."],
    ["--max-turns", "ten", "Write a whole number from 1 up."],
    [
      "--max-time",
      "soon",
      "Write a time such as 500ms, 90s, 10m or 1h; a bare number is seconds. It must be above zero."
    ],
    [
      "--max-time",
      "0s",
      "Write a time such as 500ms, 90s, 10m or 1h; a bare number is seconds. It must be above zero."
    ],
    ["--stdin-timeout", "x", "Write a time such as 500ms, 90s, 10m or 1h; a bare number is seconds."],
    ["--max-cost", "$1", "Write an amount in US dollars above zero, such as 0.50."],
    ["--on-quota", "stop", "Write fail, wait, fallback or fallback:MODEL."],
    ["--session-id", "a b", "only letters, digits, - and _ may stand in a session id"],
    ["--session-id", "", "only letters, digits, - and _ may stand in a session id"]
  ])("%s %j", (flag, value, hint) => {
    expect(refusal(flag, value)).toEqual({ message: `${flag} cannot be "${value}"`, hint })
  })
})

describe("conflicts", () => {
  test.each<[ReadonlyArray<string>, string]>([
    [["-p", "a", "b", "c"], 'A prompt was given twice: by --prompt and by the words "b c"'],
    [["-i", "a", "b"], 'A prompt was given twice: by --prompt-interactive and by the words "b"'],
    [["-p", "a", "-i", "b"], "--prompt and --prompt-interactive exclude each other"],
    [["-p", "", "-i", "b"], "--prompt and --prompt-interactive exclude each other"],
    [["-y", "--approval-mode", "default"], "--yolo and --approval-mode exclude each other"],
    [["--resume", "--session-id", "x"], "--resume, --session-id and --session-file exclude each other"],
    [["--session-file", "f", "--session-id", "x"], "--resume, --session-id and --session-file exclude each other"],
    [["--continue", "--resume"], "--continue goes on with the last conversation, so it cannot go with --resume"],
    [["--fork"], "--fork needs --resume"],
    [["--demo", "--fake-responses", "f"], "--fake-responses and --demo exclude each other"],
    [["--record", "a", "--replay", "b"], "--record and --replay exclude each other"],
    [["-q", "--verbose"], "--quiet and --verbose exclude each other"],
    [["--tools", "glob", "--no-tools"], "--tools and --no-tools exclude each other"],
    [["-l", "--list-sessions"], "--list-sessions lists and asks nothing, so it cannot go with --list-extensions"],
    [["-p", "a", "--permission-timeout", "5s"], "--permission-timeout needs --permission-prompts stream"]
  ])("%j", (argv, message) => expect(refusal(...argv).message).toBe(message))
})

describe("what has no prompt goes with nothing that needs one", () => {
  const alone = [["--acp"], ["--experimental-acp"], ["--list-sessions"], ["-l"], ["--delete-session", "1"]]
  const ofPrompts = [
    ...[["-p", "a"], ["-i", "a"], ["--file", "f"], ["--estimate"], ["--output-schema", "{}"]],
    ...[["--last-message-file", "f"], ["--code"], ["--events", "f"], ["some", "words"]]
  ]
  test.each(alone.flatMap((one) => ofPrompts.map((other) => [one, other] as const)))("%j with %j", (one, other) =>
    expect(refusal(...one, ...other)).toMatchObject({
      message: expect.stringMatching(/^--[a-z-]+ .*, so it cannot go with (?:--|a prompt in words)/),
      hint: "Leave one of them out."
    })
  )
})

describe("the wait for piped input", () => {
  test("comes from the flag, then the variable, then the setting", () => {
    expect(stdinTimeoutOf({ stdinTimeout: Duration.seconds(1) }, "5s", "7s")).toEqual(Either.right(Duration.seconds(1)))
    expect(stdinTimeoutOf({}, "5s", "7s")).toEqual(Either.right(Duration.seconds(5)))
    expect(stdinTimeoutOf({}, undefined, "7s")).toEqual(Either.right(Duration.seconds(7)))
  })
  test("zero is for ever", () => expect(stdinTimeoutOf({}, "0", "7s")).toEqual(Either.right(Duration.infinity)))
  test("a variable that is not a time is refused by name", () => {
    expect(Either.flip(stdinTimeoutOf({}, "soon", "7s"))).toMatchObject({
      right: { message: 'GEMINI_STDIN_TIMEOUT cannot be "soon"' }
    })
  })
})
