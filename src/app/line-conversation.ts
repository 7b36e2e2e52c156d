/** One session of line mode: its plan, its services, and the loop that runs on them. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Queue } from "effect"
import { Chat } from "../chat/chat.ts"
import { SessionStats } from "../chat/stats/session-stats.ts"
import type { LoadedConfig } from "../config/load.ts"
import { SelectedModel } from "../model/selected-model.ts"
import { failureLine } from "../output/run-writer.ts"
import { Policy } from "../policy/policy.ts"
import * as ApprovalAtTerminal from "../repl/approval/approval-at-terminal.ts"
import type { Carried, Ending } from "../repl/command-results.ts"
import type { ExternalEditor } from "../repl/editor/external-editor.ts"
import type { LineEditor } from "../repl/editor/line-editor.ts"
import { makePromptHistory } from "../repl/editor/prompt-history.ts"
import { makeShellHistory } from "../repl/editor/shell-history.ts"
import { lineMode } from "../repl/line-mode.ts"
import type { Keyboard } from "../repl/terminal/keyboard.ts"
import { Screen } from "../repl/terminal/screen.ts"
import * as UserQuestions from "../repl/user-questions.ts"
import { type SessionStart as RecorderStart, SessionRecorder } from "../session/session-recorder.ts"
import { appLayer, type Person } from "./app.ts"
import { commandsLayer } from "./commands-layer.ts"
import type { LineInput } from "./line-run.ts"
import type { SessionStart } from "./line-session.ts"
import { failureOf } from "./outcome.ts"
import * as PlainTranscript from "./plain-transcript.ts"
import { planRun } from "./run-plan.ts"

export const converse = Effect.fn("App.converse")(function* (input: LineInput, start: SessionStart) {
  const { config } = start
  const plan = yield* planRun({
    ...config,
    options: input.options,
    trust: config.trust.trust,
    // Whoever marked the folder so may still work in it, untrusted.
    isForbiddenFolder: false
  })
  const facts = { ...input.facts, sessionId: start.sessionId }
  const app = appLayer({
    facts,
    options: input.options,
    config,
    plan,
    format: "text",
    authType: start.reading.authType,
    person: yield* personOf(config),
    session: start.session
  })
  const session = Layer.mergeAll(commandsLayer, PlainTranscript.layer).pipe(Layer.provideMerge(app))
  return yield* Effect.provide(inSession(input, start), session)
})

const inSession = Effect.fnUntraced(function* (input: LineInput, start: SessionStart) {
  const stats = yield* SessionStats
  const recorder = yield* SessionRecorder
  if (start.session !== undefined) yield* (yield* Chat).replaceHistory(start.session.history)
  if (start.carried !== undefined) yield* takeUp(start.carried)
  if (start.greets) yield* (yield* Screen).print("gemini\n\n  Type your message or @path/to/file")
  const { settings } = start.config
  const ending = yield* lineMode({
    firstPrompt: start.firstPrompt,
    history: yield* historiesOf(start),
    interrupted: yield* interruptions(input),
    hasPlans: settings.get("general.plan.enabled"),
    describe: (error) => {
      const { failure } = failureOf(error)
      return failure === undefined ? "" : failureLine(failure)
    },
    onEvent: stats.record
  })
  return { ending, recorded: { ...(yield* recorder.session), file: yield* recorder.file } } satisfies Conversed
}, Effect.scoped)

/** How a session ended, and where it was recorded: it may go on with other settings. */
export interface Conversed {
  readonly ending: Ending
  readonly recorded: RecorderStart
}

/** A mode that is forbidden by now is not taken up. */
const takeUp = Effect.fnUntraced(function* ({ history, mode, model }: Carried) {
  const chat = yield* Chat
  const policy = yield* Policy
  const selected = yield* SelectedModel
  if (history.length > 0) yield* chat.replaceHistory(history)
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
const interruptions = Effect.fnUntraced(function* ({ facts }: LineInput) {
  const came = yield* Queue.sliding<void>(1)
  yield* Effect.acquireRelease(
    Effect.sync(() => facts.onInterrupt(() => void came.unsafeOffer())),
    () => Effect.sync(() => facts.onInterrupt(undefined))
  )
  return Queue.take(came)
})

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
