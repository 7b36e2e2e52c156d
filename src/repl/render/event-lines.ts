/** Lines of events that are told in words: notices, refusals, retries, thoughts, citations. Pure. */
import { readableLine, readableLines } from "../../kernel/readable-text.ts"
import { elapsedText } from "../../kernel/status-text.ts"
import type { EventOf, ProtocolEvent, SubagentEvent } from "../../protocol/event.ts"
import { haltText } from "../../protocol/outcome.ts"
import { cutLine, type Frame, wordRows } from "./framed.ts"
import { marksFor } from "./marks.ts"
import type { Ink } from "./paint.ts"

/** What the settings leave to taste. */
export interface TranscriptSettings {
  /** `ui.inlineThinkingMode` is `full`. */
  readonly showsThoughts: boolean
  /** `ui.showCitations`. */
  readonly showsCitations: boolean
  /** `ui.showModelInfoInChat`. */
  readonly showsModel: boolean
  /** `ui.errorVerbosity` is `full`: faults that were overcome are told, too. */
  readonly showsRecovered: boolean
  /** `ui.hideFooter` is off. */
  readonly showsFooter: boolean
  /** `ui.footer.hideModelInfo`. */
  readonly hidesFooterModel: boolean
  /** `tools.shell.enableInteractiveShell`. */
  readonly typesToCommands?: boolean
}

/** Empty for events that are shown in another way, or not at all. */
export const eventLines = (event: ProtocolEvent, settings: TranscriptSettings, frame: Frame): ReadonlyArray<string> => {
  switch (event._tag) {
    case "Notice":
      return noticeLines(event, frame)
    case "PermissionDenied":
      return marked(denialText(event), "yellow", frame)
    case "RetryScheduled":
      return settings.showsRecovered ? marked(retryText(event), "yellow", frame) : []
    case "TurnRestarted":
      return marked(`the answer up to here does not count: ${event.reason}`, "yellow", frame)
    case "ModelChosen":
      return settings.showsModel ? dimmed(`model: ${event.model}`, frame) : []
    case "Thought":
      return settings.showsThoughts ? thoughtLines(event, frame) : []
    case "Citation":
      return settings.showsCitations ? dimmed(event.text, frame) : []
    case "ChatCompressed":
      return event.status === "COMPRESSED" ? marked(compressedText(event), "cyan", frame) : []
    case "Subagent":
      return subagentLines(event, frame)
    case "RunHalted":
      return marked(haltText(event), "yellow", frame)
    case "HookStarted":
    case "HookFinished":
    case "RunStarted":
    case "UserMessage":
    case "ModelRouted":
    case "Text":
    case "ToolRequested":
    case "ToolStarted":
    case "ToolProgress":
    case "ToolFinished":
    case "ToolsHidden":
    case "RequestFinished":
    case "RequestFailed":
    case "AnswerRejected":
    case "TurnFinished":
    case "StructuredAnswer":
    case "RequestEstimated":
      return []
  }
}

const compressedText = ({ newTokens, originalTokens, windowTokens }: EventOf<"ChatCompressed">): string => {
  const share = (tokens: number) => `${Math.round((100 * tokens) / windowTokens)} %`
  return `Chat history compressed: from ${share(originalTokens)} to ${share(newTokens)} of the context window`
}

const noticeLines = ({ message, severity }: EventOf<"Notice">, frame: Frame): ReadonlyArray<string> => {
  const inks = { info: "cyan", warning: "yellow", error: "red" } as const
  return marked(message, inks[severity], frame, severity === "error" ? marksFor(frame).failed : undefined)
}

const denialText = ({ allowWith, reason, toolName }: EventOf<"PermissionDenied">): string =>
  `${toolName} was refused: ${reason}${allowWith === undefined ? "" : ` (to allow it: ${allowWith})`}`

const retryText = ({ attempt, delayMs, maxAttempts, reason }: EventOf<"RetryScheduled">): string =>
  `${reason}; attempt ${attempt + 1} of ${maxAttempts} in ${elapsedText(delayMs)}`

const thoughtLines = ({ description, subject }: EventOf<"Thought">, frame: Frame): ReadonlyArray<string> =>
  [...(subject === "" ? [] : [readableLine(subject)]), ...readableLines(description)].flatMap((line) =>
    wordRows(line, frame, frame.columns - 3).map((row) => `  ${frame.paint(row, "dim", "italic")}`)
  )

const dimmed = (text: string, frame: Frame): ReadonlyArray<string> =>
  readableLines(text).flatMap((line) =>
    wordRows(line, frame, frame.columns - 1).map((row) => ` ${frame.paint(row, "dim")}`)
  )

/** A mark, then the words; further rows hang below them. */
const marked = (text: string, ink: Ink, frame: Frame, mark = marksFor(frame).note): ReadonlyArray<string> =>
  readableLines(text)
    .flatMap((line) => wordRows(line, frame, frame.columns - 3))
    .map((row, index) => `${index === 0 ? frame.paint(mark, ink) : " "} ${row}`)

/** What a sub-agent does: one indented line for each of its calls and its end. Pure. */
const subagentLines = ({ agent, event }: EventOf<"Subagent">, frame: Frame): ReadonlyArray<string> => {
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
