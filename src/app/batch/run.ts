/** `gemini batch`: one process, one configuration and one client for many conversations. */

import { resolve } from "node:path"
import { Cause, Effect, Either, Exit, Layer, Option, Ref, Runtime } from "effect"
import { readContext } from "../../batch/api/cached-context.ts"
import { type EngineInput, liveCache, type ModelWish, openReader, startApi } from "../../batch/api/open-engine.ts"
import { type TendRequest, tendJobs } from "../../batch/api/tend-jobs.ts"
import { type BatchError, badInput, BatchError as Failed } from "../../batch/batch-error.ts"
import type { BatchRequest } from "../../batch/batch-request.ts"
import type { BatchItem } from "../../batch/input/batch-item.ts"
import * as RateGate from "../../batch/rate/rate-gate.ts"
import { withRate } from "../../batch/rate/with-rate.ts"
import {
  type ItemRunner,
  isPlain,
  itemInstruction,
  runItem,
  withCachedContext,
  withItemTools
} from "../../batch/run/item-runner.ts"
import { itemCopies } from "../../batch/run/item-worktree.ts"
import { type BatchAround, type RunFailed, runBatch } from "../../batch/run-batch.ts"
import { Chat } from "../../chat/chat.ts"
import * as Chats from "../../chat/from-config.ts"
import { readCommandLine } from "../../cli/command-line.ts"
import type { RunOptions } from "../../cli/run-options.ts"
import { usageError } from "../../cli/usage-error.ts"
import { loadConfig } from "../../config/load.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import { serviceOf, withLayer } from "../../kernel/layers.ts"
import { ModelAccess } from "../../model/model-access.ts"
import { failureLine } from "../../output/run-writer.ts"
import { Stderr } from "../../output/stderr.ts"
import { Stdout } from "../../output/stdout.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import type { RunFailure } from "../../protocol/outcome.ts"
import { batchLayer, copyLayer, ground, itemLayer, plainItemLayer } from "../compose.ts"
import { type AppInput, type ProcessFacts, runFacts } from "../facts.ts"
import { trustNotices } from "../headless/run.ts"
import { outcomeOf, type RunError } from "../outcome.ts"
import { planRun } from "../plan.ts"
import type { Limit } from "../plan-limits.ts"

/** The exit code; what is wrong has been said. */
export const runBatchCommand = (facts: ProcessFacts, request: BatchRequest) => failing(begun(facts, request))

/** What is done about jobs that were made before. */
export const tendJobsCommand = (facts: ProcessFacts, request: TendRequest) => failing(tended(facts, request))

const failing = <R>(command: Effect.Effect<number, BatchError | RunFailed, R>) =>
  Effect.gen(function* () {
    const stderr = yield* Stderr
    const say = (failure: RunFailure) => stderr.write(`${failureLine(failure)}\n`)
    return yield* command.pipe(
      Effect.catchTags({
        BatchError: (error: BatchError) =>
          error.kind === "closed" ? Effect.succeed(error.exitCode) : Effect.as(say(error.failure), error.exitCode),
        RunFailed: ({ outcome }: RunFailed) => {
          const { exitCode, failure } = outcome
          return Effect.as(failure === undefined ? Effect.void : say(failure), exitCode)
        }
      })
    )
  })

const tended = Effect.fnUntraced(function* (facts: ProcessFacts, request: TendRequest) {
  const { console, interrupts } = yield* surroundings(facts)
  const stderr = yield* Stderr
  const around = {
    ...console,
    open: (options: Readonly<Record<string, string>>) =>
      Effect.gen(function* () {
        const { model = "auto", "output-schema": schema } = options
        const { contract, input } = yield* appInput(facts, {
          context: false,
          tools: undefined,
          appendSystemPrompt: undefined,
          tier: "standard",
          flags: [
            `--model=${model}`,
            ...(schema === undefined ? [] : [`--output-schema=${schema}`]),
            ...(request.skipTrust ? ["--skip-trust"] : [])
          ]
        })
        return yield* withAccess(input, openReader({ wish: wishOf(input), contract }, `gemini batch ${request.action}`))
      }).pipe((open) => asRun(facts, open), Effect.provideService(Stderr, stderr))
  }
  const output = resolve(facts.cwd ?? "/", request.output)
  const tending = asRun(facts, tendJobs<RunFailed>({ ...request, output }, around))
  return yield* withInterrupts(facts, interrupts, tending)
})

/** Where a batch says what, and who may end it. */
const surroundings = Effect.fnUntraced(function* (facts: ProcessFacts) {
  const stdout = yield* Stdout
  const stderr = yield* Stderr
  const interrupts = yield* makeInterrupts
  const console = {
    stdout: (text: string) =>
      Effect.mapError(
        stdout.write(text),
        (error) => new Failed({ kind: error.kind === "closed" ? "closed" : "storage", message: error.message })
      ),
    say: stderr.write,
    status: stderr.isTerminal && facts.env.TERM !== "dumb" ? stderr.status : undefined,
    isCancelled: Effect.map(Ref.get(interrupts.count), (count) => count > 0),
    cancelled: interrupts.first.await
  }
  return { console, interrupts }
})

const begun = Effect.fnUntraced(function* (facts: ProcessFacts, request: BatchRequest) {
  const stderr = yield* Stderr
  const { contract, input } = yield* asRun(facts, appInput(facts, request))
  const { config, plan } = input
  const context = yield* readContext(request.cachedContext, config.environment.cwd)
  yield* Effect.forEach(
    [...(yield* trustNotices(input)), ...config.settings.warnings.map((text) => `[WARNING] ${text}`), ...plan.notices],
    stderr.notice,
    {
      discard: true
    }
  )
  const { console, interrupts } = yield* surroundings(facts)
  const engine: EngineInput = {
    wish: wishOf(input),
    waitsForQuota: plan.onQuota.action === "wait",
    request,
    contract,
    context
  }
  const around: BatchAround = {
    cwd: config.environment.cwd,
    stdin: { isTerminal: facts.stdinIsTerminal, chunks: () => Bun.stdin.stream() },
    facts: {
      model: plan.model,
      approvalMode: plan.approvalMode,
      outputSchema: contract?.schema,
      thinking: plan.thinking === undefined ? undefined : String(plan.thinking),
      cachedContext: context?.text
    },
    limits: { maxCost: plan.maxCost?.value, maxTokens: plan.maxTokens?.value },
    startApi: (start) =>
      Effect.provideService(asRun(facts, withAccess(input, startApi(engine, start))), Stderr, stderr),
    startLive: (start) =>
      Effect.gen(function* () {
        const { common, earlierAttempts } = start
        const cache = yield* asRun(facts, withAccess(input, liveCache(engine, start)))
        const gate = yield* RateGate.make({
          concurrency: request.concurrency,
          waitsForQuota: plan.onQuota.action === "wait"
        })
        const own = itemInput(input, request)
        const copies = request.worktreePerItem ? yield* copiesFor(input, request.output) : undefined
        const openChat = yield* asRun(
          facts,
          chats(own, request, (client) =>
            withRate(withCachedContext(client, cache), gate, { retries: request.retries })
          )
        )
        const runner: ItemRunner<RunError> = {
          cwd: config.environment.cwd,
          request,
          gate,
          common,
          earlierAttempts,
          outcomeOf: (exit) => outcomeOf(exit, undefined),
          copies,
          openChat: (sessionId, cwd) => openChat(atFolder({ ...own, facts: { ...own.facts, sessionId } }, cwd))
        }
        return {
          work: (item: BatchItem) => runItem(runner, item),
          waiting: Effect.map(gate.state, ({ wait }) => wait)
        }
      }).pipe(Effect.provideService(Stderr, stderr)),
    ...console,
    outcomeOf: (exit) => outcomeOf(exit, undefined)
  }
  return yield* withInterrupts(facts, interrupts, runBatch(atPlace(request, around.cwd), around))
})

const wishOf = ({ config, facts, plan }: AppInput): ModelWish => ({
  config,
  platform: facts.platform,
  model: plan.model,
  thinking: plan.thinking,
  outcomeOf: (exit) => outcomeOf(exit, undefined)
})

/** How the model is reached is all that the batch service asks of a run. */
const withAccess = <A, E, R>(input: AppInput, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(serviceOf(ModelAccess, ground(input, runFacts(input))), (access) =>
    Effect.provideService(effect, ModelAccess, access)
  )

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
  if (request.worktreePerItem) {
    const stderr = yield* Stderr
    // In a copy everything that knows a folder is an item's own, its servers included.
    return (own: AppInput) =>
      serviceOf(Chat, copyLayer(own, instruct)).pipe(Effect.provide(shared), Effect.provideService(Stderr, stderr))
  }
  return (own: AppInput) => Effect.provide(serviceOf(Chat, itemLayer(own, instruct)), shared)
})

const atFolder = (input: AppInput, cwd: string): AppInput =>
  cwd === input.config.environment.cwd
    ? input
    : { ...input, config: { ...input.config, environment: { ...input.config.environment, cwd } } }

/** Files of the repository say what git does: nobody runs it where they are not trusted. */
const copiesFor = ({ config }: AppInput, output: string) =>
  config.trust.trust === "trusted"
    ? itemCopies({ cwd: config.environment.cwd, variables: config.environment.variables, output })
    : badInput(
        "--worktree-per-item runs git, and the folder is not trusted",
        "Add --skip-trust to trust it for this batch."
      )

/** Whatever stands in the way of a run stands in the way of a batch, and is said in the same words. */
const asRun = <A, R>(
  facts: ProcessFacts,
  effect: Effect.Effect<A, RunError | BatchError | RunFailed, R>
): Effect.Effect<A, RunFailed | BatchError, R> =>
  Effect.catchAllCause(effect, (cause): Effect.Effect<never, RunFailed | BatchError> => {
    const failure = Option.getOrUndefined(Cause.failureOption(cause))
    if (failure?._tag === "BatchError") return failure
    if (failure?._tag === "RunFailed") return Effect.fail(failure)
    const outcome = outcomeOf(Exit.failCause(cause as Cause.Cause<RunError>), facts.stoppedBy())
    return Effect.fail<RunFailed>({ _tag: "RunFailed", outcome })
  })

type Asked = Pick<BatchRequest, "context" | "tools" | "tier" | "flags" | "appendSystemPrompt">

const appInput = Effect.fnUntraced(function* (facts: ProcessFacts, request: Asked) {
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

const optionsOf = ({ context, flags, tier }: Asked, facts: ProcessFacts): Either.Either<RunOptions, RunError> =>
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

interface Interrupts {
  readonly count: Ref.Ref<number>
  readonly first: Effect.Latch
}

const makeInterrupts: Effect.Effect<Interrupts> = Effect.all({ count: Ref.make(0), first: Effect.makeLatch(false) })

/** The first Ctrl-C begins no more items, the second one drops those that are under way. */
const withInterrupts = <E, R>(facts: ProcessFacts, { count, first }: Interrupts, batch: Effect.Effect<number, E, R>) =>
  Effect.gen(function* () {
    const stderr = yield* Stderr
    const run = Runtime.runFork(yield* Effect.runtime())
    const isDropped = yield* Effect.makeLatch(false)
    const heed = Effect.flatMap(
      Ref.updateAndGet(count, (before) => before + 1),
      (times) =>
        times === 1
          ? Effect.zipRight(first.open, stderr.write("[INFO] finishing the items under way; Ctrl-C again drops them\n"))
          : isDropped.open
    )
    facts.onInterrupt(() => void run(heed))
    return yield* Effect.raceFirst(batch, Effect.as(isDropped.await, ExitCode.sigint)).pipe(
      Effect.ensuring(Effect.sync(() => facts.onInterrupt(undefined)))
    )
  })

/** The money that one item may take: its own limit, and never more than that of the batch. */
const itemCost = (own: number | undefined, all: Limit<number> | undefined): Limit<number> | undefined =>
  own === undefined || (all !== undefined && all.value < own) ? all : { value: own, source: "--item-max-cost" }
