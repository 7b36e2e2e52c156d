/** `gemini batch`: one process, one configuration and one client for many conversations. */

import { resolve } from "node:path"
import { Effect, Either, Exit, Layer, Ref, Runtime } from "effect"
import * as Agents from "../../agents/from-config.ts"
import type { BatchError } from "../../batch/batch-error.ts"
import { BatchError as Failed } from "../../batch/batch-error.ts"
import type { BatchRequest } from "../../batch/batch-request.ts"
import type { BatchItem } from "../../batch/input/batch-item.ts"
import { isPlain, itemInstruction, withItemRequests, withItemTools } from "../../batch/item-settings.ts"
import * as RateGate from "../../batch/rate/rate-gate.ts"
import { withRate } from "../../batch/rate/with-rate.ts"
import { type ItemRunner, runItem } from "../../batch/run/item-runner.ts"
import { type BatchAround, type RunFailed, runBatch } from "../../batch/run-batch.ts"
import { Chat } from "../../chat/chat.ts"
import * as Chats from "../../chat/from-config.ts"
import { readCommandLine } from "../../cli/command-line.ts"
import type { RunOptions } from "../../cli/run-options.ts"
import { usageError } from "../../cli/usage-error.ts"
import { loadConfig } from "../../config/load.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import * as Hooks from "../../hooks/from-config.ts"
import { service, serviceOf, withLayer } from "../../kernel/layers.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import * as Model from "../../model/from-config.ts"
import * as ModelAccess from "../../model/model-access.ts"
import { ModelClient } from "../../model/model-client.ts"
import * as Routing from "../../model/routing/from-config.ts"
import { failureLine } from "../../output/run-writer.ts"
import { Stderr } from "../../output/stderr.ts"
import { Stdout } from "../../output/stdout.ts"
import type { SystemPrompt } from "../../prompt/system-prompt.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import * as RunReaders from "../../protocol/run-readers.ts"
import * as Session from "../../session/from-config.ts"
import { SessionRecorder, none as unrecorded } from "../../session/record/session-recorder.ts"
import * as ChangeJournal from "../../session/undo/change-journal.ts"
import * as Undo from "../../session/undo/from-config.ts"
import * as SessionFacts from "../../slash/session-facts.ts"
import * as Mcp from "../../tools/mcp/from-config.ts"
import { during, foundations, request as requestServices } from "../compose.ts"
import { type AppInput, type ProcessFacts, runFacts } from "../facts.ts"
import { trustNotices } from "../headless/run.ts"
import { outcomeOf, type RunError } from "../outcome.ts"
import { planRun } from "../plan.ts"
import type { Limit } from "../plan-limits.ts"
import * as Observers from "../telemetry/observers.ts"

/** The exit code; what is wrong has been said. */
export const runBatchCommand = (facts: ProcessFacts, request: BatchRequest) =>
  Effect.gen(function* () {
    const stderr = yield* Stderr
    const say = (failure: { readonly message: string; readonly hint?: string | undefined }) =>
      stderr.write(
        `${failureLine({ type: "Error", message: failure.message, ...(failure.hint === undefined ? {} : { hint: failure.hint }) })}\n`
      )
    return yield* begun(facts, request).pipe(
      Effect.catchTags({
        BatchError: (error: BatchError) =>
          error.kind === "closed" ? Effect.succeed(error.exitCode) : Effect.as(say(error), error.exitCode),
        RunFailed: ({ outcome }: RunFailed) => {
          const { exitCode, failure } = outcome
          return Effect.as(failure === undefined ? Effect.void : say(failure), exitCode)
        }
      })
    )
  })

const begun = Effect.fnUntraced(function* (facts: ProcessFacts, request: BatchRequest) {
  const stdout = yield* Stdout
  const stderr = yield* Stderr
  const { contract, input } = yield* asRun(facts, appInput(facts, request))
  const { config, plan } = input
  yield* Effect.forEach(
    [...(yield* trustNotices(input)), ...config.settings.warnings.map((text) => `[WARNING] ${text}`), ...plan.notices],
    stderr.notice,
    {
      discard: true
    }
  )
  const interrupts = yield* Ref.make(0)
  const around: BatchAround = {
    cwd: config.environment.cwd,
    stdin: { isTerminal: facts.stdinIsTerminal, chunks: () => Bun.stdin.stream() },
    facts: { model: plan.model, approvalMode: plan.approvalMode, outputSchema: contract?.instruction },
    limits: { maxCost: plan.maxCost?.value, maxTokens: plan.maxTokens?.value },
    startLive: ({ common, earlierAttempts }) =>
      Effect.gen(function* () {
        const gate = yield* RateGate.make({
          concurrency: request.concurrency,
          waitsForQuota: plan.onQuota.action === "wait"
        })
        const own = itemInput(input, request)
        const openChat = yield* asRun(
          facts,
          chats(own, request, (client) =>
            withRate(withItemRequests(client, request), gate, { retries: request.retries })
          )
        )
        const runner: ItemRunner<RunError> = {
          cwd: config.environment.cwd,
          request,
          gate,
          common,
          earlierAttempts,
          outcomeOf: (exit) => outcomeOf(exit, undefined),
          openChat: (sessionId) => openChat({ ...own, facts: { ...own.facts, sessionId } })
        }
        return {
          work: (item: BatchItem) => runItem(runner, item),
          waiting: Effect.map(gate.state, ({ wait }) => wait)
        }
      }).pipe(Effect.provideService(Stderr, stderr)),
    stdout: (text) =>
      Effect.mapError(
        stdout.write(text),
        (error) => new Failed({ kind: error.kind === "closed" ? "closed" : "storage", message: error.message })
      ),
    say: stderr.write,
    status: stderr.isTerminal && facts.env.TERM !== "dumb" ? stderr.status : undefined,
    isCancelled: Effect.map(Ref.get(interrupts), (count) => count > 0)
  }
  return yield* withInterrupts(facts, interrupts, runBatch(atPlace(request, around.cwd), around))
})

/** A new conversation, over what all items share: without tools that is everything but the conversation. */
const chats = Effect.fnUntraced(function* (
  input: AppInput,
  request: BatchRequest,
  share: Parameters<typeof batchLayer>[1]
) {
  const instruct = itemInstruction(request)
  if (isPlain(request)) {
    const all = yield* Layer.build(batchLayer(input, share).pipe(withLayer(itemLayer(input, instruct))))
    return (own: AppInput) => Effect.provide(serviceOf(Chat, plainItemLayer(own)), all)
  }
  const shared = yield* Layer.build(batchLayer(input, share))
  return (own: AppInput) => Effect.provide(serviceOf(Chat, itemLayer(own, instruct)), shared)
})

/** Whatever stands in the way of a run stands in the way of a batch, and is said in the same words. */
const asRun = <A, R>(facts: ProcessFacts, effect: Effect.Effect<A, RunError, R>): Effect.Effect<A, RunFailed, R> =>
  Effect.catchAllCause(effect, (cause) =>
    Effect.fail<RunFailed>({ _tag: "RunFailed", outcome: outcomeOf(Exit.failCause(cause), facts.stoppedBy()) })
  )

const appInput = Effect.fnUntraced(function* (facts: ProcessFacts, request: BatchRequest) {
  const options = yield* optionsOf(request, facts)
  const loaded = yield* loadConfig({
    env: facts.env,
    cwd: facts.cwd ?? "/",
    platform: facts.platform,
    flags: { skipTrust: options.skipTrust, ignoreEnv: options.ignoreEnv, ignoreProject: options.bare }
  })
  const config = withItemTools(loaded, request)
  const plan = yield* planRun({
    options,
    settings: config.settings,
    environment: config.environment,
    trust: config.trust.trust,
    isForbiddenFolder: config.trust.rule?.level === "DO_NOT_TRUST"
  })
  const { extensions } = yield* loadExtensions({ config, named: options.extensions, isBare: options.bare })
  const contract = yield* Chats.contractOf(config, { outputSchema: options.outputSchema })
  const input: AppInput = { facts, options, config, plan, extensions, format: "json" }
  return { contract, input }
})

const optionsOf = ({ context, flags, tier }: BatchRequest, facts: ProcessFacts): Either.Either<RunOptions, RunError> =>
  Either.flatMap(
    readCommandLine(["--prompt=any", `--tier=${tier}`, ...(context ? [] : ["--bare"]), ...flags], facts),
    (command): Either.Either<RunOptions, RunError> =>
      command._tag === "Run" ? Either.right(command.options) : Either.left(usageError("only prompts can be run"))
  )

/** The limits of the batch are kept by the batch; an item has its own. */
const itemInput = (input: AppInput, request: BatchRequest): AppInput => ({
  ...input,
  plan: {
    ...input.plan,
    maxTime: undefined,
    maxTokens: undefined,
    maxCost: itemCost(request.itemMaxCost, input.plan.maxCost)
  }
})

/** Files that are named are those of the folder in which the batch was started. */
const atPlace = (request: BatchRequest, cwd: string): BatchRequest => {
  const at = (file: string | undefined) => (file === undefined || /^fd:\d+$/.test(file) ? file : resolve(cwd, file))
  return {
    ...request,
    output: request.output === "-" ? "-" : resolve(cwd, request.output),
    errors: at(request.errors),
    report: at(request.report),
    events: at(request.events)
  }
}

/** The first Ctrl-C begins no more items, the second one drops those that are under way. */
const withInterrupts = <E, R>(facts: ProcessFacts, count: Ref.Ref<number>, batch: Effect.Effect<number, E, R>) =>
  Effect.gen(function* () {
    const stderr = yield* Stderr
    const run = Runtime.runFork(yield* Effect.runtime())
    const isDropped = yield* Effect.makeLatch(false)
    const heed = Effect.flatMap(
      Ref.updateAndGet(count, (before) => before + 1),
      (times) =>
        times === 1 ? stderr.write("[INFO] finishing the items under way; Ctrl-C again drops them\n") : isDropped.open
    )
    facts.onInterrupt(() => void run(heed))
    return yield* Effect.raceFirst(batch, Effect.as(isDropped.await, ExitCode.sigint)).pipe(
      Effect.ensuring(Effect.sync(() => facts.onInterrupt(undefined)))
    )
  })

/** What the items of a batch share: all that is not about one conversation. */
const batchLayer = (input: AppInput, share: (client: ModelClient["Type"]) => ModelClient["Type"]) => {
  const { config } = input
  const run = runFacts(input)
  return foundations(input, run).pipe(
    withLayer(during(input, "authenticate", ModelAccess.layer(config, run))),
    withLayer(SessionFacts.layer(run)),
    withLayer(Observers.telemetry(input)),
    withLayer(Model.sharedClient(config, run, share)),
    withLayer(Mcp.hub(config, run))
  )
}

/** One conversation among many: everything that remembers something is its own, and nothing of it is recorded. */
const itemLayer = (input: AppInput, instruct: Layer.Layer<SystemPrompt, never, SystemPrompt>) => {
  const { config } = input
  const run = runFacts(input)
  const model = Model.selected(run).pipe(withLayer(service(ModelClient, ModelClient)))
  const asked = requestServices(input, run, model, service(McpHub, McpHub)).pipe(withLayer(instruct))
  return service(SessionRecorder, Effect.succeed(unrecorded)).pipe(
    withLayer(Session.transcriptFile),
    withLayer(Hooks.layer(config, run)),
    withLayer(Undo.layer(config, run)),
    withLayer(Chats.budget(config, run)),
    withLayer(asked),
    withLayer(Agents.connected(config, run)),
    withLayer(Routing.layer(config, run)),
    withLayer(RunReaders.layer(Chats.reader, Observers.reader(input))),
    withLayer(Chats.layer(config, run))
  )
}

/**
 * Items without tools remember nothing but their conversation and what it cost: the rest is made once for all of them,
 * which takes a tenth of the time. It stands on an `itemLayer` that is never asked itself.
 */
const plainItemLayer = (input: AppInput) => {
  const { config } = input
  const run = runFacts(input)
  return Model.selected(run).pipe(
    withLayer(ChangeJournal.layerNone),
    withLayer(Chats.budget(config, run)),
    withLayer(RunReaders.layer(Chats.reader, Observers.reader(input))),
    withLayer(Chats.layer(config, run))
  )
}

/** The money that one item may take: its own limit, and never more than that of the batch. */
const itemCost = (own: number | undefined, all: Limit<number> | undefined): Limit<number> | undefined =>
  own === undefined || (all !== undefined && all.value < own) ? all : { value: own, source: "--item-max-cost" }
