/**
 * The person at an editor is asked: whether a call may run, what a tool wants to know, whether a plan is good.
 * Whatever is no clear yes (an error, an unknown option, silence of a closed editor) is a no.
 */

import { readFileSync } from "node:fs"
import type {
  CreateElicitationRequest,
  ElicitationPropertySchema,
  PermissionOption,
  ToolCallContent,
  ToolCallUpdate
} from "@agentclientprotocol/sdk"
import { Effect, Either, Layer } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion, type Coverage } from "../approval/approval.ts"
import type { Confirmation } from "../protocol/confirmation.ts"
import { type PlanReview, type Question, UserQuestions } from "../tools/user-questions.ts"
import type { EditorClient } from "./editor-client.ts"
import { titleOf as callTitle, diffContent, kindOf, textContent } from "./tool-view.ts"

export interface PermissionOptions {
  /** Approvals that hold for the session. */
  readonly offersSession: boolean
  /** `security.enablePermanentToolApproval`. */
  readonly offersSaving: boolean
  /** Where saved rules go. */
  readonly savesTo: "user" | "workspace"
  readonly cwd: string
}

export const layer = (client: EditorClient, options: PermissionOptions) =>
  Layer.effect(
    Approval,
    Effect.map(Effect.makeSemaphore(1), (turn) =>
      Approval.of({ ask: (question) => turn.withPermits(1)(askEditor(client, question, options)) })
    )
  )

const askEditor = (client: EditorClient, question: ApprovalQuestion, options: PermissionOptions) => {
  const offers = offersFor(question, options)
  return client
    .askPermission({ toolCall: callOf(question, options), options: offers.map(({ option }) => option) })
    .pipe(
      Effect.map(({ outcome }): ApprovalAnswer => {
        const chosen =
          outcome.outcome === "selected" ? offers.find(({ option }) => option.optionId === outcome.optionId) : undefined
        return chosen?.answer ?? REFUSED
      }),
      Effect.catchAll(() => Effect.succeed(REFUSED))
    )
}

const REFUSED: ApprovalAnswer = { _tag: "No", reason: "canceled by the user" }

interface Offer {
  readonly option: PermissionOption
  readonly answer: ApprovalAnswer
}

/** In the order in which editors show them; their ids are those that clients know. */
export const offersFor = (question: ApprovalQuestion, options: PermissionOptions): ReadonlyArray<Offer> => [
  ...(options.offersSession ? sessionOffers(question) : []),
  ...(options.offersSession && options.offersSaving ? savingOffers(question, options) : []),
  { option: { optionId: "proceed_once", name: "Allow", kind: "allow_once" }, answer: { _tag: "Once" } },
  { option: { optionId: "cancel", name: "Reject", kind: "reject_once" }, answer: REFUSED }
]

const sessionOffers = ({ confirmation, standing }: ApprovalQuestion): ReadonlyArray<Offer> => {
  const offer = (optionId: string, covers: Coverage): ReadonlyArray<Offer> =>
    standing
      .filter((one) => one.covers === covers)
      .map(({ what }) => ({
        option: { optionId, name: `Allow for this session: ${what}`, kind: "allow_always" },
        answer: { _tag: "Always", covers, keep: "session" }
      }))
  switch (confirmation.type) {
    case "mcp":
      return [...offer("proceed_always_server", "server"), ...offer("proceed_always_tool", "call")]
    case "edit": {
      const edits = offer("proceed_always", "edits")
      return edits.length > 0 ? edits : offer("proceed_always", "call")
    }
    case "exec":
    case "sandbox_expansion":
    case "info":
      return offer("proceed_always", "call")
    default:
      return []
  }
}

const savingOffers = ({ standing }: ApprovalQuestion, { savesTo }: PermissionOptions): ReadonlyArray<Offer> =>
  standing
    .filter(({ covers, savedAs }) => covers === "call" && savedAs !== undefined)
    .map(({ what }) => ({
      option: { optionId: "proceed_always_and_save", name: `Allow from now on: ${what}`, kind: "allow_always" },
      answer: { _tag: "Always", covers: "call", keep: savesTo }
    }))

const callOf = (question: ApprovalQuestion, { cwd }: PermissionOptions): ToolCallUpdate => {
  const { callId, confirmation, toolName } = question
  return {
    toolCallId: callId,
    status: "pending",
    title: titleOf(question, cwd),
    kind: kindOf(toolName),
    locations: confirmation.type === "edit" ? [{ path: confirmation.diff.filePath }] : [],
    content: [...contentOf(confirmation, cwd), ...textContent(besides(question))]
  }
}

/** As the call itself is shown, so that nothing changes its name when it is asked about. */
const titleOf = ({ agent, confirmation, toolName }: ApprovalQuestion, cwd: string): string => {
  const title = titleOfCall(confirmation, toolName, cwd)
  return agent === undefined ? title : `${agent}: ${title}`
}

const titleOfCall = (confirmation: Confirmation, name: string, cwd: string): string => {
  switch (confirmation.type) {
    case "exec":
      return confirmation.command
    case "edit":
      return callTitle({ name, args: { file_path: confirmation.diff.filePath } }, cwd)
    case "mcp":
      return callTitle(
        { name, args: {}, displayName: confirmation.toolDisplayName, server: confirmation.serverName },
        cwd
      )
    default:
      return confirmation.title
  }
}

const contentOf = (confirmation: Confirmation, cwd: string): ReadonlyArray<ToolCallContent> => {
  switch (confirmation.type) {
    case "edit":
      return [diffContent(confirmation.diff)]
    case "exec":
      return textContent(placeOf(confirmation, cwd))
    case "sandbox_expansion":
      return textContent([confirmation.title, `It opens: ${confirmation.opens}`, placeOf(confirmation, cwd)].join("\n"))
    case "info":
      return textContent([confirmation.prompt, ...confirmation.urls].join("\n"))
    case "mcp":
      return textContent(JSON.stringify(confirmation.toolArgs, null, 2))
    case "exit_plan_mode":
      return textContent(confirmation.planPath)
    case "ask_user":
      return []
  }
}

const placeOf = (
  { folder, isBackground }: { readonly folder?: string; readonly isBackground?: boolean },
  cwd: string
) => `Working directory: ${folder ?? cwd}${isBackground === true ? " (in the background)" : ""}`

/** Arguments that count as well, and why it is asked. */
const besides = ({ arguments: given, why }: ApprovalQuestion): string =>
  [...given.map(({ name, value }) => `${name}: ${value}`), why].filter((line) => line !== "").join("\n")

/** Questions of tools, put to the person at an editor: forms for `ask_user`, a permission for a finished plan. */
export const questionsLayer = (client: EditorClient) =>
  Layer.succeed(UserQuestions, {
    ask: (questions) =>
      client.abilities.takesForms
        ? client.askForm(formOf(questions, client.sessionId)).pipe(
            Effect.map((answer) => answersIn(answer, questions)),
            Effect.orElseSucceed(() => null)
          )
        : Effect.succeed(null),
    reviewPlan: (planFile) =>
      client.askPermission(planQuestion(planFile)).pipe(
        Effect.map(({ outcome }) => reviewOf(outcome.outcome === "selected" ? outcome.optionId : "cancel")),
        Effect.orElseSucceed((): PlanReview => ({ approved: false }))
      )
  })

/** One property a question, named by its place. */
export const formOf = (questions: ReadonlyArray<Question>, sessionId: string): CreateElicitationRequest => ({
  mode: "form",
  sessionId,
  message: questions.map(({ question }) => question).join("\n"),
  requestedSchema: {
    type: "object",
    properties: Object.fromEntries(questions.map((question, at) => [nameOf(at), propertyOf(question)])),
    required: questions.map((_, at) => nameOf(at))
  }
})

const nameOf = (at: number): string => `answer_${at + 1}`

const propertyOf = ({ header, multiSelect, options, question, type }: Question): ElicitationPropertySchema => {
  const words = { title: header, description: question }
  if (type === "yesno") return { type: "boolean", ...words }
  if (type === "text") return { type: "string", ...words }
  const choices = options.map(({ description, label }) => ({ const: label, title: label, description }))
  return multiSelect
    ? { type: "array", ...words, items: { anyOf: choices } }
    : { type: "string", ...words, oneOf: choices }
}

/** `null` where an answer is missing: half of the answers are none. */
export const answersIn = (
  answer: { readonly action: string; readonly content?: unknown },
  questions: ReadonlyArray<Question>
): ReadonlyArray<string> | null => {
  const { content } = answer
  if (answer.action !== "accept" || typeof content !== "object" || content === null) return null
  const given = new Map<string, unknown>(Object.entries(content))
  const answers = questions.map((_, at) => wordsOf(given.get(nameOf(at))))
  return answers.every((text) => text !== undefined) ? answers : null
}

const wordsOf = (value: unknown): string | undefined => {
  if (typeof value === "boolean") return value ? "Yes" : "No"
  if (Array.isArray(value)) return value.map(String).join(", ")
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}

const planQuestion = (planFile: string) => ({
  toolCall: {
    toolCallId: `exit_plan_mode__${planFile}`,
    status: "pending" as const,
    title: "Carry out this plan?",
    kind: "other" as const,
    locations: [{ path: planFile }],
    content: textContent(
      Either.getOrElse(
        Either.try(() => readFileSync(planFile, "utf8")),
        (cause) => `The plan ${planFile} cannot be shown: ${String(cause)}`
      )
    )
  },
  options: [
    { optionId: "proceed_always", name: "Yes, and apply its edits without asking", kind: "allow_always" as const },
    { optionId: "proceed_once", name: "Yes, and ask before each edit", kind: "allow_once" as const },
    { optionId: "cancel", name: "No, go on planning", kind: "reject_once" as const }
  ]
})

const reviewOf = (optionId: string): PlanReview => {
  if (optionId === "proceed_always") return { approved: true, mode: "auto_edit" }
  return optionId === "proceed_once" ? { approved: true, mode: "default" } : { approved: false }
}
