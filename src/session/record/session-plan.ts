/** With which session a run begins: a new one, one that goes on, a copy, or one from a file. */
import { resolve } from "node:path"
import { DateTime, Effect, Option } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { realPathOf } from "../../config/settings-files.ts"
import { isTrustedDirectory } from "../../config/trusted-folders-file.ts"
import type { SessionId } from "../../protocol/ids.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { importSession, newSession, type OpenedSession, resumeSession } from "./open-session.ts"

export interface SessionPlan extends Pick<OpenedSession, "start" | "history" | "unanswered" | "used"> {
  /** Folders of the session that belong to the workspace again. */
  readonly directories: ReadonlyArray<string>
  /** Lines for standard error. */
  readonly notices: ReadonlyArray<string>
}

export interface SessionPlanInput {
  /** `--resume`, `--fork`, `--session-file`, `--session-id`. */
  readonly options: {
    readonly resume?: string | undefined
    readonly continue: boolean
    readonly fork: boolean
    readonly sessionFile?: string | undefined
    readonly sessionId?: string | undefined
  }
  readonly config: LoadedConfig
  /** Somebody talks: what scripts asked once is not what they mean by the last session. */
  readonly isInteractive: boolean
  /** Of a session that begins now. */
  readonly freshId: SessionId
}

/** Whether the command line says anything about sessions: if not, this file need not be loaded. */
export const planSession = Effect.fnUntraced(function* ({ config, freshId, isInteractive, options }: SessionPlanInput) {
  const { environment, storage } = config
  if (options.sessionFile !== undefined) {
    const file = resolve(environment.cwd, options.sessionFile)
    const importedAt = DateTime.formatIso(yield* DateTime.now)
    return yield* sessionPlan(config, yield* importSession({ file, importedAt, sessionId: freshId }))
  }
  const tempDir = storage.knownProjectTempDir()
  const wanted = options.continue ? "latest" : options.resume
  if (wanted === undefined) {
    return yield* sessionPlan(config, yield* newSession(tempDir, options.sessionId ?? freshId))
  }
  const forkAs = options.fork ? freshId : undefined
  const latest = options.continue ? "conversation" : isInteractive ? "conversation-first" : "any"
  const opened = yield* resumeSession({ tempDir, wanted, forkAs, latest })
  if (Option.isNone(opened)) return nothingToResume(freshId, options.continue ? "conversation" : "session")
  return yield* sessionPlan(config, opened.value)
})

const nothingToResume = (freshId: SessionId, what: string): SessionPlan => ({
  start: { sessionId: freshId, kind: "main" },
  history: [],
  unanswered: [],
  used: [],
  directories: [],
  notices: [`[WARNING] there is no ${what} to resume in this project yet: a new one begins`]
})

/** How a run goes on with what was opened. */
export const sessionPlan = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { history, start, unanswered, used, warnings }: OpenedSession
) {
  const { directories, notices } = yield* takeUpDirectories(config, start.directories)
  return {
    start,
    history,
    unanswered,
    used,
    directories,
    notices: [...warnings.map((warning) => `[WARNING] ${warning}`), ...notices]
  } satisfies SessionPlan
})

/**
 * The folders that a session had beside its own, when it goes on. A session file may have been written by anybody: a
 * folder that is gone, or that nobody trusts, stays outside and is named.
 */
const takeUpDirectories = Effect.fnUntraced(function* (
  config: LoadedConfig,
  recorded: ReadonlyArray<string> | undefined
) {
  const directories: Array<string> = []
  const notices: Array<string> = []
  for (const folder of recorded ?? []) {
    const reason = yield* obstacleOf(config, folder)
    if (reason === undefined) directories.push(folder)
    else notices.push(`[WARNING] ${folder} belonged to this session and is left out: ${reason}`)
  }
  return { directories, notices }
})

const obstacleOf = Effect.fnUntraced(function* (config: LoadedConfig, folder: string) {
  if (statOrNone(folder)?.isDirectory() !== true) return "there is no such folder"
  const isTrusted = yield* Effect.orElseSucceed(isTrustedDirectory(config, realPathOf(folder)), () => false)
  return isTrusted ? undefined : "it is not trusted (/directory add asks)"
})
