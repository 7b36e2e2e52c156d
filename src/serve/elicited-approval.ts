/**
 * Approval by the person behind an MCP client, where the client can put questions to them. One question at a time, bounded:
 * whoever does not answer has not agreed.
 */
import { Effect, Layer } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../approval/approval.ts"
import { visibleText } from "../kernel/visible-text.ts"
import type { Confirmation } from "../protocol/confirmation.ts"
import type { Person } from "../tools/from-config.ts"
import * as UserQuestions from "../tools/user-questions.ts"

/** What the client is asked to show, and what it may answer. */
export const formOf = (question: ApprovalQuestion) => ({
  message: questionText(question),
  requestedSchema: {
    type: "object" as const,
    properties: {
      decision: {
        type: "string" as const,
        title: "Decision",
        description: "Whether the call may run",
        enum: ["allow", "reject"]
      }
    },
    required: ["decision"]
  }
})

export type Elicit = (
  form: ReturnType<typeof formOf>
) => Promise<{ readonly action: string; readonly content?: unknown }>

/** As long as a person may think about it. */
const ANSWER_WITHIN = "10 minutes"

export const personBehind = (elicit: Elicit): Person => ({
  approval: Layer.effect(
    Approval,
    Effect.map(Effect.makeSemaphore(1), (turn) =>
      Approval.of({ ask: (question) => turn.withPermits(1)(askClient(elicit, question)) })
    )
  ),
  questions: UserQuestions.layerNone
})

const askClient = (elicit: Elicit, question: ApprovalQuestion): Effect.Effect<ApprovalAnswer> =>
  Effect.tryPromise(() => elicit(formOf(question))).pipe(
    Effect.timeout(ANSWER_WITHIN),
    Effect.map(answerOf),
    Effect.orElseSucceed((): ApprovalAnswer => ({ _tag: "No", reason: "the client could not ask the user" }))
  )

export const answerOf = ({ action, content }: Awaited<ReturnType<Elicit>>): ApprovalAnswer => {
  const decision =
    typeof content === "object" && content !== null && "decision" in content ? content.decision : undefined
  return action === "accept" && decision === "allow" ? { _tag: "Once" } : { _tag: "No", reason: "the user declined" }
}

/** Characters of a diff or of arguments that a form shows. */
const MAX_SHOWN = 8_000

export const questionText = (question: ApprovalQuestion): string => {
  const { agent, arguments: besides, confirmation, toolName, why } = question
  const shown = detailOf(confirmation)
  const cut = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}\n[${shown.length - MAX_SHOWN} more]` : shown
  return visibleText(
    [
      `${agent === undefined ? "gemini" : `The agent ${agent} of gemini`} wants to use ${toolName}: ${confirmation.title}`,
      cut,
      ...besides.map(({ name, value }) => `${name}: ${value}`),
      why
    ]
      .filter((line) => line !== "")
      .join("\n")
  )
}

const detailOf = (confirmation: Confirmation): string => {
  switch (confirmation.type) {
    case "exec":
      return [confirmation.command, ...(confirmation.folder === undefined ? [] : [`in ${confirmation.folder}`])].join(
        "\n"
      )
    case "sandbox_expansion":
      return [
        confirmation.command,
        ...(confirmation.folder === undefined ? [] : [`in ${confirmation.folder}`]),
        `opens in the sandbox: ${confirmation.opens}`,
        `because ${confirmation.origin}`
      ].join("\n")
    case "edit":
      return confirmation.diff.fileDiff
    case "mcp":
      return `${confirmation.serverName}: ${JSON.stringify(confirmation.toolArgs, null, 2)}`
    case "info":
      return [confirmation.prompt, ...confirmation.urls].join("\n")
    case "exit_plan_mode":
      return confirmation.planPath
    case "ask_user":
      return ""
  }
}
