/** What is recorded when a session begins: its configuration, what happened before it, and how long the start took. */
import { existsSync } from "node:fs"
import { release } from "node:os"
import { Effect } from "effect"
import { Extensions } from "../../extensions/extensions.ts"
import type { PhaseTime } from "../../kernel/start-profile.ts"
import { configuredServers } from "../../mcp/configured-servers.ts"
import { SessionFacts } from "../../slash/session-facts.ts"
import { count, log, measure, record, type Signal } from "../../telemetry/signal.ts"
import { type Attributes, Telemetry } from "../../telemetry/telemetry.ts"
import { ToolRegistry } from "../../tools/registry.ts"
import type { StartFacts } from "./observers.ts"

/** `isFirst`: a later session of the same process has no start of its own. */
export const reportStart = Effect.fnUntraced(function* (input: StartFacts, { isFirst }: { readonly isFirst: boolean }) {
  const to = yield* Telemetry
  const { early, profile } = input.facts
  yield* record(to, [
    ...count("gemini_cli.session.count"),
    log("gemini_cli.config", "CLI configuration loaded.", yield* configuration(input))
  ])
  yield* early.replay(to)
  if (!isFirst) return
  yield* Effect.forEach(profile.unfinished(), (phase) =>
    Effect.annotateLogs(Effect.logWarning("a part of the start has not ended"), { phase })
  )
  yield* record(to, startup(input.facts))
})

const startup = ({ platform, profile }: StartFacts["facts"]): ReadonlyArray<Signal> => {
  const phases = profile.phases()
  const system = { os_platform: platform, os_release: release(), is_docker: existsSync("/.dockerenv") }
  const details = JSON.stringify({ ...system, os_arch: process.arch })
  return [
    ...phases.map(({ durationMs, name }) =>
      measure("gemini_cli.startup.duration", durationMs, { phase: name, details })
    ),
    log("gemini_cli.startup_stats", "Startup stats.", { phases: JSON.stringify(phases.map(phaseStats)), ...system })
  ]
}

const phaseStats = ({ durationMs, from, name, systemMicros, userMicros }: PhaseTime) => ({
  name,
  duration_ms: durationMs,
  start_time_usec: Math.round(from * 1_000),
  end_time_usec: Math.round((from + durationMs) * 1_000),
  cpu_usage_user_usec: userMicros,
  cpu_usage_system_usec: systemMicros
})

const configuration = Effect.fnUntraced(function* ({ config, format, options, plan }: StartFacts) {
  const { environment, settings } = config
  const { authType } = yield* SessionFacts
  const { level } = yield* Telemetry
  const registry = yield* ToolRegistry
  const { enabled: extensions } = yield* Extensions
  const servers = Object.keys(configuredServers(settings, extensions).servers)
  const tools = (yield* registry.all).filter(({ server }) => server !== undefined).map(({ name }) => name)
  return {
    model: plan.model,
    embedding_model: "gemini-embedding-001",
    sandbox_enabled: (environment.get("SANDBOX") ?? "") !== "",
    core_tools_enabled: (settings.get("tools.core") ?? []).join(","),
    approval_mode: plan.approvalMode,
    api_key_enabled: authType === "gemini-api-key",
    vertex_ai_enabled: authType === "vertex-ai",
    log_user_prompts_enabled: level?.logPrompts ?? false,
    file_filtering_respect_git_ignore: settings.get("context.fileFiltering.respectGitIgnore"),
    debug_mode: options.debug,
    mcp_servers: servers.join(","),
    mcp_servers_count: servers.length,
    mcp_tools: tools.join(","),
    mcp_tools_count: tools.length,
    output_format: format,
    extensions: extensions.map(({ name }) => name).join(","),
    extensions_count: extensions.length,
    extension_ids: extensions.map(({ id }) => id).join(","),
    worktree_active: options.worktree !== undefined
  } satisfies Attributes
})
