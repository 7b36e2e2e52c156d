/**
 * What a management command did, told where telemetry is on. It has no session: only what was kept while it ran is told,
 * and whatever is wrong with the settings is none of its business.
 */
import { Effect, Either } from "effect"
import { loadConfig } from "../config/load.ts"
import { planTelling } from "./run-plan.ts"
import type { ProcessFacts } from "./start.ts"
import { recordingOf } from "./start-telemetry.ts"

export const tellSubcommand = (facts: ProcessFacts) =>
  Effect.gen(function* () {
    const config = yield* loadConfig({
      env: facts.env,
      cwd: facts.cwd ?? "/",
      platform: facts.platform,
      flags: { skipTrust: false, ignoreEnv: false },
      tolerant: true
    })
    const plan = planTelling({ ...config, options: {} })
    if (Either.isLeft(plan)) return
    const { telemetry, usageEndpoint } = plan.right
    if (telemetry === undefined && usageEndpoint === undefined) return
    const recording = yield* recordingOf({ facts, config, plan: plan.right }, { authType: undefined, secrets: [] })
    yield* facts.early.replay(recording)
  }).pipe(Effect.scoped, Effect.ignore)
