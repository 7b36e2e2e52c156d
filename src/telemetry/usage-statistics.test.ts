import { expect, test } from "bun:test"
import { usageEvent } from "./usage-statistics.ts"

test("numbers and words of the program are sent, and nothing that anybody said", () => {
  const entry = {
    name: "gemini_cli.tool_call" as const,
    body: "Tool call: secret_tool.",
    attributes: {
      function_name: "secret_tool",
      function_args: '{"a":"secret"}',
      error: "secret",
      "error.message": "secret",
      metadata: "secret",
      prompt_id: "secret",
      mcp_server_name: "secret",
      success: true,
      duration_ms: 12,
      decision: "accept",
      tool_type: "native"
    }
  }
  const event = usageEvent(entry, 0)
  expect(event).toEqual({
    name: "tool_call",
    time: "1970-01-01T00:00:00.000Z",
    attributes: { success: true, duration_ms: 12, decision: "accept", tool_type: "native" }
  })
  expect(JSON.stringify(event)).not.toContain("secret")
})
