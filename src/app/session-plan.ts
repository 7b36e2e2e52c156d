/** With which session a run begins: a new one, one that goes on, a copy, or one from a file. */
import { resolve } from "node:path"
import { DateTime, Effect, Option } from "effect"
import type { RunOptions } from "../cli/run-options.ts"
import type { LoadedConfig } from "../config/load.ts"
import type { SessionId } from "../protocol/ids.ts"
import { importSession, newSession, type OpenedSession, resumeSession } from "../session/open-session.ts"

export interface SessionPlan extends Pick<OpenedSession, "start" | "history"> {
  /** Lines for standard error. */
  readonly notices: ReadonlyArray<string>
}

export interface SessionPlanInput {
  readonly options: Pick<RunOptions, "resume" | "fork" | "sessionFile" | "sessionId">
  readonly config: LoadedConfig
  /** Of a session that begins now. */
  readonly freshId: SessionId
}

/** Whether the command line says anything about sessions: if not, this file need not be loaded. */
export const planSession = Effect.fnUntraced(function* ({ config, freshId, options }: SessionPlanInput) {
  const { environment, storage } = config
  if (options.sessionFile !== undefined) {
    const file = resolve(environment.cwd, options.sessionFile)
    const importedAt = DateTime.formatIso(yield* DateTime.now)
    return planOf(yield* importSession({ file, importedAt, sessionId: freshId }))
  }
  const tempDir = storage.knownProjectTempDir()
  if (options.resume === undefined) return planOf(yield* newSession(tempDir, options.sessionId ?? freshId))
  const forkAs = options.fork ? freshId : undefined
  return Option.match(yield* resumeSession({ tempDir, wanted: options.resume, forkAs }), {
    onNone: (): SessionPlan => ({
      start: { sessionId: freshId, kind: "main" },
      history: [],
      notices: ["[WARNING] there is no session to resume in this project yet: a new one begins"]
    }),
    onSome: planOf
  })
})

const planOf = ({ history, start, warnings }: OpenedSession): SessionPlan => ({
  start,
  history,
  notices: warnings.map((warning) => `[WARNING] ${warning}`)
})
