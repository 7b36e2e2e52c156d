/**
 * What a management command did, told where telemetry is on. It has no session: only what was kept while it ran is told,
 * and whatever is wrong with the settings is none of its business.
 */
import { Effect, Either } from "effect"
import { loadConfig } from "../../config/load.ts"
import { secretsIn } from "../../config/secrets.ts"
import type { ProcessFacts } from "../facts.ts"
import { planRecording } from "../plan.ts"
import { recordingOf } from "./start.ts"

export const reportSubcommand = (facts: ProcessFacts) =>
  Effect.gen(function* () {
    const config = yield* loadConfig({
      env: facts.env,
      cwd: facts.cwd ?? "/",
      platform: facts.platform,
      flags: { skipTrust: false, ignoreEnv: false },
      tolerant: true
    })
    const plan = planRecording({ ...config, options: {} })
    if (Either.isLeft(plan)) return
    const { telemetry, usageEndpoint } = plan.right
    if (telemetry === undefined && usageEndpoint === undefined) return
    const recording = yield* recordingOf(
      { facts, config, plan: plan.right },
      { authType: undefined, secrets: secretsIn(config) }
    )
    yield* facts.early.replay(recording)
  }).pipe(Effect.scoped, Effect.ignore)
