/**
 * Approval by the person at an editor: what is asked, which answers are offered, and what they mean. Whatever is no clear
 * yes (an error, an unknown option, silence of a closed editor) is a no.
 */
import type { PermissionOption, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk"
import { Effect, Layer } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion, type Coverage } from "../approval/approval.ts"
import type { Confirmation } from "../protocol/confirmation.ts"
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
