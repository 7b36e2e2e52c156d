/**
 * The conversation behind the terminal: what has to be confirmed first, then one session after the other until the person
 * leaves. A session is all services of a run, built anew where its foundations change: a new conversation, another key.
 */
import { Effect, Option } from "effect"
import type { AuthError } from "../../auth/auth-plan.ts"
import { type LoadedConfig, loadConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { SessionId } from "../../protocol/ids.ts"
import type { Ending } from "../../repl/command-results.ts"
import { printWords } from "../../repl/printed-text.ts"
import { Screen } from "../../repl/terminal/screen.ts"
import type { OpenedSession } from "../../session/record/open-session.ts"
import { sanitized } from "../../session/record/session-name.ts"
import type { SessionPlan } from "../../session/record/session-plan.ts"
import { canSignIn, confirmSignIn, confirmTrust, type Readiness } from "./first-run.ts"
import type { CarriedConversation, SessionChoices } from "./handover.ts"
import { converse } from "./session.ts"
import type { LineInput } from "./terminal.ts"

/** What a session begins with. */
export interface LineStart {
  readonly config: LoadedConfig
  readonly reading: Readiness
  readonly sessionId: SessionId
  /** Sent before anything is read. */
  readonly firstPrompt: string | undefined
  /** Entered while the session before this one ended: it is not lost. */
  readonly waiting: ReadonlyArray<string>
  /** The end of the input was entered after that. */
  readonly hasEnded: boolean
  /** That is recorded further; absent: a new one. */
  readonly session: SessionPlan | undefined
  /** What the person decided in the session before this one. */
  readonly choices: SessionChoices | undefined
  /** That was built anew and goes on; absent where another one begins. */
  readonly conversation: CarriedConversation | undefined
  /** The first one says what the program is. */
  readonly greets: boolean
}

export const lineSession = Effect.fn("App.lineSession")(function* (input: LineInput) {
  let start = yield* firstStart(input)
  while (start !== undefined) {
    const now: LineStart = start
    const { ending, ...carried } = yield* Effect.catchTag(converse(input, now), "AuthError", (error) =>
      Effect.map(askedToSignIn(error, now), (next) => ({ ...now, ending: next }))
    )
    if (ending._tag === "Exit") {
      if (ending.deletesSession) yield* forgetSession(now)
      return ending.exitCode
    }
    start = yield* nextStart(input, { ...now, ...carried }, ending)
  }
  return ExitCode.success
})

/** `undefined`: the person left at the question of trust. */
const firstStart = Effect.fnUntraced(function* (input: LineInput) {
  const { config, mode, options, session } = input
  const reading: Readiness = { skipTrust: options.skipTrust, variables: {}, authType: undefined }
  const asTrusted = reread(input, { ...reading, skipTrust: true }, { tolerant: true })
  const confirmed = yield* confirmTrust(config, reading, asTrusted)
  if (confirmed._tag === "Leave") return undefined
  const isDecided = confirmed._tag === "Reread"
  const start: LineStart = {
    config: isDecided ? yield* reread(input, confirmed.reading) : config,
    reading: isDecided ? confirmed.reading : reading,
    sessionId: input.facts.sessionId,
    firstPrompt: mode.firstPrompt,
    waiting: [],
    hasEnded: false,
    session,
    choices: undefined,
    conversation: undefined,
    greets: true
  }
  return start
})

/** Nobody signed in: the error has been said, with the ways out of it. */
const askedToSignIn = Effect.fnUntraced(function* (error: AuthError, { config, reading }: LineStart) {
  if (!canSignIn(error)) return yield* error
  const given = yield* confirmSignIn({ error, config, reading })
  return Option.match(given, {
    onNone: (): Next => ({ _tag: "Exit", exitCode: ExitCode.authentication, deletesSession: false }),
    onSome: (next): Next => ({ _tag: "Reread", reading: next })
  })
})

type Next = Ending | { readonly _tag: "Reread"; readonly reading: Readiness }

const nextStart = Effect.fnUntraced(function* (
  input: LineInput,
  start: LineStart,
  next: Exclude<Next, { readonly _tag: "Exit" }>
) {
  switch (next._tag) {
    case "NewSession":
      return begun(start, yield* Effect.sync(() => SessionId.make(crypto.randomUUID())))
    case "Resume":
      return { ...start, ...FRESH, ...(yield* resumed(start.config, next.opened)) }
    case "Reread":
      return { ...start, reading: next.reading, config: yield* reread(input, next.reading) }
    case "Reconfigure":
      return { ...continued(start), config: yield* rereadIfPossible(input, start) }
    case "SignIn": {
      const { isSignedOut } = next
      const given = yield* confirmSignIn({ config: start.config, reading: start.reading, isSignedOut })
      if (Option.isNone(given) && isSignedOut) return undefined
      const reading = Option.getOrElse(given, () => start.reading)
      const again = { ...continued(start), reading }
      return { ...again, config: yield* rereadIfPossible(input, again) }
    }
  }
})

const FRESH = { firstPrompt: undefined, session: undefined, conversation: undefined, greets: false }

/** A new conversation, in the folders of the one before. */
const begun = (start: LineStart, sessionId: SessionId): LineStart => {
  const directories = start.choices?.directories ?? []
  const session = directories.length === 0 ? undefined : goingOn({ sessionId, kind: "main", directories })
  return { ...start, ...FRESH, sessionId, session }
}

const resumed = Effect.fnUntraced(function* (config: LoadedConfig, opened: OpenedSession) {
  const { sessionPlan } = yield* lazy(() => import("../../session/record/session-plan.ts"))
  return {
    sessionId: SessionId.make(sanitized(opened.start.sessionId)),
    session: yield* sessionPlan(config, opened)
  }
})

/** Nothing was recorded where nothing was said. */
const forgetSession = Effect.fnUntraced(function* ({ config: { storage }, session, sessionId }: LineStart) {
  const screen = yield* Screen
  const { deleteSession } = yield* lazy(() => import("../../session/browse/delete-session.ts"))
  const { chooseSession } = yield* lazy(() => import("../../session/browse/session-choice.ts"))
  const tempDir = storage.knownProjectTempDir()
  if (tempDir === undefined) return
  yield* chooseSession(tempDir, session?.start.sessionId ?? sessionId).pipe(
    Effect.flatMap((entry) => deleteSession(tempDir, entry)),
    Effect.zipRight(screen.print("The session is deleted.")),
    Effect.catchTag("SessionNotFound", () => Effect.void),
    Effect.catchAll(({ message }) => printWords(screen, message))
  )
})

/** It is recorded where it was. */
const continued = (start: LineStart): LineStart => ({
  ...start,
  ...FRESH,
  conversation: start.conversation,
  session: start.conversation === undefined ? undefined : goingOn(start.conversation.recorded)
})

const goingOn = (recorded: CarriedConversation["recorded"]): SessionPlan => ({
  start: recorded,
  history: [],
  unanswered: [],
  used: [],
  directories: recorded.directories ?? [],
  notices: []
})

/** Settings that were broken meanwhile do not end the conversation: it goes on with those it has. */
const rereadIfPossible = (input: LineInput, { config, reading }: LineStart) =>
  Effect.catchTag(reread(input, reading), "ConfigError", (error) =>
    Effect.gen(function* () {
      const screen = yield* Screen
      yield* printWords(screen, `The settings stay as they were: ${error.message}`)
      return config
    })
  )

const reread = (
  { facts, options, trustedByEditor }: Pick<LineInput, "facts" | "options" | "trustedByEditor">,
  reading: Readiness,
  { tolerant = false }: { readonly tolerant?: boolean } = {}
) =>
  loadConfig({
    tolerant,
    env: { ...facts.env, ...reading.variables },
    cwd: facts.cwd ?? "/",
    platform: facts.platform,
    trustedByEditor,
    flags: { skipTrust: reading.skipTrust, ignoreEnv: options.ignoreEnv, ignoreProject: options.bare }
  })
