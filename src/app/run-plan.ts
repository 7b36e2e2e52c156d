/**
 * What a run will do, decided from flags, variables, settings and trust before anything is done. Pure: every rule about
 * modes, limits and trust that a script can trip over is in this file, and fails here with its own error.
 */
import { type Duration, Either, Option } from "effect"
import type { RunOptions } from "../cli/run-options.ts"
import { TIME_HINT } from "../cli/run-values.ts"
import { type UsageError, usageError } from "../cli/usage-error.ts"
import type { EnvironmentView } from "../config/environment.ts"
import type { SettingsView } from "../config/settings.ts"
import { durationFromText } from "../kernel/duration-text.ts"
import { effectiveMode } from "../policy/approval-mode.ts"
import type { ApprovalMode, Trust } from "../protocol/modes.ts"
import { ForbiddenMode, SandboxUnavailable, UntrustedFolder } from "./start-error.ts"

export interface Limit<A> {
  readonly value: A
  /** The flag, variable or setting that set it. */
  readonly source: string
}

export interface RunPlan {
  /** As configured: a name or an alias. */
  readonly model: string
  readonly approvalMode: ApprovalMode
  readonly trust: Trust
  readonly maxTurns: Limit<number> | undefined
  readonly maxTime: Limit<Duration.Duration> | undefined
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

export type PlanError = UsageError | UntrustedFolder | SandboxUnavailable | ForbiddenMode

export const planRun = (input: PlanInput): Either.Either<RunPlan, PlanError> =>
  Either.gen(function* () {
    yield* checkTrust(input)
    yield* checkSandbox(input)
    const { approvalMode, notices } = yield* approvalModeOf(input)
    return {
      model: modelOf(input),
      approvalMode,
      trust: input.trust,
      maxTurns: yield* maxTurnsOf(input),
      maxTime: yield* maxTimeOf(input),
      notices: [...trustNotices(input), ...notices, ...deprecations(input)]
    }
  })

const modelOf = ({ environment, options, settings }: PlanInput): string =>
  options.model ?? nonBlank(environment.get("GEMINI_MODEL")) ?? nonBlank(settings.get("model.name")) ?? "auto"

const nonBlank = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim()
  return trimmed === "" ? undefined : trimmed
}

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

const trustNotices = ({ environment, trust }: PlanInput): ReadonlyArray<string> =>
  trust === "trusted"
    ? []
    : [
        `[INFO] ${environment.cwd} is not trusted: its settings, .env and other project files are ignored (--skip-trust trusts it for this run)`
      ]

const deprecations = ({ options, settings }: PlanInput): ReadonlyArray<string> =>
  (options.allowedTools ?? settings.get("tools.allowed") ?? []).length > 0
    ? ["[WARNING] --allowed-tools and tools.allowed are deprecated: rules in a policy file can say more (--policy)"]
    : []

/** Never unsandboxed when a sandbox was asked for. Inside one, `SANDBOX` is set and nothing is left to do. */
const checkSandbox = ({ environment, options, settings }: PlanInput) => {
  if (nonBlank(environment.get("SANDBOX")) !== undefined) return Either.void
  const variable = environment.get("GEMINI_SANDBOX")?.trim().toLowerCase()
  if (variable !== undefined && variable !== "") {
    return variable === "false" || variable === "0"
      ? Either.void
      : Either.left(new SandboxUnavailable({ requestedBy: "GEMINI_SANDBOX" }))
  }
  if (options.sandbox !== undefined) {
    return options.sandbox === false ? Either.void : Either.left(new SandboxUnavailable({ requestedBy: "--sandbox" }))
  }
  return isSandboxOn(settings.get("tools.sandbox"))
    ? Either.left(new SandboxUnavailable({ requestedBy: "the setting tools.sandbox" }))
    : Either.void
}

const isSandboxOn = (setting: unknown): boolean => {
  if (typeof setting === "object" && setting !== null && "enabled" in setting) return setting.enabled === true
  return setting !== undefined && setting !== null && setting !== false && setting !== ""
}

const approvalModeOf = ({ options, settings, trust }: PlanInput) =>
  effectiveMode({ asked: options.approvalMode, settings, trust }).pipe(
    Either.mapBoth({
      onLeft: (setting) => new ForbiddenMode({ mode: "yolo", setting }),
      onRight: ({ mode, notice }) => ({
        approvalMode: mode,
        notices: [
          ...(notice === undefined ? [] : [`[WARNING] ${notice}`]),
          ...(mode === "yolo" ? ["[WARNING] yolo: every tool call is approved without asking"] : [])
        ]
      })
    })
  )

const maxTurnsOf = ({ environment, options, settings }: PlanInput) =>
  Either.gen(function* () {
    const variable = nonBlank(environment.get("GEMINI_MAX_TURNS"))
    if (variable !== undefined && !/^[1-9]\d*$/.test(variable)) {
      return yield* Either.left(
        usageError(`GEMINI_MAX_TURNS cannot be "${variable}"`, "Write a whole number from 1 up.")
      )
    }
    const session = settings.get("model.maxSessionTurns")
    const candidates = [
      firstOf<number>(
        [options.maxTurns, "--max-turns"],
        [variable === undefined ? undefined : Number(variable), "GEMINI_MAX_TURNS"],
        [settings.get("run.maxTurns"), "run.maxTurns"]
      ),
      firstOf<number>([session >= 0 ? session : undefined, "model.maxSessionTurns"])
    ].filter((limit) => limit !== undefined)
    return candidates.sort((a, b) => a.value - b.value)[0]
  })

const maxTimeOf = ({ environment, options, settings }: PlanInput) =>
  Either.gen(function* () {
    const fromText = (text: string | undefined, source: string) => {
      const time = Option.fromNullable(nonBlank(text)).pipe(Option.map(durationFromText))
      if (Option.isNone(time)) return Either.right(undefined)
      return Either.fromOption(time.value, () => usageError(`${source} cannot be "${text}"`, TIME_HINT))
    }
    const setting = settings.get("run.maxTime")
    return firstOf<Duration.Duration>(
      [options.maxTime, "--max-time"],
      [yield* fromText(environment.get("GEMINI_MAX_TIME"), "GEMINI_MAX_TIME"), "GEMINI_MAX_TIME"],
      [yield* fromText(setting === undefined ? undefined : String(setting), "run.maxTime"), "run.maxTime"]
    )
  })

const firstOf = <A>(...candidates: ReadonlyArray<readonly [A | undefined, string]>): Limit<A> | undefined => {
  for (const [value, source] of candidates) if (value !== undefined) return { value, source }
  return undefined
}
