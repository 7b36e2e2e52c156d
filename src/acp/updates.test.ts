/** What an editor is told of a run: each event as an update, or nothing. */
import { describe, expect, test } from "bun:test"
import type { ProtocolEvent } from "../protocol/event.ts"
import { CallId } from "../protocol/ids.ts"
import { makeUpdates } from "./updates.ts"

const updates = (takes = { notices: false, compaction: false }) =>
  makeUpdates({
    cwd: "/work",
    toolOf: (name) => (name === "mcp_s_t" ? { displayName: "t", server: "s" } : undefined),
    takes
  })

const callId = CallId.make("run_shell_command__1")
const requested: ProtocolEvent = {
  _tag: "ToolRequested",
  callId,
  name: "run_shell_command",
  args: { command: "make" }
}

describe("a call", () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ["read_file", { file_path: "/work/src/a.ts" }, "src/a.ts", "read"],
    ["write_file", { file_path: "a.ts" }, "Writing to a.ts", "edit"],
    ["replace", { file_path: "/elsewhere/a.ts" }, "/elsewhere/a.ts", "edit"],
    ["run_shell_command", { command: "make all" }, "make all", "execute"],
    ["list_directory", { dir_path: "." }, ".", "search"],
    ["mcp_s_t", {}, "t (s MCP Server)", "other"],
    ["toString", {}, "toString", "other"]
  ])("%s %j", (name, args, title, kind) => {
    const [update] = updates().of({ _tag: "ToolRequested", callId, name, args }, 0)
    expect(update).toMatchObject({ sessionUpdate: "tool_call", status: "pending", title, kind, rawInput: args })
  })

  test("live output comes four times a second at most, its end is kept, and a cancel ends it", () => {
    const { abandon, of } = updates()
    of(requested, 0)
    const shown = [0, 100, 249, 250, 400, 500].filter(
      (now) => of({ _tag: "ToolProgress", callId, output: `${now}` }, now).length > 0
    )
    expect(shown).toEqual([0, 250, 500])
    const [long] = of({ _tag: "ToolProgress", callId, output: `${"x".repeat(200_000)}end` }, 1_000)
    const text = JSON.stringify(long)
    expect(text.length).toBeLessThan(101_000)
    expect(text).toContain("end")
    expect(abandon()).toMatchObject([{ toolCallId: callId, status: "failed" }])
    expect(abandon()).toEqual([])
  })

  test("output of a call that nobody asked for is nobody's", () => {
    expect(updates().of({ _tag: "ToolProgress", callId, output: "x" }, 0)).toEqual([])
  })
})

test("notices go to editors that take them", () => {
  const notice: ProtocolEvent = { _tag: "Notice", severity: "warning", message: "look" }
  expect(updates().of(notice, 0)).toEqual([])
  expect(updates({ notices: true, compaction: false }).of(notice, 0)).toEqual([
    { sessionUpdate: "notice", severity: "warning", title: "look" }
  ])
})
