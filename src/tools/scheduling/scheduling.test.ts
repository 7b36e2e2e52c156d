import { describe, expect, test } from "bun:test"
import { Effect, FastCheck as fc } from "effect"
import { CallId } from "../../protocol/ids.ts"
import type { Tool, ToolKind } from "../tool.ts"
import { limitOutput, outputFileName } from "./limit-output.ts"
import { replyWithCancellation, replyWithError, replyWithOutput } from "./present-result.ts"
import { batchesOf, topicFirst } from "./turn-calls.ts"

const tool = (name: string, kind: ToolKind): Tool => ({
  name,
  aliases: [],
  classNames: [],
  displayName: name,
  kind,
  description: "",
  params: null,
  prepare: () => Effect.die("not run")
})
const call = (name: string, kind: ToolKind, waitForPrevious?: boolean) => ({ tool: tool(name, kind), waitForPrevious })
const unknown = { tool: undefined, waitForPrevious: undefined }

describe("batches", () => {
  test("neighbours that only look run together, what changes something runs alone", () => {
    const calls = [
      call("a", "read"),
      call("b", "search"),
      call("c", "execute"),
      call("d", "execute"),
      call("e", "read")
    ]
    expect(batchesOf(calls).map((batch) => batch.map(({ tool }) => tool.name))).toEqual([
      ["a", "b"],
      ["c"],
      ["d"],
      ["e"]
    ])
  })
  test("the model's word on the order counts, but two writes never meet", () => {
    const calls = [call("a", "execute", false), call("b", "execute", false), call("c", "read", true)]
    expect(batchesOf(calls).map((batch) => batch.length)).toEqual([2, 1])
    expect(batchesOf([call("replace", "edit", false), call("replace", "edit", false)])).toHaveLength(2)
  })
  test("unknown tools hold nobody up", () => {
    expect(batchesOf([call("a", "read"), unknown, call("b", "read")])).toHaveLength(1)
  })
  test("no call is lost and the order is kept", () => {
    const kinds = fc.constantFrom<ToolKind>("read", "edit", "execute", "other", "fetch")
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, fc.option(fc.boolean(), { nil: undefined }))), (rows) => {
        const calls = rows.map(([kind, wait], index) => call(`t${index}`, kind, wait))
        expect(batchesOf(calls).flat()).toEqual(calls)
      })
    )
  })
  test("topic updates come first", () => {
    expect(topicFirst([{ name: "a" }, { name: "update_topic" }, { name: "b" }]).map(({ name }) => name)).toEqual([
      "update_topic",
      "a",
      "b"
    ])
  })
})

describe("function responses", () => {
  const callId = CallId.make("read_file__1")
  const to = (name: string, nestsMedia = false) => ({ callId, name, nestsMedia })
  const image = { inlineData: { mimeType: "image/png", data: "AA==" } }
  const sound = { inlineData: { mimeType: "audio/mpeg", data: "AA==" } }
  const response = (parts: ReadonlyArray<{ functionResponse?: { response?: unknown } | undefined }>) =>
    parts[0]?.functionResponse?.response

  test("text is output", () => {
    expect(replyWithOutput(to("ls"), "a").parts).toEqual([
      { functionResponse: { id: callId, name: "ls", response: { output: "a" } } }
    ])
    expect(response(replyWithOutput(to("ls"), [{ text: "a" }, { text: "b" }]).parts)).toEqual({ output: "a\nb" })
  })
  test("an image stands beside the response, or in it where the model reads it there", () => {
    const beside = replyWithOutput(to("read_file"), [image])
    expect(beside.parts[1]).toEqual(image)
    expect(response(beside.parts)).toEqual({ output: "Binary content provided (1 item(s))." })
    const nested = replyWithOutput(to("read_file", true), [image])
    expect(nested.parts).toHaveLength(1)
    expect(nested.parts[0]?.functionResponse?.parts).toEqual([image])
  })
  test("sound is handed over after the reply of a read, and left out elsewhere", () => {
    expect(replyWithOutput(to("read_file", true), [sound]).injected).toEqual([sound])
    const other = replyWithOutput(to("mcp_x_y", true), [sound])
    expect(other.injected).toEqual([])
    expect(response(other.parts)).toEqual({
      output: "Audio or video content was left out: it cannot be part of a tool result."
    })
  })
  test("a ready response passes through", () => {
    const ready = [{ functionResponse: { name: "x", response: { a: 1 } } }, { text: "dropped" }]
    expect(response(replyWithOutput(to("x"), ready).parts)).toEqual({ a: 1 })
  })
  test("errors and cancellations say so", () => {
    expect(response(replyWithError(to("x"), "no").parts)).toEqual({ error: "no" })
    expect(response(replyWithCancellation(to("x"), "by the user").parts)).toEqual({
      error: "[Operation Cancelled] by the user"
    })
    expect(response(replyWithCancellation(to("x"), "by the user", "half").parts)).toEqual({
      output: "half",
      error: "[Operation Cancelled] by the user"
    })
  })
})

describe("output limit", () => {
  test("text within the limit is untouched, and no limit means none", () => {
    expect(limitOutput("abc", 3, undefined)).toEqual({ text: "abc", omitted: 0 })
    expect(limitOutput("abc", 0, undefined).text).toBe("abc")
  })
  test("a long text keeps its ends, says what is missing and where the whole is", () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join("\n")
    const { omitted, text } = limitOutput(lines, 1000, "/t/x.txt")
    expect(text).toContain("/t/x.txt")
    expect(text).toContain("line 0\n")
    expect(text.endsWith("line 9999")).toBe(true)
    expect(omitted).toBeGreaterThan(90_000)
    expect(text).toContain(omitted.toLocaleString("en-US"))
  })
  test("what is kept and what is left out make the whole, and characters stay whole", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 50, maxLength: 400 }),
        fc.integer({ min: 10, max: 40 }),
        (text, limit) => {
          const limited = limitOutput(text, limit, undefined)
          const [, head = "", ...rest] = limited.text.split("\n")
          expect(text.startsWith(head)).toBe(true)
          expect(text.endsWith(rest.at(-1) ?? "")).toBe(true)
          expect(limited.text.isWellFormed()).toBe(text.isWellFormed())
        }
      )
    )
  })
  test("file names are safe and not doubled", () => {
    expect(outputFileName("run_shell_command", "run_shell_command__a/../b")).toBe("run_shell_command__a_b.txt")
    expect(outputFileName("ls", "X:1")).toBe("ls_x_1.txt")
  })
})
