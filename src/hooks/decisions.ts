/** What follows from the joined answer of an event's hooks. Pure: the loop and the scheduler act on these values. */
import { Predicate } from "effect"
import { insideFrame } from "../kernel/prompt-frames.ts"
import { type HookedRequest, readLlmResponse, type SpokenResponse, withLlmRequest } from "./llm-exchange.ts"
import type { HookOutput } from "./result.ts"

/** The run ends here. `stopped`: it is over; `blocked`: what was about to happen was refused. */
export interface Halt {
  readonly _tag: "Halt"
  readonly kind: "stopped" | "blocked"
  readonly reason: string
}

/** `context`: for the model, wrapped and made harmless. */
export type AgentStart = Halt | { readonly _tag: "GoOn"; readonly context: string | undefined }

export type AgentEnd =
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Stopped"; readonly reason: string; readonly clearsContext: boolean }
  /** The answer is refused; `reason` is what the model is told. */
  | { readonly _tag: "Rejected"; readonly reason: string; readonly clearsContext: boolean }

export type ModelStart =
  | Halt
  /** Nobody is asked: this is the answer. `halt`: and the run ends with it. */
  | { readonly _tag: "Answer"; readonly answer: SpokenResponse; readonly halt: Halt | undefined }
  | { readonly _tag: "Ask"; readonly change: ReturnType<typeof withLlmRequest> | undefined }

export type ModelEnd = Halt | { readonly _tag: "GoOn"; readonly replacement: SpokenResponse | undefined }

type Args = Readonly<Record<string, unknown>>

export type ToolStart =
  | Halt
  | { readonly _tag: "GoOn"; readonly args: Args | undefined; readonly mustAsk: string | undefined }

export type ToolEnd =
  | Halt
  | {
      readonly _tag: "GoOn"
      readonly context: string | undefined
      readonly tailCall: { readonly name: string; readonly args: Args } | undefined
    }

export const sessionStart = (output: HookOutput): string | undefined => contextOf(output)

export const agentStart = (output: HookOutput): AgentStart =>
  haltOf(output) ?? { _tag: "GoOn", context: contextOf(output) }

export const agentEnd = (output: HookOutput): AgentEnd => {
  const halt = haltOf(output)
  if (halt === undefined) return { _tag: "Accepted" }
  const clearsContext = output.specific?.clearContext === true
  return { _tag: halt.kind === "stopped" ? "Stopped" : "Rejected", reason: halt.reason, clearsContext }
}

export const modelStart = (output: HookOutput, request: HookedRequest): ModelStart => {
  const halt = haltOf(output)
  const answer = readLlmResponse(output.specific?.llm_response)
  if (halt?.kind === "stopped") return halt
  if (answer !== undefined) return { _tag: "Answer", answer, halt }
  if (halt !== undefined) return halt
  const changed = output.specific?.llm_request
  return { _tag: "Ask", change: Predicate.isReadonlyRecord(changed) ? withLlmRequest(request, changed) : undefined }
}

export const modelEnd = (output: HookOutput): ModelEnd =>
  haltOf(output) ?? { _tag: "GoOn", replacement: readLlmResponse(output.specific?.llm_response) }

/** `args` are laid over those of the model. */
export const toolStart = (output: HookOutput, given: Args): ToolStart => {
  const halt = haltOf(output)
  if (halt !== undefined) return halt
  const changed = output.specific?.tool_input
  return {
    _tag: "GoOn",
    args: Predicate.isReadonlyRecord(changed) ? { ...given, ...changed } : undefined,
    mustAsk:
      output.decision === "ask" ? (output.systemMessage ?? output.reason ?? "a hook wants you to decide") : undefined
  }
}

export const toolEnd = (output: HookOutput): ToolEnd => {
  const halt = haltOf(output)
  if (halt !== undefined) return halt
  const tail = output.specific?.tailToolCallRequest
  return {
    _tag: "GoOn",
    context: contextOf(output),
    tailCall:
      Predicate.isReadonlyRecord(tail) && typeof tail.name === "string"
        ? { name: tail.name, args: Predicate.isReadonlyRecord(tail.args) ? tail.args : {} }
        : undefined
  }
}

/** Stopping is more than refusing. */
const haltOf = (output: HookOutput): Halt | undefined => {
  const reason = bounded(output.stopReason ?? output.reason ?? "no reason was given")
  if (output.continue === false) return { _tag: "Halt", kind: "stopped", reason }
  return output.decision === "deny" ? { _tag: "Halt", kind: "blocked", reason } : undefined
}

/** Characters of one text of a hook that reach the model or a screen. */
const MAX_CHARS = 40_000

export const bounded = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n[cut: ${text.length - MAX_CHARS} more characters]`

/** Marked as what it is: nothing in it can close the mark. */
const contextOf = ({ specific }: HookOutput): string | undefined => {
  const text = specific?.additionalContext
  if (typeof text !== "string" || text === "") return undefined
  return `<hook_context>${insideFrame(bounded(text)).replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</hook_context>`
}
