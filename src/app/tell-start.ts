/** The parts of the start as telemetry: one measurement for each, and one record of them all. */
import { existsSync } from "node:fs"
import { release } from "node:os"
import { Effect } from "effect"
import type { PhaseTime } from "../kernel/start-profile.ts"
import { log, measure, record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { ProcessFacts } from "./start.ts"

export const tellStart = Effect.fnUntraced(function* ({
  platform,
  profile
}: Pick<ProcessFacts, "platform" | "profile">) {
  const phases = profile.phases()
  const system = { os_platform: platform, os_release: release(), is_docker: existsSync("/.dockerenv") }
  const details = JSON.stringify({ ...system, os_arch: process.arch })
  yield* Effect.forEach(profile.unfinished(), (phase) =>
    Effect.annotateLogs(Effect.logWarning("a part of the start has not ended"), { phase })
  )
  yield* record(yield* Telemetry, [
    ...phases.map(({ durationMs, name }) =>
      measure("gemini_cli.startup.duration", durationMs, { phase: name, details })
    ),
    log("gemini_cli.startup_stats", "Startup stats.", { phases: JSON.stringify(phases.map(phaseStats)), ...system })
  ])
})

const phaseStats = ({ durationMs, from, name, systemMicros, userMicros }: PhaseTime) => ({
  name,
  duration_ms: durationMs,
  start_time_usec: Math.round(from * 1_000),
  end_time_usec: Math.round((from + durationMs) * 1_000),
  cpu_usage_user_usec: userMicros,
  cpu_usage_system_usec: systemMicros
})
