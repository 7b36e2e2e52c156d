/** `gemini sessions summarize`: the one command about sessions that needs a model, with everything that takes. */
import { Effect, Exit } from "effect"
import { readCommandLine } from "../cli/command-line.ts"
import { usageError } from "../cli/usage-error.ts"
import { loadConfig } from "../config/load.ts"
import { failureLine } from "../output/run-writer.ts"
import { Stderr } from "../output/stderr.ts"
import type { SessionEntry } from "../session/browse/session-list.ts"
import { type SummarizedSession, summarizeSessions } from "../slash/session/summarize-sessions.ts"
import { SessionFacts } from "../slash/session-facts.ts"
import { administered } from "./administrator.ts"
import { appLayer } from "./compose.ts"
import { accessFacts, type ProcessFacts } from "./facts.ts"
import { outcomeOf } from "./outcome.ts"
import { planRun } from "./plan.ts"

/** An exit code where it could not be begun; what is wrong has been said. */
export const summarizeWithModel = Effect.fn("App.summarizeSessions")(function* (
  facts: ProcessFacts,
  sessions: ReadonlyArray<SessionEntry>
) {
  const stderr = yield* Stderr
  const exit = yield* Effect.exit(summarized(facts, sessions))
  if (Exit.isSuccess(exit)) return exit.value
  const { exitCode, failure } = outcomeOf(exit, facts.stoppedBy())
  if (failure !== undefined) yield* stderr.notice(failureLine(failure))
  return exitCode
})

const summarized = Effect.fnUntraced(function* (facts: ProcessFacts, sessions: ReadonlyArray<SessionEntry>) {
  const command = yield* readCommandLine(["--prompt=summarize"], facts)
  if (command._tag !== "Run") return yield* usageError("sessions cannot be summarized here")
  const { options } = command
  const loaded = yield* loadConfig({
    env: facts.env,
    cwd: facts.cwd ?? "/",
    platform: facts.platform,
    flags: { skipTrust: false, ignoreEnv: false }
  })
  const { account, config } = yield* administered(loaded, accessFacts({ options }))
  const plan = yield* planRun({ ...config, options, trust: config.trust.trust, isForbiddenFolder: false })
  const work: Effect.Effect<
    ReadonlyArray<SummarizedSession>,
    never,
    Effect.Effect.Context<ReturnType<typeof summarizeSessions>> | SessionFacts
  > = Effect.gen(function* () {
    const { secrets } = yield* SessionFacts
    return yield* summarizeSessions(sessions, yield* secrets)
  })
  return yield* Effect.provide(
    work,
    appLayer({ facts, options, config, account, plan, extensions: [], format: "text" })
  )
})
