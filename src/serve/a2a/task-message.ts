/** What stands in a message to a task: words, answers to questions, and settings for the first one. Pure. */
import { Option, Schema } from "effect"
import type { ApprovalAnswer, ApprovalQuestion, Coverage } from "../../approval/approval.ts"
import type { Confirmation } from "../../protocol/confirmation.ts"

const Settings = Schema.Struct({
  coderAgent: Schema.Struct({
    kind: Schema.Literal("agent-settings"),
    workspacePath: Schema.optional(Schema.String),
    autoExecute: Schema.optional(Schema.Boolean)
  })
})

export interface AgentSettings {
  readonly workspacePath?: string | undefined
  readonly autoExecute?: boolean | undefined
}

/** Of the message or of the request that brings it. Whether a folder is trusted is nothing for a caller to say. */
export const settingsIn = (...metadata: ReadonlyArray<unknown>): AgentSettings =>
  metadata.flatMap((one) => Option.toArray(Schema.decodeUnknownOption(Settings)(one)))[0]?.coderAgent ?? {}

const Answer = Schema.Struct({
  callId: Schema.String,
  outcome: Schema.String,
  newContent: Schema.optional(Schema.NullOr(Schema.String))
})
export type CallAnswer = typeof Answer.Type

interface MessagePart {
  readonly content?: { readonly $case: string; readonly value?: unknown } | undefined
}

export const readMessage = (parts: ReadonlyArray<MessagePart>) => ({
  text: parts
    .flatMap(({ content }) => (content?.$case === "text" && typeof content.value === "string" ? [content.value] : []))
    .join("\n"),
  answers: parts.flatMap(({ content }) =>
    content?.$case === "data" ? Option.toArray(Schema.decodeUnknownOption(Answer)(content.value)) : []
  )
})

interface Offer {
  readonly outcome: string
  readonly covers: Coverage
  readonly keep: "session" | "user"
}

/** In the words of editors: what may be answered beside `proceed_once` and `cancel`. */
const offersOf = ({ confirmation, standing }: ApprovalQuestion): ReadonlyArray<Offer> => {
  const covered = new Set(standing.map(({ covers }) => covers))
  const all: ReadonlyArray<Offer> =
    confirmation.type === "mcp"
      ? [
          { outcome: "proceed_always_server", covers: "server", keep: "session" },
          { outcome: "proceed_always_tool", covers: "call", keep: "session" }
        ]
      : [{ outcome: "proceed_always", covers: covered.has("edits") ? "edits" : "call", keep: "session" }]
  return all.filter(({ covers }) => covered.has(covers))
}

/** `undefined`: nobody could mean that. */
export const approvalOf = (
  { newContent, outcome }: CallAnswer,
  question: ApprovalQuestion
): ApprovalAnswer | undefined => {
  switch (outcome) {
    case "cancel":
      return { _tag: "No", reason: undefined }
    case "proceed_once":
    case "modify_with_editor": {
      const text = newContent ?? undefined
      const isChanged = text !== undefined && question.draft !== undefined && text !== question.draft.text
      return isChanged ? { _tag: "Modified", text, isSettled: true } : { _tag: "Once" }
    }
    default: {
      const offer = offersOf(question).find((one) => one.outcome === outcome)
      return offer === undefined ? undefined : { _tag: "Always", covers: offer.covers, keep: offer.keep }
    }
  }
}

/** The question as the caller sees it. */
export const confirmationDetails = (question: ApprovalQuestion) => ({
  ...detailsOf(question.confirmation),
  why: question.why,
  outcomes: [...offersOf(question).map(({ outcome }) => outcome), "proceed_once", "cancel"]
})

const detailsOf = (confirmation: Confirmation): Readonly<Record<string, unknown>> => {
  if (confirmation.type !== "edit") return { ...confirmation }
  const { fileDiff, fileName, filePath, newContent, originalContent } = confirmation.diff
  return { type: "edit", title: confirmation.title, fileName, filePath, fileDiff, originalContent, newContent }
}
