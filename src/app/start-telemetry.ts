/** Telemetry that is on, from the first record of a session (its configuration) to the last (its end). */
import { existsSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { Effect } from "effect"
import { version } from "../cli/version.ts"
import type { LoadedConfig } from "../config/load.ts"
import { redactionOf, type Secret } from "../kernel/redact-secrets.ts"
import { Stderr } from "../output/stderr.ts"
import type { AuthType } from "../protocol/modes.ts"
import { monitorMemory } from "../telemetry/memory-monitor.ts"
import { count, log, record } from "../telemetry/signal.ts"
import { type Attributes, off, type TelemetryLevel } from "../telemetry/telemetry.ts"
import type { TelemetryPlan } from "../telemetry/telemetry-plan.ts"
import type { AppInput } from "./app.ts"
import { runSecrets } from "./run-secrets.ts"

export interface Known {
  readonly authType: AuthType
  readonly secrets: ReadonlyArray<Secret>
}

export const startTelemetry = Effect.fnUntraced(function* (input: AppInput, known: Known) {
  const { sessionId } = input.facts
  const recording = yield* recordingOf(input, known)
  yield* record(recording, [
    ...count("gemini_cli.session.count"),
    log("gemini_cli.config", "CLI configuration loaded.", configuration(input, known.authType, recording.level))
  ])
  const interval = Number(input.config.environment.get("GEMINI_MEMORY_MONITOR_INTERVAL"))
  if (interval > 0) yield* monitorMemory(recording, interval)
  yield* Effect.addFinalizer(() =>
    record(recording, [log("end_session", "The session is over.", { session_id: sessionId })])
  )
  return recording
})

/** Telemetry, usage statistics, or both. */
const recordingOf = Effect.fnUntraced(function* (input: AppInput, known: Known) {
  const { telemetry: plan, usageEndpoint: endpoint } = input.plan
  const telemetry = plan === undefined ? undefined : yield* telemetryOf(input, plan, known)
  if (endpoint === undefined) return telemetry ?? off
  const { both, make } = yield* Effect.promise(() => import("../telemetry/usage-statistics.ts"))
  const { platform, sessionId } = input.facts
  const usage = yield* make({ endpoint, version, platform, sessionId })
  return telemetry === undefined ? usage : both(telemetry, usage)
})

const telemetryOf = Effect.fnUntraced(function* (input: AppInput, plan: TelemetryPlan, { authType, secrets }: Known) {
  const stderr = yield* Stderr
  const { make } = yield* Effect.promise(() => import("../telemetry/telemetry.live.ts"))
  const { config, facts } = input
  const common: Attributes = {
    "session.id": facts.sessionId,
    "installation.id": yield* installationId(config),
    interactive: input.person !== undefined,
    auth_type: authType
  }
  return yield* make(inFolder(plan, config.environment.cwd), {
    version,
    sessionId: facts.sessionId,
    common,
    redact: redactionOf([...runSecrets(config), ...secrets]),
    notify: stderr.notice,
    write: stderr.write,
    googleHeaders: yield* googleHeaders(config)
  })
})

/** A file is named relative to the folder in which the program was started. */
const inFolder = (plan: TelemetryPlan, cwd: string): TelemetryPlan =>
  plan.destination._tag === "File"
    ? { ...plan, destination: { _tag: "File", file: resolve(cwd, plan.destination.file) } }
    : plan

const configuration = (
  { config: { settings }, format, options, plan }: AppInput,
  authType: AuthType,
  level: TelemetryLevel | undefined
): Attributes => {
  const servers = Object.keys(settings.get("mcpServers") ?? {})
  return {
    model: plan.model,
    embedding_model: "gemini-embedding-001",
    sandbox_enabled: false,
    core_tools_enabled: (settings.get("tools.core") ?? []).join(","),
    approval_mode: plan.approvalMode,
    api_key_enabled: authType === "gemini-api-key",
    vertex_ai_enabled: authType === "vertex-ai",
    log_user_prompts_enabled: level?.logPrompts ?? false,
    file_filtering_respect_git_ignore: settings.get("context.fileFiltering.respectGitIgnore"),
    debug_mode: options.debug,
    mcp_servers: servers.join(","),
    mcp_servers_count: servers.length,
    output_format: format,
    extensions: "",
    extensions_count: 0,
    extension_ids: "",
    worktree_active: options.worktree !== undefined
  }
}

/** Made at the first use, and the same from then on. It says nothing about the person. */
const installationId = ({ storage: { installationIdFile, userDir } }: LoadedConfig): Effect.Effect<string> =>
  Effect.suspend(() => {
    const known = existsSync(installationIdFile) ? readFileSync(installationIdFile, "utf8").trim() : ""
    if (known !== "") return Effect.succeed(known)
    const made = crypto.randomUUID()
    return Effect.as(
      Effect.ignore(
        Effect.tryPromise(async () => {
          await mkdir(userDir, { recursive: true })
          await writeFile(installationIdFile, made, { mode: 0o600 })
        })
      ),
      made
    )
  })

/** The credentials of this machine, or those that a variable names; loaded at the first use, and kept. */
const googleHeaders = ({ environment }: LoadedConfig) =>
  Effect.map(
    Effect.cached(
      Effect.map(
        Effect.promise(() => import("../auth/google-credentials.live.ts")),
        ({ makeCredentialHeaders }) =>
          makeCredentialHeaders({
            credentialsFile: environment.get("GOOGLE_APPLICATION_CREDENTIALS"),
            quotaProject: undefined,
            fetch: (input, init) => fetch(input, init)
          })
      )
    ),
    (headers) => Effect.mapError(Effect.flatten(headers), ({ message }) => message)
  )
