/**
 * What a run will do, decided from flags, variables, settings and trust before anything is done. Pure: every rule about
 * modes and trust that a script can trip over is in this file, limits stand beside it, and each fails with its own error.
 */

import { Either } from "effect"
import type { RunOptions } from "../cli/run-options.ts"
import type { QuotaOption, Thinking } from "../cli/run-values.ts"
import { ForbiddenMode, type UsageError } from "../cli/usage-error.ts"
import { managedAt } from "../config/administrator.ts"
import { ConfigError, UntrustedFolder } from "../config/config-error.ts"
import type { EnvironmentView } from "../config/environment.ts"
import { plansFolder } from "../config/run-folders.ts"
import type { SettingsView } from "../config/settings.ts"
import { unsupportedNotices, type Wish } from "../config/unsupported-settings.ts"
import { nonBlank } from "../kernel/non-blank.ts"
import { effectiveMode } from "../policy/approval-mode.ts"
import { type ApprovalMode, isFreer, type Trust } from "../protocol/modes.ts"
import type { TierWish } from "../protocol/usage.ts"
import type { SandboxWish } from "../sandbox/choose-sandbox.ts"
import { wishOf } from "../sandbox/from-config.ts"
import { SandboxUnavailable } from "../sandbox/sandbox-unavailable.ts"
import { planTelemetry, type TelemetryPlan } from "../telemetry/telemetry-plan.ts"
import { limitsOf, onQuotaOf, type RunLimits, thinkingOf } from "./plan-limits.ts"

export interface RunPlan extends RunLimits {
  /** As configured: a name or an alias. */
  readonly model: string
  readonly approvalMode: ApprovalMode
  readonly trust: Trust
  /** `undefined`: none is asked for. */
  readonly sandbox: SandboxWish | undefined
  readonly onQuota: QuotaOption
  /** `undefined`: as the presets of the model say. */
  readonly thinking: Thinking | undefined
  /** `undefined`: as the service does by itself. */
  readonly tier: TierWish | undefined
  /** Prompt and model only: no context files, no project configuration, nobody is asked which model to take. */
  readonly bare: boolean
  /** `undefined`: off. */
  readonly telemetry: TelemetryPlan | undefined
  /** Where usage statistics go; `undefined`: nowhere. */
  readonly usageEndpoint: string | undefined
  /** Lines for standard error. */
  readonly notices: ReadonlyArray<string>
}

export interface PlanInput {
  readonly options: RunOptions
  readonly settings: SettingsView
  readonly environment: EnvironmentView
  readonly trust: Trust
  /** A rule of the user says that this folder is not to be trusted. */
  readonly isForbiddenFolder: boolean
}

export type PlanError = UsageError | UntrustedFolder | SandboxUnavailable | ForbiddenMode | ConfigError

export const planRun = (input: PlanInput): Either.Either<RunPlan, PlanError> =>
  Either.gen(function* () {
    yield* checkTrust(input)
    yield* checkServed(input)
    const sandbox = yield* wishOf(input, input.options.sandbox)
    const { approvalMode, notices } = lowered(yield* approvalModeOf(input), input.options)
    const isConfined = sandbox !== undefined || nonBlank(input.environment.get("SANDBOX")) !== undefined
    if (approvalMode === "yolo" && !isConfined) yield* checkYolo(input)
    const recording = yield* planRecording(input)
    return {
      model: modelOf(input),
      approvalMode,
      trust: input.trust,
      sandbox,
      ...(yield* limitsOf(input)),
      onQuota: yield* onQuotaOf(input),
      thinking: yield* thinkingOf(input),
      tier: input.options.tier ?? input.settings.get("run.tier"),
      bare: input.options.bare,
      telemetry: recording.telemetry,
      usageEndpoint: recording.usageEndpoint,
      notices: [
        ...notices,
        ...yoloNotices(approvalMode, isConfined),
        ...recording.notices,
        ...unserved(input),
        ...refusedPlans(input)
      ]
    }
  })

const refusedPlans = (input: PlanInput): ReadonlyArray<string> => {
  const { refused } = plansFolder(input)
  return refused === undefined ? [] : [`[WARNING] general.plan.directory: ${refused} is outside the project; ignored`]
}

const modelOf = ({ environment, options, settings }: PlanInput): string =>
  options.model ?? nonBlank(environment.get("GEMINI_MODEL")) ?? nonBlank(settings.get("model.name")) ?? "auto"

const checkTrust = ({ environment, isForbiddenFolder, options, trust }: PlanInput) => {
  if (trust === "trusted") return Either.void
  const mode = options.approvalMode
  if (isForbiddenFolder) {
    return Either.left(
      new UntrustedFolder({ folder: environment.cwd, because: "it is marked DO_NOT_TRUST in trustedFolders.json" })
    )
  }
  return mode === "yolo" || mode === "auto_edit"
    ? Either.left(new UntrustedFolder({ folder: environment.cwd, because: `approval mode ${mode} needs trust` }))
    : Either.void
}

/** A guard that is asked for and not there must stop the run: going on would be less safe than what somebody counts on. */
const checkServed = ({ settings }: PlanInput) => {
  if (!settings.get("security.enableConseca")) return Either.void
  const { sources } = settings.explain("security.enableConseca")
  const place = sources.findLast(({ used }) => used)
  return Either.left(
    new ConfigError({
      issues: [
        {
          file: place?.file ?? "settings.json",
          ...(place === undefined ? {} : { line: place.line, column: 1 }),
          key: "security.enableConseca",
          message:
            "no model writes policies in this version; turn it off, and write rules or a safety checker (gemini policy)"
        }
      ]
    })
  )
}

/** Settings of the reference that somebody counts on, and that do nothing here. */
const unserved = ({ settings }: PlanInput): ReadonlyArray<string> => [
  ...unsupportedNotices(settings, browserWish(settings)),
  ...(settings.get("experimental.gemmaModelRouter.enabled") &&
  settings.get("experimental.gemmaModelRouter.autoStartServer")
    ? [
        "[WARNING] experimental.gemmaModelRouter.autoStartServer has no effect: start the server yourself; it is asked at experimental.gemmaModelRouter.classifier.host."
      ]
    : []),
  ...(settings.get("experimental.autoMemory")
    ? [
        "[WARNING] experimental.autoMemory has no effect: memories are not extracted from sessions. /memory add keeps a fact."
      ]
    : [])
]

const browserWish = (settings: SettingsView): ReadonlyArray<Wish> =>
  settings.get("agents.overrides").browser_agent?.enabled === true
    ? [{ name: "agents.overrides.browser_agent", because: "there is no browser agent" }]
    : []

const checkYolo = ({ settings }: PlanInput) =>
  settings.get("security.yoloNeedsSandbox")
    ? Either.left(
        new SandboxUnavailable({
          requestedBy: "the setting security.yoloNeedsSandbox",
          reasons: ["approval mode yolo was asked for without one"],
          advice: "Add --sandbox."
        })
      )
    : Either.void

const yoloNotices = (mode: ApprovalMode, isConfined: boolean): ReadonlyArray<string> =>
  mode === "yolo"
    ? [
        `[WARNING] yolo: every tool call is approved without asking${isConfined ? "" : ", and no sandbox stands around them (--sandbox)"}`
      ]
    : []

const approvalModeOf = ({ options, settings, trust }: PlanInput) =>
  effectiveMode({ asked: options.approvalMode, settings, trust }).pipe(
    Either.mapBoth({
      onLeft: (setting) =>
        new ForbiddenMode({
          mode: "yolo",
          setting,
          ...(setting === "admin.secureModeEnabled" ? { managedAt: managedAt(settings) } : {})
        }),
      onRight: ({ mode, notice }) => ({
        approvalMode: mode,
        notices: [...(notice === undefined ? [] : [`[WARNING] ${notice}`])]
      })
    })
  )

/** A file that is run may ask for less than its caller allows. */
const lowered = <A extends Pick<RunPlan, "approvalMode" | "notices">>(
  granted: A,
  { approvalMode: typed, program }: RunOptions
): Pick<RunPlan, "approvalMode" | "notices"> => {
  const wish = program?.approvalMode
  if (program === undefined || wish === undefined || typed !== undefined) return granted
  if (!isFreer(wish, granted.approvalMode)) return { ...granted, approvalMode: wish }
  const notice = `[WARNING] ${program.shown} asks for approval mode ${wish}, and runs in ${granted.approvalMode}: --approval-mode ${wish} grants it`
  return { ...granted, notices: [...granted.notices, notice] }
}

interface RecordingInput extends Pick<PlanInput, "environment" | "settings"> {
  readonly options: Pick<
    RunOptions,
    | "telemetry"
    | "telemetryTarget"
    | "telemetryOtlpEndpoint"
    | "telemetryOtlpProtocol"
    | "telemetryLogPrompts"
    | "telemetryOutfile"
  >
}

/** Where records of what is done go; management commands ask for it too. */
export const planRecording = ({ environment, options, settings }: RecordingInput) =>
  planTelemetry({
    flags: {
      enabled: options.telemetry,
      target: options.telemetryTarget,
      otlpEndpoint: options.telemetryOtlpEndpoint,
      otlpProtocol: options.telemetryOtlpProtocol,
      logPrompts: options.telemetryLogPrompts,
      outfile: options.telemetryOutfile
    },
    settings: settings.get("telemetry"),
    variable: environment.get
  }).pipe(
    Either.mapBoth({
      onLeft: ({ message, source }) => new ConfigError({ issues: [{ file: source, message }] }),
      onRight: ({ notices, plan }) => ({
        telemetry: plan,
        usageEndpoint: usageEndpointOf(settings),
        notices: notices.map((notice) => `[WARNING] ${notice}`)
      })
    })
  )

/** There is no destination unless the user names one. */
const usageEndpointOf = (settings: SettingsView): string | undefined => {
  const endpoint = nonBlank(settings.get("privacy.usageStatisticsEndpoint"))
  return endpoint !== undefined && settings.get("privacy.usageStatisticsEnabled") ? endpoint : undefined
}
