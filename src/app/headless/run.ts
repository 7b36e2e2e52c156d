/** One prompt from flags and standard input, one answer to the writer: the run of scripts and pipelines. */
import { dirname, resolve } from "node:path"
import { Duration, Effect, Either } from "effect"
import { Chat } from "../../chat/chat.ts"
import { LimitReached } from "../../chat/chat-error.ts"
import type { Prompt } from "../../chat/chat-options.ts"
import { promptWithStart, withSessionEnd } from "../../chat/hooks/session-hooks.ts"
import type { Caching } from "../../cli/cached-answer.ts"
import type { GivenPrompt } from "../../cli/given-prompt.ts"
import type { PromptProgram } from "../../cli/program/read-program.ts"
import type { RunOptions } from "../../cli/run-options.ts"
import { AnswerNotSaved, CallsDenied } from "../../cli/usage-error.ts"
import { UntrustedFolder } from "../../config/config-error.ts"
import { isTrustedFolder, type LoadedConfig } from "../../config/load.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import type { Tell } from "../../hooks/hooks.ts"
import type { CompanionView } from "../../ide/ide-companion.ts"
import * as Flow from "../../kernel/flow.ts"
import { lazy } from "../../kernel/lazy.ts"
import { RunWriter } from "../../output/run-writer.ts"
import { Stderr } from "../../output/stderr.ts"
import { Policy } from "../../policy/policy.ts"
import { answerAfter } from "../../protocol/answer-text.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import type { OutputFormat } from "../../protocol/modes.ts"
import { type SandboxReport, sandboxLine } from "../../protocol/sandbox-report.ts"
import { Sandbox } from "../../sandbox/sandbox.ts"
import type { SessionPlan } from "../../session/record/session-plan.ts"
import { administered } from "../administrator.ts"
import { appLayer } from "../compose.ts"
import { type AppInput, accessFacts, type ProcessFacts, type RunPerson } from "../facts.ts"
import { FROM_CACHE } from "../outcome.ts"
import { planRun, type RunPlan } from "../plan.ts"
import { type Limit, maxTimeOf } from "../plan-limits.ts"
import { endStart } from "../telemetry/observers.ts"
import { preparePrompt, readPrompt } from "./prompt.ts"

export interface HeadlessInput {
  readonly facts: ProcessFacts
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly format: OutputFormat
  /** From `-p` or from words; `undefined` when it has to come from standard input. */
  readonly prompt: string | undefined
  /** `false`: standard input is not the run's to read. */
  readonly readsStdin: boolean
  /** A file whose prompt it is, in place of one that somebody typed. */
  readonly program?: PromptProgram | undefined
  /** `false`: the prompt is somebody else's, and a command in it is words like any. */
  readonly readsCommands?: false
  /** What was read already, where somebody had to know it earlier. */
  readonly given?: GivenPrompt
  readonly caching?: Caching
  /** Absent: a new session. */
  readonly session?: SessionPlan | undefined
  /** Of the editor that the run is started in. */
  readonly companion?: CompanionView | undefined
  /** Who can be asked about calls, where the run is made for somebody; nobody otherwise. */
  readonly person?: RunPerson
}

export const headlessRun = Effect.fn("App.headlessRun")((input: HeadlessInput) =>
  withinTime(timeOf(input))(runToEnd(input))
)

const runToEnd = Effect.fnUntraced(function* (given: HeadlessInput) {
  // What a run would take is found out without asking anybody.
  const { account, config: governed } = given.options.estimate
    ? { account: undefined, config: given.config }
    : yield* administered(given.config, accessFacts(given))
  const input = { ...given, config: governed, options: yield* trustedWishes(given, governed) }
  const plan = yield* input.facts.profile.of("load_cli_config", () => planOf(input))
  const { options } = input
  if (options.cache !== undefined && options.cache !== false) {
    const caching = yield* fromCache(input, plan)
    if (caching === FROM_CACHE) return FROM_CACHE
    return yield* goOn({ ...input, ...caching }, plan, account)
  }
  return yield* goOn(input, plan, account)
})

/** What was kept, or what is to be known for keeping what comes. */
const fromCache = Effect.fnUntraced(function* (input: HeadlessInput, plan: RunPlan) {
  const { beginCaching } = yield* lazy(() => import("../../cli/cached-answer.ts"))
  const given = yield* readPrompt(input)
  const caching = yield* beginCaching(input, plan, given)
  if (caching.lookup._tag === "Miss") return { caching, given }
  const { notice } = yield* Stderr
  const writer = yield* RunWriter
  yield* Effect.forEach([...input.config.settings.warnings.map(warned), ...plan.notices], notice, { discard: true })
  yield* startRun(input, plan)
  let said = ""
  yield* Effect.forEach(
    caching.lookup.answer.events,
    (event) => {
      said = answerAfter(said, event)
      return writer.onEvent(event)
    },
    { discard: true }
  )
  yield* saveAnswer(input, said)
  return FROM_CACHE
})

const warned = (warning: string): string => `[WARNING] ${warning}`

const goOn = Effect.fnUntraced(function* (input: HeadlessInput, plan: RunPlan, account: AppInput["account"]) {
  const stderr = yield* Stderr
  const { config, options } = input
  const loaded = yield* loadExtensions({ config, named: options.extensions, isBare: options.bare })
  const notices = [
    ...(yield* trustNotices(input)),
    ...input.config.settings.warnings.map(warned),
    ...plan.notices,
    ...loaded.notices,
    ...(input.session?.notices ?? []),
    ...rawOutputNotices(input)
  ]
  yield* Effect.forEach(notices, stderr.notice, { discard: true })
  const run = input.options.estimate
    ? estimate(input, plan, loaded.extensions)
    : converse(input, plan).pipe(Effect.provide(appLayer({ ...input, account, plan, extensions: loaded.extensions })))
  yield* run
})

/** Loaded where there may be something to say. */
export const trustNotices = ({ config, options }: Pick<HeadlessInput, "config" | "options">) =>
  config.trust.trust === "trusted"
    ? Effect.succeed([])
    : Effect.flatMap(
        lazy(() => import("../../config/project-contents.ts")),
        ({ untrustedNotices }) => untrustedNotices(config, { isKept: !options.ephemeral && !options.estimate })
      )

/** A file in a folder that is not trusted may ask, but runs nothing of its own and brings no rules. */
const trustedWishes = Effect.fnUntraced(function* ({ options }: HeadlessInput, config: LoadedConfig) {
  const { program } = options
  if (program === undefined || (!program.hasCommands && program.policy.length === 0)) return options
  const folder = dirname(program.file)
  if (yield* isTrustedFolder(folder, config)) return options
  if (program.hasCommands) {
    return yield* new UntrustedFolder({ folder, because: `${program.shown} runs commands of its own, !{...}` })
  }
  yield* (yield* Stderr).notice(`[WARNING] the policy of ${program.shown} does not count: ${folder} is not trusted`)
  return { ...options, program: { ...program, policy: [] } }
})

/** A bad one is told by the plan of the run. */
const timeOf = (input: HeadlessInput) => Either.getOrUndefined(maxTimeOf({ ...input, ...input.config }))

const planOf = ({ config, options }: HeadlessInput) =>
  planRun({
    options,
    settings: config.settings,
    environment: config.environment,
    trust: config.trust.trust,
    isForbiddenFolder: config.trust.rule?.level === "DO_NOT_TRUST"
  })

/** What the prompt would take, and nothing else: no key is needed, nothing is sent. */
const estimate = Effect.fnUntraced(function* (input: HeadlessInput, plan: RunPlan, extensions: AppInput["extensions"]) {
  const writer = yield* RunWriter
  const { estimateRequest } = yield* lazy(() => import("./estimate.ts"))
  const given = yield* readPrompt(input)
  yield* startRun(input, plan)
  yield* Effect.forEach(yield* estimateRequest({ ...input, plan, extensions }, given), writer.onEvent, {
    discard: true
  })
})

const rawOutputNotices = ({ format, options }: HeadlessInput): ReadonlyArray<string> =>
  options.rawOutput && !options.acceptRawOutputRisk && format === "text"
    ? [
        "[WARNING] --raw-output passes control sequences of the model to the terminal (--accept-raw-output-risk silences this)"
      ]
    : []

const converse = Effect.fnUntraced(function* (input: HeadlessInput, plan: RunPlan) {
  yield* endStart({ ...input, plan })
  const given = input.given ?? (yield* readPrompt(input))
  const sandbox = yield* Effect.flatMap(Sandbox, ({ report }) => report)
  if (sandbox !== undefined) yield* (yield* Stderr).notice(sandboxLine(sandbox))
  yield* startRun(input, plan, sandbox)
  const writer = yield* RunWriter
  // What cannot be written any more is not worth a failure of its own.
  const tell: Tell = (event) => Effect.ignore(writer.onEvent(event))
  yield* withSessionEnd(inSession(input, given, tell), () => "exit", tell)
})

const inSession = Effect.fnUntraced(function* (input: HeadlessInput, given: GivenPrompt, tell: Tell) {
  const writer = yield* RunWriter
  const withStart = yield* promptWithStart(input.session === undefined ? "startup" : "resume", tell)
  const { program, session } = input
  // Before the prompt is read: a command in it is about the conversation that goes on.
  if (session !== undefined) yield* (yield* Chat).replaceHistory(session.history)
  // What the file says are the words of whoever wrote it.
  yield* (yield* Policy).hear(program === undefined ? given.typed : [...program.values.values()].join(" "))
  const prepared =
    program === undefined
      ? yield* preparePrompt(given, {
          readsCommands: input.readsCommands ?? true,
          past: { used: session?.used ?? [], settings: input.config.settings }
        })
      : yield* Effect.flatMap(
          lazy(() => import("../../cli/program/expand-program.ts")),
          ({ expandProgram }) => expandProgram(program, given)
        )
  if (prepared._tag === "Print") {
    yield* writer.onEvent({ _tag: "Text", text: prepared.text })
    return yield* saveAnswer(input, prepared.text)
  }
  yield* Effect.forEach(prepared.notes, (note) => writer.onEvent({ _tag: "Notice", ...note }), { discard: true })
  yield* answer(input, withStart(prepared.prompt))
})

const answer = Effect.fnUntraced(function* (input: HeadlessInput, prompt: Prompt) {
  const writer = yield* RunWriter
  const chat = yield* Chat
  const denied = new Set<string>()
  const seen = input.caching === undefined ? undefined : noteIn(input.caching, yield* Policy)
  let said = ""
  const afterwards = (use: ProtocolEvent) => Effect.ignore(writer.onEvent(use))
  yield* Flow.runForEach(chat.send({ ...prompt, afterwards }), (event) => {
    said = answerAfter(said, event)
    if (event._tag === "PermissionDenied") denied.add(event.toolName)
    const written = writer.onEvent(event)
    return seen === undefined ? written : Effect.zipRight(seen(event), written)
  })
  yield* saveAnswer(input, said)
  if (input.options.demo) {
    const { demoFarewell } = yield* lazy(() => import("../../model/demo-cassette.ts"))
    yield* (yield* Stderr).notice(demoFarewell)
  }
  const tools = [...denied]
  if (input.options.failOnDenied && tools.length > 0) return yield* new CallsDenied({ tools })
  if (input.caching !== undefined) yield* input.caching.keep
})

const noteIn =
  ({ onEvent }: Caching, policy: Policy["Type"]) =>
  (event: ProtocolEvent) =>
    Effect.provideService(onEvent(event), Policy, policy)

const startRun = ({ facts }: HeadlessInput, { model, trust }: RunPlan, sandbox?: SandboxReport) =>
  Effect.flatMap(RunWriter, (writer) =>
    writer.onEvent({
      _tag: "RunStarted",
      sessionId: facts.sessionId,
      model,
      trust,
      ...(sandbox === undefined ? {} : { sandbox })
    })
  )

/** Only of a run that succeeded: whoever finds the file finds an answer. */
const saveAnswer = Effect.fnUntraced(function* ({ config, options }: HeadlessInput, answer: string) {
  if (options.lastMessageFile === undefined) return
  const file = resolve(config.environment.cwd, options.lastMessageFile)
  const { writeFileAtomic } = yield* lazy(() => import("../../system/atomic-write.ts"))
  yield* writeFileAtomic({ file, content: answer }).pipe(
    Effect.mapError(({ code }) => new AnswerNotSaved({ file, code }))
  )
})

const withinTime =
  (limit: Limit<Duration.Duration> | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | LimitReached, R> =>
    limit === undefined
      ? effect
      : Effect.timeoutFail(effect, {
          duration: limit.value,
          onTimeout: () =>
            new LimitReached({ limit: "time", value: Duration.format(limit.value), source: limit.source })
        })
