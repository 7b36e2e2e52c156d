/** The chat of a run: its limits and thresholds from the configuration, its prompts in the journal, its faults reported. */
import { Context, Deferred, Effect } from "effect"
import type { RemoteFlags } from "../auth/google/experiments.ts"
import type { LoadedConfig } from "../config/load.ts"
import { RunFolders } from "../config/run-folders.ts"
import { Secrets } from "../config/secrets.ts"
import { contextSizes, type Explanation, type SettingsView } from "../config/settings.ts"
import { makeContextNews } from "../ide/editor-context.ts"
import type { IdeFacts } from "../ide/from-config.ts"
import * as Ide from "../ide/from-config.ts"
import { IdeCompanion } from "../ide/ide-companion.ts"
import * as Flow from "../kernel/flow.ts"
import { service, withLayer } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { ModelAccess } from "../model/model-access.ts"
import { priceLookup } from "../model/pricing.ts"
import type { ThinkingWish } from "../model/thinking.ts"
import { promptIdOf } from "../protocol/ids.ts"
import { Notices } from "../protocol/notices.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import { ChangeJournal } from "../session/undo/change-journal.ts"
import { longestOutput } from "../tools/from-config.ts"
import * as Chat from "./chat.ts"
import type { ChatOptions, TurnLimits } from "./chat-options.ts"
import * as RunBudget from "./limits/run-budget.ts"

/** Costs are counted at the prices of the settings. */
export const budget = ({ settings }: LoadedConfig, limits: RunBudget.BudgetLimits) =>
  service(RunBudget.RunBudget, RunBudget.make(limits, priceLookup(settings.get("run.prices"))))

/** Counts before the others read: they read what it cost, too. */
export const reader = RunBudget.RunBudget

export interface ChatFacts extends Pick<RunFacts, "sessionId"> {
  readonly maxTurns: TurnLimits["session"]
  /** Text is shown only when the run has ended, so an answer may be dropped and asked for again. */
  readonly showsTextAtEnd: boolean
  /** An answer whose calls were all refused is the end of the work on a prompt. */
  readonly endsWhenRefused: boolean
  /** The form that the final answer must have: a schema, or a file that holds one. */
  readonly outputSchema: string | undefined
  readonly isDebug: boolean
  /** `--thinking`; absent: as the presets say. */
  readonly thinking?: ThinkingWish | undefined
}

type ModelFor = ChatOptions["modelFor"]

/** Nothing is loaded for a wish that nobody has. */
const thinkingFor = Effect.fnUntraced(function* (wish: ThinkingWish | undefined, modelFor: ModelFor) {
  if (wish === undefined) return { modelFor, noticeFor: undefined }
  const { withThinking } = yield* lazy(() => import("../model/thinking.ts"))
  return {
    modelFor: (name, attempt) => withThinking(modelFor(name, attempt), wish).resolved,
    noticeFor: (name) => withThinking(modelFor(name, { isRetry: false }), wish).notice
  } satisfies Pick<ChatOptions, "modelFor" | "noticeFor">
})

/** What an editor has open goes before the words of a prompt. */
export const layer = (config: LoadedConfig, run: ChatFacts & IdeFacts) =>
  Ide.layer(config, run).pipe(withLayer(service(Chat.Chat, chatOf(config, run))))

const chatOf = Effect.fnUntraced(function* (config: LoadedConfig, run: ChatFacts) {
  const { configFor } = yield* ModelAccess
  const options = yield* chatOptions(config, run)
  const contract = yield* contractOf(config, run)
  const { modelFor, noticeFor } = yield* thinkingFor(run.thinking, configFor)
  const news = yield* makeContextNews((yield* IdeCompanion).context)
  const chat = yield* Chat.make({
    ...options,
    modelFor,
    noticeFor,
    contract,
    news,
    endsWhenRefused: run.endsWhenRefused
  })
  return yield* withReports(config, run, yield* withRuns(chat))
})

/** The schema is read and checked before anything is asked. */
export const contractOf = Effect.fnUntraced(function* (
  { environment }: LoadedConfig,
  { outputSchema }: Pick<ChatFacts, "outputSchema">
) {
  if (outputSchema === undefined) return undefined
  const { loadContract } = yield* lazy(() => import("./structured/load-contract.ts"))
  return yield* loadContract(outputSchema, environment.cwd)
})

/** Agents share what is not about one conversation. */
export const chatOptions = Effect.fnUntraced(function* (
  { settings }: LoadedConfig,
  { maxTurns, sessionId, showsTextAtEnd }: Pick<ChatFacts, "maxTurns" | "sessionId" | "showsTextAtEnd">
) {
  const { outputDir } = yield* RunFolders
  const { flags } = yield* ModelAccess
  const sizes = contextSizes(settings)
  return {
    promptId: (count) => promptIdOf(sessionId, count),
    role: "main",
    maxTurns: { session: maxTurns, prompt: promptTurns(settings, maxTurns) },
    room: {
      compressionThreshold: compressionThreshold(settings, flags),
      historyWindow: sizes?.historyWindow,
      messageLimits: sizes && { ...sizes.messageLimits, retainedTokens: sizes.historyWindow.retainedTokens },
      truncateThreshold: longestOutput(settings),
      outputDir,
      masking: {
        protectionThresholdTokens: orRemote(
          settings.get("contextManagement.tools.outputMasking.protectionThresholdTokens"),
          settings.explain("contextManagement.tools.outputMasking.protectionThresholdTokens"),
          flags.maskingProtection
        ),
        minPrunableThresholdTokens: orRemote(
          sizes?.minPrunableThresholdTokens ??
            settings.get("contextManagement.tools.outputMasking.minPrunableThresholdTokens"),
          settings.explain("contextManagement.tools.outputMasking.minPrunableThresholdTokens"),
          flags.maskingPrunable
        ),
        protectLatestTurn: orRemote(
          settings.get("contextManagement.tools.outputMasking.protectLatestTurn"),
          settings.explain("contextManagement.tools.outputMasking.protectLatestTurn"),
          flags.protectLatestTurn
        )
      }
    },
    detectsLoops: !settings.get("model.disableLoopDetection"),
    checksNextSpeaker: !settings.get("model.skipNextSpeakerCheck"),
    restartable: showsTextAtEnd,
    maxAttempts: settings.get("general.maxAttempts")
  } satisfies Omit<ChatOptions, "modelFor" | "contract">
})

/** So that no prompt goes on for ever, unless somebody wants it to: a limit of the person's own takes its place. */
const DEFAULT_PROMPT_TURNS = 500

const promptTurns = (settings: SettingsView, maxTurns: ChatFacts["maxTurns"]) => {
  const own = settings.get("model.maxPromptTurns")
  if (own === undefined && maxTurns !== undefined) return undefined
  const value = own ?? DEFAULT_PROMPT_TURNS
  return value < 0 ? undefined : { value, source: "model.maxPromptTurns" }
}

/** What a settings file says, else what the server of the account says, else the default. */
const orRemote = <Value>(value: Value, { sources }: Explanation, remote: Value | undefined): Value =>
  remote === undefined || sources.length > 0 ? value : remote

/** The older name of the setting counts where the newer one is not used. A share of 0 from a server says nothing. */
const compressionThreshold = (settings: SettingsView, flags: RemoteFlags): number => {
  const own = settings.explain("model.compressionThreshold")
  const older = settings.get("model.chatCompression")?.contextPercentageThreshold
  if (older !== undefined && own.sources.length === 0) return older
  const remote = flags.compressionThreshold
  const isShare = remote !== undefined && remote > 0 && remote <= 1
  return orRemote(settings.get("model.compressionThreshold"), own, isShare ? remote : undefined)
}

/** Every prompt is a run of its own in the journal. */
const withRuns = Effect.fnUntraced(function* (inner: Chat.Chat["Type"]) {
  const journal = yield* ChangeJournal
  return Chat.Chat.of({
    ...inner,
    send: (prompt) =>
      Flow.unwrap(
        Effect.gen(function* () {
          const over = yield* Deferred.make<void>()
          yield* journal.beginRun({ title: prompt.text, history: inner.history, over: Deferred.await(over) })
          return Flow.around(inner.send(prompt), Effect.ensuring(Deferred.succeed(over, undefined)))
        })
      )
  })
})

/**
 * A report of a failure that its message cannot explain: an answer that cannot be used, a request that the service
 * calls wrong, a fault of the program. Loaded when one has happened.
 */
const withReports = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { isDebug }: Pick<ChatFacts, "isDebug">,
  inner: Chat.Chat["Type"]
) {
  const services = Context.pick(Notices, Secrets)(yield* Effect.context<Notices | Secrets>())
  return Chat.Chat.of({
    ...inner,
    send: (prompt) =>
      Flow.around(
        inner.send(prompt),
        Effect.tapErrorCause((cause) =>
          Effect.flatMap(
            lazy(() => import("./error-report.ts")),
            ({ reportError }) =>
              Effect.provide(reportError(cause, { config, isDebug, history: inner.history }), services)
          )
        )
      )
  })
})
