/** Questions of tools, put to the person at an editor: forms for `ask_user`, a permission for a finished plan. */
import { readFileSync } from "node:fs"
import type { CreateElicitationRequest, ElicitationPropertySchema } from "@agentclientprotocol/sdk"
import { Effect, Either, Layer } from "effect"
import { type PlanReview, type Question, UserQuestions } from "../tools/user-questions.ts"
import type { EditorClient } from "./editor-client.ts"
import { textContent } from "./tool-view.ts"

export const layer = (client: EditorClient) =>
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
