/** The decision table: how a program ended, by what it wrote. */
import { describe, expect, test } from "bun:test"
import { type HookEnd, type HookResult, resultOf } from "./result.ts"

const exited = (code: number, stdout: string, stderr = ""): HookEnd => ({ _tag: "Exited", code, stdout, stderr })
const killed = (stdout: string): HookEnd => ({ _tag: "Signalled", signal: "SIGSEGV", stdout, stderr: "" })
const hook = { event: "BeforeTool", failsClosed: false } as const

const fine = (output?: HookResult["output"]): HookResult => ({ output, succeeded: true, trouble: undefined })
const denied = (reason: string, more: object = {}): HookResult => ({
  output: { ...more, decision: "deny", reason },
  succeeded: false,
  trouble: undefined
})
const failed = (trouble: string, output?: HookResult["output"]): HookResult => ({ output, succeeded: false, trouble })

const TABLE: ReadonlyArray<readonly [what: string, end: HookEnd, result: HookResult]> = [
  ["0, an answer", exited(0, '{"decision":"block","reason":"no"}'), fine({ decision: "deny", reason: "no" })],
  ["0, an answer on stderr", exited(0, "", '{"decision":"ask"}'), fine({ decision: "ask" })],
  ["0, an answer inside a JSON string", exited(0, JSON.stringify('{"continue":false}')), fine({ continue: false })],
  ["0, plain words", exited(0, " hello \n"), fine({ systemMessage: "hello" })],
  ["0, a JSON list", exited(0, "[1]"), fine({ systemMessage: "[1]" })],
  ["0, nothing", exited(0, " \n"), fine()],
  [
    "0, half an answer",
    exited(0, '{"decision":"deny"'),
    failed('its output begins like JSON but is none: {"decision":"deny"')
  ],
  ["1, an answer", exited(1, '{"decision":"deny"}'), failed("it ended with exit code 1", { decision: "deny" })],
  ["1, plain words", exited(1, "", "boom"), failed("it ended with exit code 1: boom")],
  ["1, nothing", exited(1, ""), failed("it ended with exit code 1")],
  ["2, an answer", exited(2, '{"reason":"why"}', "words"), denied("why")],
  ["2, an answer that allows", exited(2, '{"decision":"allow","stopReason":"x"}'), denied("x", { stopReason: "x" })],
  [
    "2, an answer without a reason",
    exited(2, '{"systemMessage":"m"}', "words"),
    denied("words", { systemMessage: "m" })
  ],
  ["2, plain words on both", exited(2, "out", "err"), denied("err")],
  ["2, plain words on stdout", exited(2, "out"), denied("out")],
  ["2, nothing", exited(2, ""), denied("the hook gave no reason")],
  ["3, plain words", exited(3, "x"), failed("it ended with exit code 3: x")],
  ["3, an answer", exited(3, '{"decision":"ask"}'), failed("it ended with exit code 3", { decision: "ask" })],
  ["signal, an answer", killed('{"decision":"deny"}'), failed("it was ended by SIGSEGV", { decision: "deny" })],
  ["signal, plain words", killed("x"), failed("it was ended by SIGSEGV: x")],
  ["signal, nothing", killed(""), failed("it was ended by SIGSEGV")],
  ["timeout", { _tag: "TimedOut", limitMs: 5 }, failed("it took longer than 5 ms and was ended")],
  ["not started", { _tag: "NotStarted", detail: "ENOENT" }, failed("it could not be started: ENOENT")]
]

describe("exit code and output", () => {
  test.each(TABLE)("%s", (_, end, result) => expect(resultOf(end, hook)).toEqual(result))
})

describe("a hook that must not fail", () => {
  const strict = { event: "BeforeTool", failsClosed: true } as const
  const ENDS: ReadonlyArray<HookEnd> = [
    { _tag: "TimedOut", limitMs: 5 },
    { _tag: "NotStarted", detail: "x" },
    { _tag: "Changed" },
    killed(""),
    exited(1, "traceback"),
    exited(0, '{"half')
  ]
  test.each(ENDS)("refuses when it does: %j", (end) => {
    expect(resultOf(end, strict).output).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("must not fail")
    })
  })
  test("its answer counts, however it ended", () => {
    expect(resultOf(exited(1, '{"decision":"allow"}'), strict).output).toEqual({ decision: "allow" })
  })
  test("where nothing can be refused any more, it is a warning as any other", () => {
    expect(resultOf(exited(1, ""), { ...strict, event: "AfterTool" }).output).toBeUndefined()
  })
})

test("fields of a wrong kind are left out and named", () => {
  const { output, trouble } = resultOf(
    exited(0, '{"continue":"no","decision":"maybe","reason":5,"systemMessage":"m"}'),
    hook
  )
  expect(output).toEqual({ systemMessage: "m" })
  expect(trouble).toContain("continue must be true or false")
  expect(trouble).toContain('decision cannot be "maybe"')
  expect(trouble).toContain("reason must be a string")
})

test("a guard that is no longer what was accepted leaves the call to a person; elsewhere it is a warning", () => {
  const { output, succeeded, trouble } = resultOf({ _tag: "Changed" }, hook)
  expect([output?.decision, succeeded]).toEqual(["ask", false])
  expect(trouble).toContain("has changed since it was accepted")
  expect(resultOf({ _tag: "Changed" }, { ...hook, event: "AfterTool" }).output).toBeUndefined()
})
