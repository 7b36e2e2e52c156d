/**
 * One tool call from request to answer: find the tool, check the arguments, ask the policy, ask a person where the
 * policy says so, run. Every way out is an answer to the model; nothing here fails.
 */
import { Effect, Predicate } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { Decision } from "../../policy/decision.ts"
import { denialText } from "../../policy/denial-text.ts"
import { Policy } from "../../policy/policy.ts"
import { changesNoFiles } from "../../policy/written-paths.ts"
import type { Emit, EventOf } from "../../protocol/event.ts"
import { ChangeJournal, type ChangingCall } from "../../session/undo/change-journal.ts"
import { ToolRegistry } from "../registry.ts"
import { type PreparedCall, type Tool, ToolFailure, type ToolOutput } from "../tool.ts"
import type { ToolCall } from "../tool-scheduler.ts"
import { type CallEnd, endCall, type HookPlace, phase } from "./call-hooks.ts"
import { type Agreed, isByHook, judge, openedAfter, policyCall } from "./judge-call.ts"

export type CallDecision = NonNullable<EventOf<"ToolFinished">["decision"]>

/** How a call ended. `name` is the tool that ran: after a tail call, not the one that was asked for. */
export interface CallResult {
  readonly call: ToolCall
  readonly name: string
  readonly durationMs: number
  readonly end:
    | { readonly _tag: "Done"; readonly output: ToolOutput }
    | { readonly _tag: "Failed"; readonly failure: ToolFailure }
    | { readonly _tag: "Refused"; readonly reason: string }
  readonly decision: CallDecision | undefined
  /** Absolute paths that the call worked on; empty where it did not succeed. */
  readonly touched: ReadonlyArray<string>
  /** The policy refused, or hid the tool. */
  readonly denial: Decision | undefined
  /** For people: the tool, and what the call was to do. Absent where the call was not understood. */
  readonly label?: { readonly displayName: string; readonly description: string; readonly server?: string | undefined }
  /** Of the call that really ran; absent where none did. */
  readonly args?: ToolCall["args"]
  /** For the model, behind the result. */
  readonly notes?: ReadonlyArray<string>
  /** Another call whose answer stands for this one. */
  readonly tailCall?: ToolOutput["tailCall"]
}

export interface CallSurroundings extends HookPlace {
  /** There is a person, at a terminal or in an editor. */
  readonly canAsk: boolean
  /** One question at a time: the answer to one may settle the next. */
  readonly asking: Effect.Semaphore
}

/** A tool may hand over to another one; a chain of them ends here. */
const MAX_TAIL_CALLS = 5

export const runCall = Effect.fn("tool_call")(function* (call: ToolCall, around: CallSurroundings) {
  yield* Effect.annotateCurrentSpan({
    "gen_ai.operation.name": "tool_call",
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call_id": call.callId,
    "gen_ai.input.messages": () => call.args
  })
  const startedAt = yield* monotonicMillis
  let result = yield* attempt(call, around)
  for (let depth = 0; result.tailCall !== undefined; depth++) {
    const { tailCall, ...ended } = result
    result =
      depth < MAX_TAIL_CALLS
        ? yield* attempt({ ...call, ...tailCall }, { ...around, originalName: call.name })
        : { ...ended, end: failed("execution_failed", `More than ${MAX_TAIL_CALLS} calls were chained.`) }
  }
  const durationMs = (yield* monotonicMillis) - startedAt
  const { end } = result
  yield* Effect.annotateCurrentSpan("gen_ai.output.messages", () => (end._tag === "Done" ? end.output.forModel : end))
  return { ...result, call, durationMs } satisfies CallResult
})

type Attempt = Omit<CallResult, "call" | "durationMs">

const attempt = (call: ToolCall, around: CallSurroundings) =>
  Effect.gen(function* () {
    const registry = yield* ToolRegistry
    const found = yield* Effect.either(registry.find(call.name))
    if (found._tag === "Left") return yield* notFound(call, found.left)

    const tool = found.right
    yield* Effect.annotateCurrentSpan("gen_ai.tool.description", tool.description)
    const asked = { ...call, args: yield* presentArguments(tool.name, call.args) }
    const verdict = yield* judge(tool, asked, around)
    const { displayName, server } = tool
    const label = { displayName, server, description: verdict.prepared.description }
    switch (verdict._tag) {
      case "Run":
        return { ...withNotes(yield* execute(verdict, around), ignoredArguments(asked.args, verdict.prepared)), label }
      case "Denied":
        return { ...denied(tool, verdict.decision), label }
      case "Refused":
        return { ...refused(tool.name, verdict.reason), label }
    }
  }).pipe(
    Effect.catchTag("ToolFailure", (failure) => Effect.succeed(attemptFailed(call.name, failure))),
    // A fault in one tool must not take the run with it; the model is told, and the log has the rest.
    Effect.catchAllDefect((defect) =>
      Effect.as(
        Effect.logError("a tool failed unexpectedly", defect),
        attemptFailed(call.name, new ToolFailure({ type: "unhandled_exception", message: messageOf(defect) }))
      )
    )
  )

const withNotes = <A extends { readonly notes?: ReadonlyArray<string> }>(made: A, notes: ReadonlyArray<string>): A =>
  notes.length === 0 ? made : { ...made, notes: [...(made.notes ?? []), ...notes] }

/** A tool that is only hidden was refused: the refusal is recorded with what would allow it. */
const notFound = Effect.fnUntraced(function* (call: ToolCall, failure: ToolFailure) {
  const registry = yield* ToolRegistry
  const policy = yield* Policy
  const hidden = (yield* registry.all).find((tool) => tool.name === call.name || tool.aliases.includes(call.name))
  const decision = hidden === undefined ? undefined : yield* policy.decide(policyCall(hidden, call))
  if (decision === undefined || decision.verdict === "allow")
    return { ...attemptFailed(call.name, failure), denial: undefined }
  const message = failure.message.replace(
    " not found. ",
    " not found. It is not offered here, for its use is not allowed. "
  )
  return { ...attemptFailed(call.name, new ToolFailure({ ...failure, message })), denial: decision }
})

const execute = Effect.fnUntraced(function* (agreed: Agreed, around: CallSurroundings) {
  const { call, decision, isReading, onlyHosts, opens, prepared, tool, wasAsked } = agreed
  const { canAsk, emit } = around
  yield* emit({
    _tag: "ToolStarted",
    callId: call.callId,
    name: tool.name,
    title: tool.displayName,
    description: prepared.description,
    wasAsked
  })
  const progress = (output: string) => emit({ _tag: "ToolProgress", callId: call.callId, output })
  const reach = { ...(onlyHosts === undefined ? {} : { onlyHosts }), ...(opens === undefined ? {} : { opens }) }
  const made = prepared
    .run({ callId: call.callId, progress, emit, isReading, isUnasked: isReading && !wasAsked, canAsk, ...reach })
    .pipe(
      phase(tool.name, "execution"),
      Effect.match({
        onFailure: (failure): CallEnd => ({ _tag: "Failed", failure }),
        onSuccess: (output): CallEnd => ({ _tag: "Done", output })
      }),
      Effect.flatMap((ended) => openedAfter(ended, agreed, around))
    )
  // A hook that formats what was written has a part in the change, and in taking it back.
  const { end, notes, tailCall } = yield* recorded(
    agreed,
    emit,
    Effect.flatMap(made, (ended) => endCall(ended, agreed, around))
  )
  return {
    name: tool.name,
    decision,
    denial: undefined,
    args: call.args,
    end,
    notes,
    ...(tailCall === undefined ? {} : { tailCall }),
    touched: end._tag === "Done" ? (end.output.shown ?? prepared.locations.map(({ path }) => path)) : []
  } satisfies Attempt
})

/** What may change files is recorded on the way, so that it can be taken back. */
const recorded = <A, E, R>({ call, isReading, prepared, tool }: Agreed, emit: Emit, run: Effect.Effect<A, E, R>) => {
  const changing = isReading ? undefined : changingCall(tool, call, prepared)
  if (changing === undefined) return run
  const tell = (message: string) => emit({ _tag: "Notice", severity: "warning", message })
  return Effect.flatMap(ChangeJournal, (journal) => journal.record({ call: changing, tell }, run))
}

const denied = (tool: Tool, decision: Decision): Attempt => {
  const who = isByHook(decision) ? "blocked:" : "denied by policy."
  const message = `Tool execution ${who} ${denialText(decision)}`
  return { ...attemptFailed(tool.name, new ToolFailure({ type: "policy_violation", message })), denial: decision }
}

const refused = (name: string, reason: string | undefined): Attempt => ({
  name,
  end: { _tag: "Refused", reason: reason ?? "the user declined" },
  decision: "reject",
  touched: [],
  denial: undefined
})

const attemptFailed = (name: string, failure: ToolFailure): Attempt => ({
  name,
  end: { _tag: "Failed", failure },
  decision: undefined,
  touched: [],
  denial: undefined
})

const failed = (type: ToolFailure["type"], message: string): CallResult["end"] => ({
  _tag: "Failed",
  failure: new ToolFailure({ type, message })
})

const messageOf = (defect: unknown): string => (defect instanceof Error ? defect.message : String(defect))

/** Writes outside the workspace only. */
const MEMORY_TOOL = "save_memory"

/** Whether the call may change files, and which. `undefined`: nothing that could be taken back. */
const changingCall = (tool: Tool, call: ToolCall, prepared: PreparedCall): ChangingCall | undefined => {
  if (changesNoFiles(tool) || tool.name === MEMORY_TOOL) return undefined
  const { args, callId } = call
  const common = { callId, tool: tool.name, args, what: prepared.description }
  // Our own editing tools write where they say; a shell, a server or a discovered program may write anywhere.
  if (tool.kind !== "edit" || tool.server !== undefined) return { ...common, goesOn: args.is_background === true }
  const paths = prepared.locations.map(({ path }) => path)
  return paths.length === 0 ? undefined : { ...common, paths }
}

/**
 * Arguments under names that models know from elsewhere, brought to ours before hooks, rules and people see the call: a rule
 * about `dir_path` must hold for `directory` too. Where both are given ours counts. What a tool does not know at all is
 * named in its answer, since a model that is not told takes its wish for fulfilled.
 */
type Arguments = Readonly<Record<string, unknown>>

const PATH = { path: "file_path", absolute_path: "file_path", filePath: "file_path" }

export const ARGUMENT_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  read_file: PATH,
  write_file: { ...PATH, create_backup: "createBackup" },
  read_many_files: { paths: "include", file_paths: "include" },
  replace: { ...PATH, replace_all: "allow_multiple", replaceAll: "allow_multiple" },
  save_memory: { content: "fact" },
  list_directory: { path: "dir_path" },
  glob: { path: "dir_path" },
  grep_search: { path: "dir_path" },
  run_shell_command: { directory: "dir_path", run_in_background: "is_background" }
}

export const presentArguments = (tool: string, args: Arguments): Effect.Effect<Arguments, ToolFailure> => {
  const named = renamed(args, Object.hasOwn(ARGUMENT_NAMES, tool) ? (ARGUMENT_NAMES[tool] ?? {}) : {})
  return tool === "read_file" ? linesOf(named) : Effect.succeed(named)
}

const renamed = (args: Arguments, names: Readonly<Record<string, string>>): Arguments => {
  const foreign = Object.keys(args).filter((key) => Object.hasOwn(names, key))
  if (foreign.length === 0) return args
  const result: Record<string, unknown> = { ...args }
  for (const key of foreign) {
    const own = names[key]
    if (own === undefined || Object.hasOwn(result, own)) continue
    result[own] = result[key]
    delete result[key]
  }
  return result
}

/** `offset` lines are skipped, `limit` lines are read. */
const linesOf = ({ limit, offset, ...args }: Arguments): Effect.Effect<Arguments, ToolFailure> => {
  if (offset === undefined && limit === undefined) return Effect.succeed(args)
  if (args.start_line !== undefined || args.end_line !== undefined)
    return invalid("Give start_line and end_line, or offset and limit, not both.")
  if (offset !== undefined && !isWhole(offset, 0)) return invalid("offset must be a whole number from 0 on.")
  if (limit !== undefined && !isWhole(limit, 1)) return invalid("limit must be a whole number from 1 on.")
  const skipped = offset ?? 0
  return Effect.succeed({
    ...args,
    start_line: skipped + 1,
    ...(limit === undefined ? {} : { end_line: skipped + limit })
  })
}

const isWhole = (value: unknown, least: number): value is number =>
  Predicate.isNumber(value) && Number.isSafeInteger(value) && value >= least

const invalid = (message: string) => new ToolFailure({ type: "invalid_tool_params", message })

const MAX_NAMED = 10

/** For the model, behind the answer; nothing where every argument was read, or somebody else reads them. */
export const ignoredArguments = (args: Arguments, { args: used }: PreparedCall): ReadonlyArray<string> => {
  const ignored = used === undefined ? [] : Object.keys(args).filter((key) => isIgnored(key, args, used))
  if (ignored.length === 0) return []
  const names = ignored.slice(0, MAX_NAMED).map((key) => JSON.stringify(key.slice(0, 80)))
  const more = ignored.length > MAX_NAMED ? ` and ${ignored.length - MAX_NAMED} more` : ""
  return [
    `Ignored, because this tool has no such ${ignored.length === 1 ? "argument" : "arguments"}: ${names.join(", ")}${more}.`
  ]
}

const isIgnored = (key: string, args: Arguments, used: Arguments): boolean =>
  key !== "wait_for_previous" && args[key] !== undefined && !Object.hasOwn(used, key)
