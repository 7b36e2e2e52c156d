/** One session of line mode: its plan, its services, and the loop that runs on them. */

import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { Context, Effect, Layer, Queue } from "effect"
import { Agents } from "../../agents/agents.ts"
import { Chat } from "../../chat/chat.ts"
import { converseWithStart, withSessionEnd } from "../../chat/hooks/session-hooks.ts"
import { resumeStats } from "../../chat/stats/session-stats.ts"
import { forbidsAlways } from "../../config/administrator.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import type { SessionEndReason, SessionStartSource } from "../../hooks/hook-event.ts"
import type { Tell } from "../../hooks/hooks.ts"
import { type CompanionView, none as noCompanion } from "../../ide/ide-companion.ts"
import { lazy } from "../../kernel/lazy.ts"
import { redactSecrets } from "../../kernel/redact-secrets.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { failureLine } from "../../output/run-writer.ts"
import { Stderr } from "../../output/stderr.ts"
import { Policy } from "../../policy/policy.ts"
import * as ApprovalAtTerminal from "../../repl/approval/approval-at-terminal.ts"
import * as ApprovalInEditor from "../../repl/approval/approval-in-editor.ts"
import type { AttentionOptions } from "../../repl/attention.ts"
import type { Ending } from "../../repl/command-results.ts"
import type { ExternalEditor } from "../../repl/editor/external-editor.ts"
import type { LineEditor } from "../../repl/editor/line-editor.ts"
import { makePromptHistory } from "../../repl/editor/prompt-history.ts"
import { makeShellHistory } from "../../repl/editor/shell-history.ts"
import * as FallbackQuestions from "../../repl/fallback-questions.ts"
import { confirmPrograms } from "../../repl/first-run/confirm-programs.ts"
import { greet, sayFarewell } from "../../repl/greeting.ts"
import { lineMode } from "../../repl/line-mode.ts"
import { recall } from "../../repl/recall.ts"
import * as Transcript from "../../repl/render/transcript.ts"
import { Keyboard } from "../../repl/terminal/keyboard.ts"
import type { Screen } from "../../repl/terminal/screen.ts"
import * as UserQuestions from "../../repl/user-questions.ts"
import type { SessionPlan } from "../../session/record/session-plan.ts"
import { PersonTerminal } from "../../shell/person-terminal.ts"
import * as Slash from "../../slash/from-config.ts"
import { SessionFacts } from "../../slash/session-facts.ts"
import { administered } from "../administrator.ts"
import { appLayer } from "../compose.ts"
import { accessFacts, type RunPerson } from "../facts.ts"
import { trustNotices } from "../headless/run.ts"
import { failureOf } from "../outcome.ts"
import { planRun, type RunPlan } from "../plan.ts"
import { endStart, watchTyping } from "../telemetry/observers.ts"
import { choicesOf, conversationOf, takeUpChoices, takeUpConversation } from "./handover.ts"
import type { LineStart } from "./sessions.ts"
import type { LineInput } from "./terminal.ts"

export const converse = Effect.fn("App.converse")(function* (given: LineInput, begun: LineStart) {
  const asked = accessFacts({ options: given.options, authType: begun.reading.authType })
  const { leaving } = yield* Keyboard
  const { account, config, watch } = yield* leaving(administered(begun.config, asked))
  const [input, start] = [given, { ...begun, config }]
  const { profile } = input.facts
  const plan = yield* profile.of("load_cli_config", () =>
    planRun({
      ...config,
      options: input.options,
      trust: config.trust.trust,
      // Whoever marked the folder so may still work in it, untrusted.
      isForbiddenFolder: false
    })
  )
  const facts = { ...input.facts, sessionId: start.sessionId }
  const switches = start.choices?.extensions ?? new Map<string, boolean>()
  const { extensions, notices } = yield* loadExtensions({
    config,
    named: input.options.extensions,
    isBare: input.options.bare,
    session: switches
  })
  const app = appLayer({
    facts,
    options: input.options,
    config,
    plan,
    format: "text",
    authType: start.reading.authType,
    account,
    session: start.session,
    acceptedPrograms: yield* confirmPrograms(config, {
      isNewConversation: !start.greets && start.conversation === undefined
    }),
    extensions,
    extensionSwitches: switches,
    companion: input.companion,
    person: yield* personOf(config, input.companion ?? noCompanion)
  })
  const commands = Layer.scopedContext(profile.during("load_builtin_commands", Layer.build(Slash.layer)))
  const session = Layer.mergeAll(commands, Transcript.layer(Transcript.transcriptSettings(config.settings))).pipe(
    Layer.provideMerge(app)
  )
  const talking = inSession(input, start, {
    ...plan,
    notices: [...(yield* trustNotices({ config, options: input.options })), ...plan.notices, ...notices]
  })
  return yield* Effect.provide(Effect.zipRight(Effect.forkScoped(watch), talking), session)
}, Effect.scoped)

const inSession = Effect.fnUntraced(function* (input: LineInput, start: LineStart, plan: RunPlan) {
  const { onEvent: tell } = yield* Transcript.Transcript
  return yield* withSessionEnd(talk(input, start, plan, tell), (result) => endOf(result?.ending), tell)
}, Effect.scoped)

const talk = Effect.fnUntraced(function* (input: LineInput, start: LineStart, plan: RunPlan, tell: Tell) {
  if (start.choices !== undefined) yield* takeUpChoices(start.choices, start.config.trust.trust === "trusted")
  if (start.conversation !== undefined) yield* takeUpConversation(start.conversation)
  else if (start.session !== undefined) yield* goOnWith(start.session, start.config)
  if (start.greets) {
    // Whoever sees where to type can type.
    yield* agreeToAgents(start)
    yield* agreeToRules
    const { notice } = yield* Stderr
    const notices = [...plan.notices, ...(input.session?.notices ?? [])]
    yield* greet({ ...plan, config: start.config, notices, fromWords: input.mode.fromWords }, notice)
    if (start.config.settings.get("general.enableAutoUpdateNotification")) {
      const { updateNotice } = yield* lazy(() => import("../../cli/subcommands/update/release-source.ts"))
      yield* Effect.forkScoped(updateNotice(start.config, notice))
    }
  }
  if (start.conversation === undefined && start.session !== undefined)
    yield* recall(start.session.history, start.session.unanswered)
  const source = beginningOf(start)
  const { leaving, typed } = yield* Keyboard
  if (source !== undefined) yield* leaving(converseWithStart(source, tell))
  const { settings } = start.config
  yield* endStart({ ...input, config: start.config, plan, format: "text" })
  yield* watchTyping({ plan }, typed)
  const { ending, hasEnded, waiting } = yield* lineMode({
    firstPrompt: start.firstPrompt,
    waiting: start.waiting,
    hasEnded: start.hasEnded,
    history: yield* historiesOf(start, input.options),
    interrupted: yield* interruptions(input),
    ready: yield* serversReady(settings.get("mcp.startTimeout")),
    hasPlans: settings.get("general.plan.enabled"),
    escapesPastes: settings.get("ui.escapePastedAtSymbols"),
    steers: settings.get("experimental.modelSteering"),
    describe: (error) => {
      const { failure } = failureOf(error)
      return failure === undefined ? "" : shortened(failureLine(failure))
    },
    ...attentionOf(start.config)
  })
  if (ending._tag === "Exit") yield* sayFarewell(ending)
  const goesOn = ending._tag === "Reconfigure" || ending._tag === "SignIn"
  return {
    ending,
    waiting,
    hasEnded,
    choices: yield* choicesOf(plan),
    conversation: goesOn ? yield* conversationOf : undefined
  }
})

/** How a session of line mode begins. One that is only built anew neither begins nor ends. */
const beginningOf = ({
  conversation,
  greets,
  session
}: Pick<LineStart, "conversation" | "greets" | "session">): SessionStartSource | undefined => {
  if (conversation !== undefined) return undefined
  if (session !== undefined) return "resume"
  return greets ? "startup" : "clear"
}

const endOf = (ending: Ending | undefined): SessionEndReason | undefined => {
  switch (ending?._tag) {
    case "NewSession":
      return "clear"
    case "Resume":
      return "other"
    case "Reconfigure":
    case "SignIn":
      return undefined
    default:
      return "exit"
  }
}

/** Loaded where the project brings agents that nobody has agreed to. */
const agreeToAgents = Effect.fnUntraced(function* ({ config: { environment } }: LineStart) {
  const pending = yield* (yield* Agents).pending
  if (pending.length === 0) return
  const { confirmAgents } = yield* lazy(() => import("../../repl/first-run/agents-question.ts"))
  yield* confirmAgents(pending, environment.cwd)
})

/** Loaded where policy files of the project hold permissions that nobody has agreed to. */
const agreeToRules = Effect.gen(function* () {
  const pending = yield* (yield* Policy).pendingWorkspace
  if (pending === undefined) return
  const { confirmRules } = yield* lazy(() => import("../../repl/first-run/rules-question.ts"))
  yield* confirmRules(pending)
})

/** An error may hold a whole request; what happened stands at its beginning. */
const MAX_FAILURE_LENGTH = 1_000

const shortened = (text: string): string =>
  text.length <= MAX_FAILURE_LENGTH
    ? text
    : `${text.slice(0, MAX_FAILURE_LENGTH)}... (${text.length - MAX_FAILURE_LENGTH} more characters)`

const goOnWith = Effect.fnUntraced(function* ({ history, used }: SessionPlan, { settings }: LoadedConfig) {
  const chat = yield* Chat
  yield* chat.replaceHistory(history)
  if (used.length > 0) yield* resumeStats(used, settings)
})

const attentionOf = ({ environment, settings }: LoadedConfig): AttentionOptions => ({
  notifies: settings.get("general.enableNotifications"),
  title: settings.get("ui.hideWindowTitle") ? undefined : `gemini: ${basename(environment.cwd)}`,
  isTitleDynamic: settings.get("ui.dynamicWindowTitle")
})

/** An ephemeral conversation keeps what was typed to itself, and touches no folder of the project to read it. */
const historiesOf = Effect.fnUntraced(function* (
  { config, sessionId }: LineStart,
  { ephemeral }: Pick<LineInput["options"], "ephemeral">
) {
  const { storage } = config
  const facts = yield* SessionFacts
  const clean = yield* Effect.cached(
    Effect.map(facts.secrets, (secrets) => (text: string) => redactSecrets(text, secrets))
  )
  const inProject = (name: string) =>
    ephemeral ? Effect.fail("nothing is kept") : Effect.map(storage.projectTempDir, (folder) => join(folder, name))
  return {
    prompts: yield* makePromptHistory({ file: inProject("logs.json"), sessionId, clean }),
    commands: yield* makeShellHistory({ file: inProject("shell_history"), clean })
  }
})

/** A server that takes longer joins later, as in a headless run. Without servers there is nothing to wait for. */
const serversReady = Effect.fnUntraced(function* (waitMs: number) {
  const hub = yield* McpHub
  const servers = yield* hub.servers
  return servers.length === 0 ? undefined : Effect.asVoid(Effect.timeoutOption(hub.settled, waitMs))
})

/** SIGINT, as long as the conversation goes on. */
const interruptions = ({ facts }: LineInput) =>
  Queue.sliding<void>(1).pipe(
    Effect.tap((came) =>
      Effect.acquireRelease(
        Effect.sync(() => facts.onInterrupt(() => void came.unsafeOffer())),
        () => Effect.sync(() => facts.onInterrupt(undefined))
      )
    ),
    Effect.map((came) => Queue.take(came))
  )

/** The layers of the person answer at the terminal that is there already. */
const personOf = Effect.fnUntraced(function* (
  { environment, settings, trust }: LoadedConfig,
  companion: CompanionView
) {
  const terminal = Layer.succeedContext(
    yield* Effect.context<Screen | Keyboard | LineEditor | ExternalEditor | PersonTerminal>()
  )
  const isTrusted = trust.trust === "trusted"
  const hasOwnPolicies = isTrusted && existsSync(join(environment.cwd, ".gemini", "policies"))
  const approval = ApprovalAtTerminal.layer({
    offersSession: isTrusted && !forbidsAlways(settings),
    offersSaving: settings.get("security.enablePermanentToolApproval"),
    prefersSaving: settings.get("security.autoAddToPolicyByDefault"),
    savesTo: hasOwnPolicies ? "workspace" : "user",
    notifies: settings.get("general.enableNotifications")
  })
  return {
    approval: ApprovalInEditor.layer(companion).pipe(Layer.provide(approval), Layer.provide(terminal)),
    questions: Layer.provide(UserQuestions.layer, terminal),
    fallback: Layer.provide(FallbackQuestions.layer, terminal),
    terminal: Layer.map(terminal, Context.pick(PersonTerminal))
  } satisfies RunPerson
})
