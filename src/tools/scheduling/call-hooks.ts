/**
 * The hooks around one tool call. Before it: they may stop the run, refuse the call, change its arguments, or want a
 * person to decide. After it: stop the run, refuse the result, add to it, or hand over to another call.
 */
import { Effect } from "effect"
import type { HookedCall, HooksView } from "../../hooks/hooks.ts"
import type { Emit } from "../../protocol/event.ts"
import { measured } from "../../telemetry/telemetry.ts"
import { type Tool, ToolFailure, type ToolOutput, withoutCallOptions } from "../tool.ts"
import type { ToolCall } from "../tool-scheduler.ts"

export interface HookPlace {
  readonly hooks: HooksView
  readonly emit: Emit
  /** The tool that the model asked for, where another call took its place. */
  readonly originalName?: string | undefined
}

export interface BegunCall {
  readonly call: ToolCall
  /** Names of arguments that are not those of the model any more. */
  readonly changed: ReadonlyArray<string>
  /** A hook wants a person to decide, and says this about it. */
  readonly mustAsk: string | undefined
}

/** Refused by a hook: told as a denial, with the reason. */
export interface BlockedCall {
  readonly blocked: string
}

export const beginCall = Effect.fnUntraced(function* (tool: Tool, call: ToolCall, place: HookPlace) {
  const start = yield* place.hooks.beforeTool(hookedCall(tool, call, place), place.emit)
  if (start._tag === "Halt") {
    if (start.kind === "blocked") return { blocked: start.reason } satisfies BlockedCall
    return yield* stopped(start.reason)
  }
  const { args, mustAsk } = start
  if (args === undefined) return { call, changed: [], mustAsk } satisfies BegunCall
  const changed = Object.keys(args).filter((name) => !Bun.deepEquals(args[name], call.args[name]))
  return { call: { ...call, args }, changed, mustAsk } satisfies BegunCall
})

const STOPPED = "Agent execution stopped by hook: "

/** Drivers look for these words in the result of the call. */
const stopped = (reason: string) => new ToolFailure({ type: "stop_execution", message: STOPPED + reason })

/** Why a hook wants the end of the run; `undefined` where none does. */
export const stopReasonIn = ({ message, type }: ToolFailure): string | undefined =>
  type === "stop_execution" ? message.replace(STOPPED, "") : undefined

/** What a call came to: its output, or why it failed. */
export type CallEnd =
  | { readonly _tag: "Done"; readonly output: ToolOutput }
  | { readonly _tag: "Failed"; readonly failure: ToolFailure }

export interface EndedCall {
  readonly end: CallEnd
  /** Added to what the model reads, outside of the bounds of the result. */
  readonly notes: ReadonlyArray<string>
  readonly tailCall: ToolOutput["tailCall"]
}

export const endCall = Effect.fnUntraced(function* (
  end: CallEnd,
  { call, changed, tool }: { readonly tool: Tool; readonly call: ToolCall; readonly changed: ReadonlyArray<string> },
  place: HookPlace
) {
  const verdict = yield* place.hooks.afterTool(hookedCall(tool, call, place), resultOf(end), place.emit)
  const told = changed.length === 0 ? [] : [changedNote(changed)]
  if (verdict._tag === "Halt") {
    const failure =
      verdict.kind === "stopped"
        ? stopped(verdict.reason)
        : new ToolFailure({
            type: "execution_failed",
            message: `The result was refused by a hook: ${verdict.reason}`
          })
    return { end: { _tag: "Failed", failure }, notes: told, tailCall: undefined } satisfies EndedCall
  }
  const own = end._tag === "Done" ? end.output.tailCall : undefined
  return {
    end,
    notes: [...told, ...(verdict.context === undefined ? [] : [verdict.context])],
    tailCall: verdict.tailCall ?? own
  } satisfies EndedCall
})

const changedNote = (names: ReadonlyArray<string>): string =>
  `[A hook changed arguments of this call before it ran: ${names.join(", ")}.]`

const hookedCall = (tool: Tool, { args, name }: ToolCall, { originalName }: HookPlace): HookedCall => ({
  name: tool.name,
  aliases: name === tool.name ? tool.aliases : [...tool.aliases, name],
  args: withoutCallOptions(args),
  mcpContext: tool.mcpContext,
  originalName
})

const resultOf = (end: CallEnd) =>
  end._tag === "Done"
    ? { forModel: end.output.forModel, display: end.output.display.text, error: undefined }
    : { forModel: end.failure.message, display: end.failure.display ?? end.failure.message, error: end.failure.message }

/** How long the parts of calls take, where somebody wants to know. Waiting for a person or a hook is none of them. */
export const phase = (
  tool: string,
  name: "validation" | "preparation" | "execution" | "result_processing"
): (<A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  measured("gemini_cli.tool.execution.breakdown", { function_name: tool, phase: name })
