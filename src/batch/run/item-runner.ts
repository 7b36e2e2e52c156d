/**
 * One item through the whole loop of an agent: a conversation of its own over the clients that all items share, with
 * the configuration and the instruction that the command line gives it.
 */

import { Duration, Effect, Either, Exit, type Scope } from "effect"
import type { Chat } from "../../chat/chat.ts"
import { type ChatError, LimitReached } from "../../chat/chat-error.ts"
import { addEvent, emptyStats, type RunStats, sumTokens } from "../../chat/stats/run-stats.ts"
import type { LoadedConfig } from "../../config/load.ts"
import type { SettingKey } from "../../config/setting-table.ts"
import type { SettingsView } from "../../config/settings.ts"
import * as Flow from "../../kernel/flow.ts"
import { service } from "../../kernel/layers.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { ModelClient, ModelRequest } from "../../model/model-client.ts"
import type { PromptError } from "../../prompt/prompt-error.ts"
import { SystemPrompt } from "../../prompt/system-prompt.ts"
import { answerAfter } from "../../protocol/answer-text.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { SessionId } from "../../protocol/ids.ts"
import type { CompletionReason, RunOutcome } from "../../protocol/outcome.ts"
import { tierNamed } from "../../protocol/usage.ts"
import type { ModelError } from "../../retry/model-error.ts"
import type { BatchError } from "../batch-error.ts"
import type { BatchRequest } from "../batch-request.ts"
import type { BatchItem } from "../input/batch-item.ts"
import type { RateGate } from "../rate/rate-gate.ts"
import { type ResultLine, unsentResult } from "../result-line.ts"
import { itemParts, requestHash } from "./item-files.ts"
import type { ItemCopies } from "./item-worktree.ts"
import type { ItemEnd } from "./run-items.ts"

export interface ItemRunner<E> {
  readonly cwd: string
  /** How a run says what became of it. */
  readonly outcomeOf: (exit: Exit.Exit<unknown, E | ChatError | PromptError>) => RunOutcome
  readonly request: BatchRequest
  readonly gate: RateGate["Type"]
  /** A conversation of its own, until the scope closes. */
  readonly openChat: (sessionId: SessionId, cwd: string) => Effect.Effect<Chat["Type"], E, Scope.Scope>
  /** Each item has a copy of the repository to itself. */
  readonly copies: ItemCopies | undefined
  /** What all requests have in common, as a text to hash. */
  readonly common: string
  /** Attempts of earlier runs at the same item. */
  readonly earlierAttempts: (key: string) => number
}

/** What concerns every item alike ends the batch, and no item is blamed for it. */
const STOPPING: ReadonlySet<CompletionReason> = new Set<CompletionReason>(["auth", "config", "quota"])

export const runItem = <E>(runner: ItemRunner<E>, item: BatchItem): Effect.Effect<ItemEnd, BatchError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { request } = runner
      const parts = itemParts(item, runner.cwd)
      if (Either.isLeft(parts)) {
        const result = unsentResult(item.key, parts.left, request.tier)
        return { _tag: "Answered", result, requestHash: "" } satisfies ItemEnd as ItemEnd
      }
      const startedAt = yield* monotonicMillis
      const told = newAccount()
      const copy = runner.copies === undefined ? undefined : yield* runner.copies.open
      const chat = runner.openChat(SessionId.make(crypto.randomUUID()), copy?.cwd ?? runner.cwd)
      const asked = ask(chat, { text: item.prompt, parts: parts.right }, told).pipe(
        Effect.tapErrorCause((cause) => Effect.logDebug(cause)),
        withinItemTime(request.itemMaxTimeMs)
      )
      const exit = yield* Effect.exit(asked)
      if (Exit.isInterrupted(exit)) return yield* Effect.interrupt
      const outcome = runner.outcomeOf(exit)
      if (isFatal(exit, outcome) || (Exit.isFailure(exit) && (yield* runner.gate.isStopped))) {
        return { _tag: "Stop", outcome } satisfies ItemEnd as ItemEnd
      }
      const durationMs = (yield* monotonicMillis) - startedAt
      const attempt = runner.earlierAttempts(item.key) + told.attempt
      const result = {
        ...resultOf(item.key, told, outcome, { durationMs, tier: request.tier, attempt }),
        // What an item did before it failed is kept as well.
        ...(copy === undefined ? {} : { patch: yield* copy.patch })
      }
      return {
        _tag: "Answered",
        result,
        requestHash: requestHash(parts.right, runner.common)
      } satisfies ItemEnd as ItemEnd
    })
  )

const ask = <E>(
  chat: Effect.Effect<Chat["Type"], E, Scope.Scope>,
  prompt: { readonly text: string; readonly parts: Parameters<Chat["Type"]["send"]>[0]["parts"] },
  told: Account
) =>
  Effect.scoped(
    Effect.flatMap(chat, ({ send }) => {
      const hear = (event: ProtocolEvent) => Effect.sync(() => note(told, event))
      return Flow.runForEach(send({ ...prompt, afterwards: hear }), hear)
    })
  )

/** What was heard of an item while it ran. */
interface Account {
  stats: RunStats
  said: string
  structured: { readonly value: unknown } | undefined
  model: string | undefined
  turns: number
  attempt: number
  /** That answered, where an answer named one. */
  tier: string | undefined
}

const newAccount = (): Account => ({
  stats: emptyStats,
  said: "",
  structured: undefined,
  model: undefined,
  turns: 0,
  attempt: 1,
  tier: undefined
})

const note = (told: Account, event: ProtocolEvent): void => {
  told.stats = addEvent(told.stats, event)
  told.said = answerAfter(told.said, event)
  if (event._tag === "StructuredAnswer") told.structured = event
  if (event._tag === "RequestFinished" && event.role === "main") {
    told.turns += 1
    told.model = event.model
    told.tier = tierNamed(event.usage) ?? told.tier
  }
  if (event._tag === "ModelChosen") told.model = event.model
  if (event._tag === "RetryScheduled") told.attempt += 1
}

const isFatal = (exit: Exit.Exit<unknown, unknown>, { completionReason }: RunOutcome): boolean => {
  if (Exit.isSuccess(exit)) return false
  const error = exit.cause._tag === "Fail" ? exit.cause.error : undefined
  return isModelError(error)
    ? error.kind === "auth" || error.kind === "not-found" || error.kind === "unreachable" || error.kind === "quota"
    : STOPPING.has(completionReason)
}

const isModelError = (error: unknown): error is ModelError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ModelError"

const resultOf = (
  key: string,
  told: Account,
  outcome: RunOutcome,
  { attempt, durationMs, tier }: { readonly durationMs: number; readonly tier: string; readonly attempt: number }
): ResultLine => {
  const { failure } = outcome
  const tokens = sumTokens(Object.values(told.stats.models).map((model) => model.tokens))
  const { costUsd } = told.stats
  return {
    key,
    status: failure === undefined ? "success" : "error",
    response: told.said,
    ...(told.structured === undefined ? {} : { structured: told.structured.value }),
    ...(failure === undefined
      ? {}
      : {
          error: {
            type: outcome.completionReason,
            message: failure.message,
            ...(failure.hint === undefined ? {} : { hint: failure.hint }),
            ...(failure.status === undefined ? {} : { status: failure.status })
          }
        }),
    completion_reason: outcome.completionReason,
    stats: {
      tokens: {
        total: tokens.total,
        input: tokens.prompt,
        output: tokens.candidates + tokens.thoughts,
        cached: tokens.cached
      },
      cost_usd: costUsd === undefined ? null : Math.round(costUsd * 1e9) / 1e9,
      turns: told.turns,
      tool_calls: Object.values(told.stats.tools).reduce((sum, tool) => sum + tool.count, 0),
      duration_ms: Math.round(durationMs)
    },
    model: told.model ?? null,
    tier: told.tier ?? tier,
    attempt
  }
}

const withinItemTime =
  (limitMs: number | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | LimitReached, R> =>
    limitMs === undefined
      ? effect
      : Effect.timeoutFail(effect, {
          duration: Duration.millis(limitMs),
          onTimeout: () =>
            new LimitReached({
              limit: "time",
              value: Duration.format(Duration.millis(limitMs)),
              source: "--item-max-time"
            })
        })

/**
 * The configuration and the instruction of the items of a batch, from what its command line says.
 * Nothing but a question: no tools, and nothing of the project.
 */
export const isPlain = ({ context, tools = [] }: Pick<BatchRequest, "context" | "tools">): boolean =>
  !context && tools.length === 0

type Asked = Pick<BatchRequest, "context" | "tools" | "appendSystemPrompt">

/** The tools that the model is offered are those of the command line; a bare batch that names none has none. */
export const withItemTools = (config: LoadedConfig, { context, tools }: Asked): LoadedConfig => {
  const core = tools ?? (context ? undefined : [])
  return core === undefined ? config : { ...config, settings: withSetting(config.settings, "tools.core", core) }
}

const withSetting = (settings: SettingsView, key: SettingKey, value: unknown): SettingsView => {
  const get: SettingsView["get"] = (asked) =>
    // The one key whose value is given here has the type of its row.
    asked === key ? (value as ReturnType<typeof settings.get<typeof asked>>) : settings.get(asked)
  return { ...settings, get }
}

/**
 * An item without tools is a question and nothing else: no word about an agent and its surroundings, which would be paid
 * for a thousand times and make each request another one.
 */
export const itemInstruction = (asked: Asked) =>
  service(
    SystemPrompt,
    Effect.map(SystemPrompt, (prompt) => {
      return SystemPrompt.of({
        ...prompt,
        sessionContext: isPlain(asked) ? Effect.succeed("") : prompt.sessionContext,
        instruction: (facts) =>
          Effect.map(isPlain(asked) ? Effect.succeed("") : prompt.instruction(facts), (own) =>
            [own, asked.appendSystemPrompt ?? ""].filter((text) => text !== "").join("\n\n")
          )
      })
    })
  )

/** What all items have in common stands before each request; a request that names it has no instruction of its own. */
export const withCachedContext = (client: ModelClient["Type"], cache: string | undefined): ModelClient["Type"] => {
  if (cache === undefined) return client
  const shaped = ({ systemInstruction, ...request }: ModelRequest): ModelRequest =>
    request.role === "main"
      ? { ...request, config: { ...request.config, cachedContent: cache } }
      : { ...request, ...(systemInstruction === undefined ? {} : { systemInstruction }) }
  return {
    ...client,
    stream: (request) => client.stream(shaped(request)),
    generate: (request) => client.generate(shaped(request))
  }
}
