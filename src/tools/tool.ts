/**
 * A tool is a value: name, text for the model, parameter schema, kind, and a handler.
 *
 * The parameter schema is the single source: the declaration for the model, the decoding of its arguments and the
 * handler's types come from it. Policy, hooks, truncation, recording and telemetry wrap a call from outside.
 *
 * A call has two steps. `prepare` decodes and checks the arguments and says what would happen (for people and for the
 * policy); `run` does it. Nothing may change on disk before `run`.
 */
import { type Context, Effect, Predicate, Schema } from "effect"
import type { Confirmation, FileDiff, Narrowing } from "../protocol/confirmation.ts"
import type { Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { CallId } from "../protocol/ids.ts"
import type { McpContext } from "../protocol/run-facts.ts"
import { ToolErrorType } from "../protocol/tool-error-type.ts"
import type { Expansion } from "../sandbox/sandbox.ts"
import { argumentFaults } from "./argument-faults.ts"

/** Decides what may run side by side, and what plan mode allows. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "agent"
  | "fetch"
  | "communicate"
  | "plan"
  | "switch_mode"
  | "other"

/** A failure that the model is told about, so that it can correct itself. Anything else is a defect. */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  type: ToolErrorType,
  /** For the model: everything useful must stand here, since nothing else of a failed call is sent. */
  message: Schema.String,
  /** For people, where the model's text would be too long. */
  display: Schema.optional(Schema.String)
}) {}

export interface Todo {
  readonly description: string
  readonly status: "pending" | "in_progress" | "completed" | "cancelled" | "blocked"
}

/** What a person sees of a result. `text` is the plain form of every kind. */
export type ToolDisplay =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "diff"; readonly text: string; readonly diff: FileDiff }
  | { readonly type: "todos"; readonly text: string; readonly todos: ReadonlyArray<Todo> }

export interface ToolOutput {
  /** What the model reads. */
  readonly forModel: string | ReadonlyArray<Part>
  readonly display: ToolDisplay
  /** Files that the result shows, where the call's locations could not tell beforehand. */
  readonly shown?: ReadonlyArray<string>
  /** Facts for the caller: exit codes, background pids, `taskCompleted`. */
  readonly data?: Readonly<Record<string, unknown>>
  /** Another call whose answer stands for this one. */
  readonly tailCall?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** The sandbox was in the way: what a person could open to it, and the same once more with that. */
  readonly retry?: {
    readonly expansion: Expansion
    readonly again: Effect.Effect<ToolOutput, ToolFailure>
  }
}

/** What a running call may use of its surroundings. */
export interface CallContext {
  readonly callId: CallId
  /** Live output for people; each text replaces the one before. */
  readonly progress: (text: string) => Effect.Effect<void>
  /** The call was allowed for these hosts and no others; absent: it may go wherever it is led. */
  readonly onlyHosts?: ReadonlyArray<string>
  /** Tells the readers of the run what goes on inside of the call. */
  readonly emit: (event: ProtocolEvent) => Effect.Effect<void>
  /** A shell line that is understood, and only reads: what the project configured must not make it do more. */
  readonly isReading?: boolean
  /** The same, and nobody was asked: it must not be able to do more, even if the reading of it was wrong. */
  readonly isUnasked?: boolean
  /** What the person agreed to open to it. */
  readonly opens?: Expansion["grant"]
  /** There is a person who can agree to more. */
  readonly canAsk?: boolean
}

export interface CallExpansion extends Expansion {
  /** The model asks for it; else it is only known of such calls. */
  readonly isStated: boolean
}

export interface PreparedCall<R = never> {
  /** One line for people: what would happen. */
  readonly description: string
  readonly locations: ReadonlyArray<{ readonly path: string; readonly line?: number }>
  /** The arguments as they were decoded: what the call works with. Absent where somebody else reads them. */
  readonly args?: Readonly<Record<string, unknown>>
  /** Computed only when a person will be asked. `null`: there is nothing to ask, the call explains itself when it runs. */
  readonly confirmation: Effect.Effect<Confirmation | null, never, R>
  readonly narrowing?: Narrowing
  /** More than the sandbox gives to all, which the call asks for or usually needs. Computed only when a person can be asked. */
  readonly expansion?: Effect.Effect<CallExpansion | undefined, ToolFailure, R>
  /** Arguments of the same call after a person edited the content that it would write. Absent: nothing to edit. */
  readonly revise?: (content: string) => Effect.Effect<Readonly<Record<string, unknown>>, never, R>
  readonly run: (context: CallContext) => Effect.Effect<ToolOutput, ToolFailure, R>
}

export interface Tool<R = never> {
  readonly name: string
  /** Older names under which the model or a rule may still know it. */
  readonly aliases: ReadonlyArray<string>
  /** Class-style names accepted in `tools.core`, such as `ShellTool`. */
  readonly classNames: ReadonlyArray<string>
  readonly displayName: string
  readonly kind: ToolKind
  /** Marks a second form of the tool of this name; a setting chooses between them. */
  readonly variant?: string
  readonly description: string
  /** `null` for tools whose schema is not ours (discovered, MCP): then `jsonSchema` is given. */
  readonly params: Schema.Schema.AnyNoContext | null
  /** In the form that the model takes (`fromJsonSchema`): it is sent as it is, with every request. */
  readonly jsonSchema?: Readonly<Record<string, unknown>>
  /** Hints of an MCP server, matched by policy rules. */
  readonly annotations?: Readonly<Record<string, unknown>>
  /** The MCP server that offers it. */
  readonly server?: string
  /** The same for hooks: where that server is, without anything secret. */
  readonly mcpContext?: McpContext
  readonly prepare: (args: unknown) => Effect.Effect<PreparedCall<R>, ToolFailure, R>
}

/** `R` is what preparing needs, `C` what the prepared call needs. */
export interface ToolSpec<A, I, R, C, Name extends string = string> {
  readonly name: Name
  readonly aliases?: ReadonlyArray<string>
  readonly classNames?: ReadonlyArray<string>
  readonly displayName: string
  readonly kind: ToolKind
  readonly variant?: string
  readonly description: string
  readonly params: Schema.Schema<A, I>
  /** What the model is told, where it is less than what is accepted: old names and internal fields stay untold. */
  readonly declares?: Schema.Schema.AnyNoContext
  /** Checks beyond the schema, then what the call would do. */
  readonly prepare: (params: A) => Effect.Effect<PreparedCall<C>, ToolFailure, R>
}

/** A tool whose name is known to the types. */
export type NamedTool<Name extends string, R> = Tool<R> & { readonly name: Name }

export const defineTool = <A, I, R, C, const Name extends string>(
  spec: ToolSpec<A, I, R, C, Name>
): NamedTool<Name, R | C> => ({
  name: spec.name,
  aliases: spec.aliases ?? [],
  classNames: spec.classNames ?? [],
  displayName: spec.displayName,
  kind: spec.kind,
  ...(spec.variant === undefined ? {} : { variant: spec.variant }),
  description: spec.description,
  params: spec.declares ?? spec.params,
  prepare: Effect.fn(`Tool.${spec.name}.prepare`)(function* (args: unknown) {
    // The parser is compiled here, at the first call of a tool, and kept by the schema: start-up does not pay for it.
    const params = yield* Schema.decodeUnknown(spec.params, { errors: "all" })(withoutCallOptions(args)).pipe(
      Effect.mapError((error) => new ToolFailure({ type: "invalid_tool_params", message: argumentFaults(error) }))
    )
    const call = yield* spec.prepare(params)
    return Predicate.isReadonlyRecord(params) ? { args: params, ...call } : call
  })
})

/** Gives a tool the services that it needs, once, so that callers see a tool without requirements. */
export const provideTool = <R>(tool: Tool<R>, services: Context.Context<R>): Tool => ({
  ...tool,
  prepare: (args) =>
    tool.prepare(args).pipe(
      Effect.map(({ expansion, revise, ...call }) => ({
        ...call,
        ...(expansion === undefined ? {} : { expansion: Effect.provide(expansion, services) }),
        confirmation: Effect.provide(call.confirmation, services),
        run: (context: CallContext) => Effect.provide(call.run(context), services),
        ...(revise === undefined ? {} : { revise: (content: string) => Effect.provide(revise(content), services) })
      })),
      Effect.provide(services)
    )
})

/** `wait_for_previous` speaks to the scheduler; no tool, rule, hook or server sees it. */
export const withoutCallOptions = <A>(args: A): A | Omit<A, "wait_for_previous"> => {
  if (!Predicate.isReadonlyRecord(args) || !Object.hasOwn(args, "wait_for_previous")) return args
  const { wait_for_previous: _, ...own } = args
  return own
}
