/** What a sub-agent does: one indented line for each of its calls and its end. Pure. */
import { readableLine } from "../../kernel/readable-text.ts"
import { elapsedText } from "../../kernel/status-text.ts"
import type { EventOf, SubagentEvent } from "../../protocol/event.ts"
import { cutLine, type Frame } from "./framed.ts"
import { marksFor } from "./marks.ts"

export const subagentLines = ({ agent, event }: EventOf<"Subagent">, frame: Frame): ReadonlyArray<string> => {
  const words = wordsOf(event)
  if (words === undefined) return []
  const marks = marksFor(frame)
  const text = `${readableLine(agent)} ${marks.separator} ${readableLine(words)}`
  return [`  ${frame.paint(cutLine(text, Math.max(10, frame.columns - 3), marks), "dim")}`]
}

const wordsOf = (event: SubagentEvent): string | undefined => {
  switch (event._tag) {
    case "ToolFinished": {
      const what = [event.displayName ?? event.name, event.description ?? ""].join(" ").trim()
      return event.status === "success" ? what : `${what}: ${event.error?.message ?? event.output}`
    }
    case "Notice":
      return event.severity === "info" ? undefined : event.message
    case "RetryScheduled":
      return `attempt ${event.attempt + 1} of ${event.maxAttempts} in ${elapsedText(event.delayMs)}: ${event.reason}`
    case "AgentRecovery":
      return `${event.reason}: one more turn to report`
    case "AgentFinished":
      return `${event.reason} after ${event.turns} turn${event.turns === 1 ? "" : "s"}, ${elapsedText(event.durationMs)}`
    case "AgentStarted":
    case "Thought":
    case "Text":
    case "ToolRequested":
    case "ToolStarted":
      return undefined
  }
}
