import { expect, test } from "bun:test"
import type { ProtocolEvent } from "../protocol/event.ts"
import { CallId, PromptId } from "../protocol/ids.ts"
import { NO_USAGE } from "../protocol/usage.ts"
import { type Activity, activitiesOf } from "./activity.ts"

const callId = CallId.make("c1")

test("a prompt with a call is told as it goes on", () => {
  const events: ReadonlyArray<ProtocolEvent> = [
    { _tag: "UserMessage", promptId: PromptId.make("p"), text: "hi" },
    { _tag: "Text", text: "one" },
    { _tag: "Text", text: "two" },
    { _tag: "ToolRequested", callId, name: "read_file", args: {} },
    { _tag: "RequestFinished", model: "m", role: "utility_router", durationMs: 1, usage: NO_USAGE },
    { _tag: "RequestFinished", model: "m", role: "main", durationMs: 1, usage: NO_USAGE },
    { _tag: "ToolFinished", callId, name: "read_file", status: "success", output: "", durationMs: 1 },
    { _tag: "Thought", subject: "", description: "" }
  ]
  const seen: Array<Activity> = []
  let isStreaming = false
  for (const event of events) {
    const read = activitiesOf(event, isStreaming)
    seen.push(...read.activities)
    isStreaming = read.isStreaming
  }
  expect(seen).toEqual([
    "user_input_end",
    "message_added",
    "stream_start",
    "tool_call_scheduled",
    "stream_end",
    "message_added",
    "tool_call_completed",
    "stream_start"
  ])
})
