/** One session of line mode: its plan, its services, and the loop that runs on them. */
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect, Layer, Queue } from "effect"
import { Chat } from "../chat/chat.ts"
import { withoutOpening } from "../chat/prompt-messages.ts"
import { SessionStats } from "../chat/stats/session-stats.ts"
import { version } from "../cli/version.ts"
import { CommandRegistry } from "../commands/command-registry.ts"
import { farewell } from "../commands/stats/session-stats-text.ts"
import type { LoadedConfig } from "../config/load.ts"
import { SelectedModel } from "../model/selected-model.ts"
import { failureLine } from "../output/run-writer.ts"
import { Stderr } from "../output/stderr.ts"
import { Policy } from "../policy/policy.ts"
import * as ApprovalAtTerminal from "../repl/approval/approval-at-terminal.ts"
import type { AttentionOptions } from "../repl/attention.ts"
import type { Carried } from "../repl/command-results.ts"
import type { ExternalEditor } from "../repl/editor/external-editor.ts"
import { LineEditor } from "../repl/editor/line-editor.ts"
import { makePromptHistory } from "../repl/editor/prompt-history.ts"
import { makeShellHistory } from "../repl/editor/shell-history.ts"
import { lineMode } from "../repl/line-mode.ts"
import { recall } from "../repl/recall.ts"
import { bannerLines } from "../repl/render/banner.ts"
import { paintWith } from "../repl/render/paint.ts"
import * as Transcript from "../repl/render/transcript.ts"
import { transcriptSettings } from "../repl/render/transcript-settings.ts"
import { Keyboard } from "../repl/terminal/keyboard.ts"
import { Screen } from "../repl/terminal/screen.ts"
import * as UserQuestions from "../repl/user-questions.ts"
import { SessionRecorder } from "../session/session-recorder.ts"
import { appLayer, type Person } from "./app.ts"
import { commandsLayer } from "./commands-layer.ts"
import type { LineInput } from "./line-run.ts"
import type { SessionStart } from "./line-session.ts"
import { failureOf } from "./outcome.ts"
import { planRun, type RunPlan } from "./run-plan.ts"
import { endStart, watchTyping } from "./run-telemetry.ts"

export const converse = Effect.fn("App.converse")(function* (input: LineInput, start: SessionStart) {
  const { config } = start
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
  const app = appLayer({
    facts,
    options: input.options,
    config,
    plan,
    format: "text",
    authType: start.reading.authType,
    session: start.session,
    person: yield* personOf(config)
  })
  const commands = Layer.scopedContext(profile.during("load_builtin_commands", Layer.build(commandsLayer)))
  const session = Layer.mergeAll(commands, Transcript.layer(transcriptSettings(config.settings))).pipe(
    Layer.provideMerge(app)
  )
  return yield* Effect.provide(inSession(input, start, plan), session)
})

const inSession = Effect.fnUntraced(function* (input: LineInput, start: SessionStart, plan: RunPlan) {
  if (start.carried !== undefined) yield* takeUp(start.carried)
  else if (start.session !== undefined) yield* (yield* Chat).replaceHistory(start.session.history)
  if (start.greets) yield* greet(input, start, plan)
  if (start.carried === undefined && start.session !== undefined) yield* recall(start.session.history)
  const { settings } = start.config
  yield* endStart({ ...input, config: start.config, plan, format: "text" })
  yield* watchTyping({ plan }, (yield* Keyboard).typed)
  const { ending, waiting } = yield* lineMode({
    firstPrompt: start.firstPrompt,
    waiting: start.waiting,
    history: yield* historiesOf(start),
    interrupted: yield* interruptions(input),
    hasPlans: settings.get("general.plan.enabled"),
    describe: (error) => {
      const { failure } = failureOf(error)
      return failure === undefined ? "" : failureLine(failure)
    },
    ...attentionOf(start.config)
  })
  if (ending._tag === "Exit") yield* sayFarewell(ending)
  return { ending, waiting }
}, Effect.scoped)

/** What the session took, and how to go on with it; nothing when nothing was asked. */
const sayFarewell = Effect.fnUntraced(function* ({ deletesSession }: { readonly deletesSession: boolean }) {
  const screen = yield* Screen
  const stats = yield* SessionStats
  const recorder = yield* SessionRecorder
  const words = farewell(yield* stats.current)
  if (words !== "") yield* screen.print(words)
  if (deletesSession || (yield* recorder.file) === undefined) return
  const { sessionId } = yield* recorder.session
  yield* screen.print(`To go on with this conversation: gemini --resume ${handle(sessionId)}`)
})

/** The beginning of an id that was made up is enough; one that a person chose may begin like another. */
const handle = (sessionId: string): string =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sessionId) ? sessionId.slice(0, 8) : sessionId

/** What the person should know before the first line. */
const greet = Effect.fnUntraced(function* (input: LineInput, { config }: SessionStart, plan: RunPlan) {
  const screen = yield* Screen
  const stderr = yield* Stderr
  const editor = yield* LineEditor
  yield* editor.setViKeys(config.settings.get("general.vimMode"))
  yield* Effect.forEach(noticesOf(input, config, plan), stderr.notice, { discard: true })
  yield* screen.print(yield* banner(config, plan))
  // Commands are read from files: nobody has to wait for that before typing.
  yield* Effect.forkScoped(tellOfCommands)
})

const banner = ({ environment, settings, trust }: LoadedConfig, { approvalMode, model }: RunPlan) =>
  Effect.gen(function* () {
    const { columns, style } = yield* Screen
    const facts = {
      version,
      model,
      folder: environment.cwd,
      home: environment.home,
      trust: trust.trust,
      mode: approvalMode,
      isHidden: settings.get("ui.hideBanner")
    }
    const lines = bannerLines(facts, { columns: yield* columns, unicode: style.unicode, paint: paintWith(style) })
    return lines.join("\n")
  })

const tellOfCommands = Effect.gen(function* () {
  const registry = yield* CommandRegistry
  const stderr = yield* Stderr
  yield* Effect.forEach(yield* registry.notices, stderr.notice, { discard: true })
})

const noticesOf = ({ mode, session }: LineInput, { environment, settings }: LoadedConfig, plan: RunPlan) => [
  ...settings.warnings.map((warning) => `[WARNING] ${warning}`),
  ...plan.notices,
  ...(session?.notices ?? []),
  ...(environment.cwd === environment.home && settings.get("ui.showHomeDirectoryWarning")
    ? ["[WARNING] this is your home folder: everything in it is within reach. A project folder is safer and faster."]
    : []),
  ...(mode.fromWords ? ['[INFO] words begin a conversation; gemini -p "..." answers once and ends'] : [])
]

const attentionOf = ({ environment, settings }: LoadedConfig): AttentionOptions => ({
  notifies: settings.get("general.enableNotifications"),
  title: settings.get("ui.hideWindowTitle") ? undefined : `gemini: ${basename(environment.cwd)}`,
  isTitleDynamic: settings.get("ui.dynamicWindowTitle")
})

/** A mode that is forbidden by now is not taken up. */
const takeUp = Effect.fnUntraced(function* ({ history, mode, model }: Carried) {
  const chat = yield* Chat
  const policy = yield* Policy
  const selected = yield* SelectedModel
  if (history.length > 0) yield* chat.replaceHistory(withoutOpening(history))
  yield* Effect.ignore(policy.setMode(mode))
  yield* selected.set(model)
})

const historiesOf = Effect.fnUntraced(function* ({ config, sessionId }: SessionStart) {
  const { storage } = config
  const clean = yield* Effect.cached(
    Effect.map(
      Effect.promise(() => import("./run-secrets.ts")),
      ({ cleanerOf }) => cleanerOf(config)
    )
  )
  const inProject = (name: string) => Effect.map(storage.projectTempDir, (folder) => join(folder, name))
  return {
    prompts: yield* makePromptHistory({ file: inProject("logs.json"), sessionId, clean }),
    commands: yield* makeShellHistory(inProject("shell_history"))
  }
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
const personOf = Effect.fnUntraced(function* ({ environment, settings, trust }: LoadedConfig) {
  const terminal = Layer.succeedContext(yield* Effect.context<Screen | Keyboard | LineEditor | ExternalEditor>())
  const isTrusted = trust.trust === "trusted"
  const hasOwnPolicies = isTrusted && existsSync(join(environment.cwd, ".gemini", "policies"))
  const approval = ApprovalAtTerminal.layer({
    offersSession: isTrusted && !settings.get("security.disableAlwaysAllow"),
    offersSaving: settings.get("security.enablePermanentToolApproval"),
    savesTo: hasOwnPolicies ? "workspace" : "user",
    notifies: settings.get("general.enableNotifications")
  })
  return {
    approval: Layer.provide(approval, terminal),
    questions: Layer.provide(UserQuestions.layer, terminal)
  } satisfies Person
})
