/**
 * The policy of a run: which tool calls are allowed, asked about or denied, and why.
 *
 * Rules are read once, when the layer is built, so that an administrator's broken file stops the run before it starts.
 * Approvals that a person gives meanwhile are added in memory and, where wanted, saved.
 */
import { join } from "node:path"
import { Context, Effect, Layer, Ref, Schema } from "effect"
import type { FileError } from "../files/file-error.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lazy } from "../kernel/lazy.ts"
import { ApprovalMode } from "../protocol/modes.ts"
import { ShellAnalyzer } from "../shell/analysis/shell-analyzer.ts"
import type { AlwaysOptions } from "./always.ts"
import { beginIn, switchTo } from "./approval-mode.ts"
import type { DeciderOptions } from "./decide-call.ts"
import type { Decision, PolicyCall } from "./decision.ts"
import { defaultRules } from "./default-rules.ts"
import { fixedContext } from "./fixed-context.ts"
import { accept } from "./integrity.ts"
import { type CallSituation, type CallTarget, isActive, matchesTarget } from "./matching.ts"
import {
  type LoadedPolicies,
  loadPolicyFiles,
  type PendingWorkspace,
  type PolicySources,
  workspaceHash
} from "./policy-files.ts"
import type { PolicyProblem } from "./policy-problem.ts"
import { inOrder, isAlwaysRule, isNarrowed, type PolicyRule } from "./rule.ts"
import { type PolicySettings, settingsRules } from "./settings-rules.ts"

/** The approval mode cannot be switched to where the run stands. */
export class ModeError extends Schema.TaggedError<ModeError>()("ModeError", {
  mode: ApprovalMode,
  detail: Schema.String
}) {
  override get message() {
    return `The approval mode cannot be set to ${this.mode}: ${this.detail}`
  }
}

export interface AlwaysOutcome {
  readonly rules: ReadonlyArray<PolicyRule>
  /** The file that the rule was saved to. */
  readonly file?: string
  /** Why there is no rule, or why it was not saved. */
  readonly notice?: string
}

export class Policy extends Context.Tag("agent/policy/Policy")<
  Policy,
  {
    readonly decide: (call: PolicyCall) => Effect.Effect<Decision>
    /** Names of the tools that are not offered to the model. */
    readonly hiddenTools: (tools: ReadonlyArray<CallTarget>) => Effect.Effect<ReadonlyArray<string>>
    /** A person said "always". A failed save is told in the outcome; the rule counts for the session all the same. */
    readonly addAlways: (options: AlwaysOptions) => Effect.Effect<AlwaysOutcome>
    /** The entry that `addAlways` would save, for showing it first; `undefined`: none would be made. */
    readonly previewAlways: (options: AlwaysOptions) => Effect.Effect<string | undefined>
    /** For tools that come up while the program runs, such as sub-agents. */
    readonly addRules: (rules: ReadonlyArray<PolicyRule>) => Effect.Effect<void>
    /** What the person typed: hosts that it names may be fetched from. Never what a file, a page or a model says. */
    readonly hear: (text: string) => Effect.Effect<void>
    /** The effective rules, first match first. */
    readonly rules: Effect.Effect<ReadonlyArray<PolicyRule>>
    readonly problems: ReadonlyArray<PolicyProblem>
    /** Allowing rules of the project that do not count yet. */
    readonly pendingWorkspace: Effect.Effect<PendingWorkspace | undefined>
    readonly acceptWorkspace: Effect.Effect<void, FileError>
    readonly mode: Effect.Effect<ApprovalMode>
    readonly setMode: (mode: ApprovalMode) => Effect.Effect<void, ModeError>
    /** The mode that plan mode gives way to when nobody can be asked: never above the one of the start. */
    readonly modeAfterPlan: Effect.Effect<ApprovalMode>
    /** The folder is not trusted any more: modes that need trust end at once and cannot be switched to. */
    readonly distrust: Effect.Effect<void>
  }
>() {}

export interface PolicyOptions extends PolicySources, DeciderOptions {
  readonly mode: ApprovalMode
  readonly isTrusted: boolean
  readonly home: string | undefined
  readonly settings: PolicySettings
  /** `security.disableYoloMode` or the administrator's secure mode. */
  readonly disablesYolo: boolean
}

// Keeps credentials out of saved rules: an approved command may carry one in its words.

const SECRET =
  /(?:token|secret|passw(?:or)?d|api[_-]?key|auth|credential)[^\s=:]*\s*[=:]|:\/\/[^/\s:@]+:[^/\s@]+@|\b(?:gh[opusr]_|github_pat_)\w{20}|\bAIza[\w-]{30}|\bAKIA[A-Z0-9]{12}|\beyJ[\w-]{10,}\.|\b(?:sk|rk)[_-](?:live|test|proj)?[\w-]{16}|\bxox[abpr]-|-----BEGIN/i

const holdsSecret = (rule: PolicyRule): boolean =>
  SECRET.test([...(rule.commandPrefix ?? []), rule.argsPattern?.source ?? ""].join(" "))

export const make = (options: PolicyOptions) =>
  Effect.gen(function* () {
    const analyzer = yield* ShellAnalyzer
    const loaded = yield* loadPolicyFiles(options)
    const rules = yield* Ref.make(initialRules(loaded, options))
    const modes = yield* Ref.make(beginIn(options.mode))
    const mode = Effect.map(Ref.get(modes), ({ current }) => current)
    const heard = yield* Ref.make<ReadonlyArray<string>>([])
    const pending = yield* Ref.make(loaded.pending)
    const isTrusted = yield* Ref.make(options.isTrusted)
    const saving = yield* Effect.makeSemaphore(1)
    const addRules = (added: ReadonlyArray<PolicyRule>) =>
      Ref.update(rules, (present) => inOrder([...added, ...present]))

    const stateNow = Effect.gen(function* () {
      return {
        rules: yield* Ref.get(rules),
        mode: yield* mode,
        heard: yield* Ref.get(heard),
        isTrusted: yield* Ref.get(isTrusted)
      }
    })
    // Most runs ask for no tool, and what judges a call is large.
    const decider = yield* cachedOnce(
      Effect.flatMap(
        lazy(() => import("./decide-call.ts")),
        ({ makeDecider }) => makeDecider({ analyzer, loaded, options, state: stateNow })
      )
    )
    const rulesFor = Effect.fnUntraced(function* (request: AlwaysOptions) {
      if (options.disablesAlways) return undefined
      const { rulesOfApproval } = yield* approvals
      return rulesOfApproval(request, fixedContext(options, loaded), yield* mode)
    })

    return Policy.of({
      decide: (call) =>
        Effect.withSpan(
          Effect.flatMap(decider, (decide) => decide(call)),
          "Policy.decide"
        ),
      hiddenTools: (tools) =>
        Effect.map(Effect.all([Ref.get(rules), mode]), ([present, current]) =>
          hiddenTools(present, tools, { ...fixedContext(options, loaded), mode: current })
        ),
      addAlways: Effect.fn("Policy.addAlways")(function* (request: AlwaysOptions) {
        const made = yield* rulesFor(request)
        if (made === undefined) return { rules: [], notice: "this approval counts once: no rule was made" }
        if (request.keep === "session") {
          const rules = made.map((rule): PolicyRule => ({ ...rule, holdsUntilExit: true }))
          return yield* Effect.as(addRules(rules), { rules })
        }
        yield* addRules(made)
        const file = savedFile(request.keep, options)
        if (file === undefined || made.some(holdsSecret)) {
          return { rules: made, notice: file === undefined ? NO_HOME : "it may hold a secret, so it was not saved" }
        }
        const outcome = yield* save(file, made, request.keep === "workspace" ? options.project : undefined).pipe(
          saving.withPermits(1)
        )
        // The user just agreed to this content; what still waits for agreement must go on waiting.
        const isSettled = request.keep === "workspace" && (yield* Ref.get(pending)) === undefined
        if (isSettled && options.geminiDir !== undefined) {
          yield* Effect.ignore(accept(options.geminiDir, options.project, workspaceHash(options)))
        }
        return outcome
      }),
      previewAlways: (request) =>
        Effect.flatMap(rulesFor(request), (made) =>
          made === undefined ? Effect.succeed(undefined) : Effect.map(approvals, ({ savedText }) => savedText(made))
        ),
      addRules,
      hear: (text) => (text.includes(".") ? Ref.update(heard, (before) => [...before, text]) : Effect.void),
      rules: Ref.get(rules),
      problems: loaded.problems,
      pendingWorkspace: Ref.get(pending),
      acceptWorkspace: Effect.gen(function* () {
        const waiting = yield* Ref.getAndSet(pending, undefined)
        if (waiting === undefined) return
        yield* addRules(waiting.rules)
        if (options.geminiDir !== undefined) yield* accept(options.geminiDir, options.project, waiting.hash)
      }),
      mode,
      modeAfterPlan: Effect.map(Ref.get(modes), ({ afterPlan }) => afterPlan),
      setMode: Effect.fn("Policy.setMode")(function* (next: ApprovalMode) {
        const refusal = modeRefusal(next, { ...options, isTrusted: yield* Ref.get(isTrusted) })
        if (refusal !== undefined) return yield* new ModeError({ mode: next, detail: refusal })
        yield* Ref.update(modes, (state) => switchTo(state, next))
      }),
      distrust: Effect.zipRight(
        Ref.set(isTrusted, false),
        Ref.update(modes, (state) => (NEEDS_TRUST.has(state.current) ? beginIn("default") : state))
      )
    })
  })

export const layer = (options: PolicyOptions) => Layer.effect(Policy, make(options))

const approvals = lazy(() => import("./always.ts"))

const NO_HOME = "there is no folder to save it in"

const initialRules = (loaded: LoadedPolicies, options: PolicyOptions): ReadonlyArray<PolicyRule> =>
  inOrder([...loaded.rules, ...defaultRules(), ...settingsRules(options.settings, options)])

const savedFile = (keep: "user" | "workspace", options: PolicyOptions): string | undefined => {
  const folder = keep === "user" ? options.geminiDir : options.isTrusted ? join(options.project, ".gemini") : undefined
  return folder === undefined ? undefined : join(folder, "policies", "auto-saved.toml")
}

/** `border`: of a project, whose links may lead to files of the person's. */
const save = Effect.fnUntraced(function* (file: string, rules: ReadonlyArray<PolicyRule>, border: string | undefined) {
  const { leadsOut } = yield* lazy(() => import("../system/atomic-write.ts"))
  if (border !== undefined && leadsOut(file, border))
    return { rules, notice: `not saved: a link leads out of ${border}` }
  const { saveApproval } = yield* lazy(() => import("./auto-saved.live.ts"))
  return yield* saveApproval(file, rules).pipe(
    Effect.map((saved): AlwaysOutcome => ({ rules, file: saved })),
    Effect.catchTag("FileError", (error) =>
      Effect.succeed<AlwaysOutcome>({ rules, notice: `not saved: ${error.message}` })
    )
  )
})

const NEEDS_TRUST: ReadonlySet<ApprovalMode> = new Set(["auto_edit", "yolo"])

const modeRefusal = (mode: ApprovalMode, options: PolicyOptions): string | undefined => {
  if (mode === "yolo" && options.disablesYolo) return "it is switched off by the settings"
  return !options.isTrusted && NEEDS_TRUST.has(mode) ? "this folder is not trusted" : undefined
}

/**
 * Which tools are not offered to the model because no call of them could succeed.
 *
 * The rules are walked without arguments: a rule with conditions that may allow some call keeps the tool visible, one
 * that may refuse some call says nothing yet, and the first rule without conditions settles it. In a headless run a
 * question is a refusal.
 */
interface HidingContext extends CallSituation {
  readonly ignoresAlways: boolean
  readonly forceAsk: string | undefined
}

/** `rules` must be in order. */
export const hiddenTools = (
  rules: ReadonlyArray<PolicyRule>,
  tools: ReadonlyArray<CallTarget>,
  context: HidingContext
): ReadonlyArray<string> => {
  const active = rules.filter((rule) => isActive(rule, context) && !(context.ignoresAlways && isAlwaysRule(rule)))
  return tools.filter((tool) => isHidden(active, tool, context)).map((tool) => tool.name)
}

const isHidden = (active: ReadonlyArray<PolicyRule>, tool: CallTarget, context: HidingContext): boolean => {
  if (!context.isInteractive && context.forceAsk !== undefined) return true
  for (const rule of active) {
    if (!matchesTarget(rule, tool)) continue
    const refuses = rule.decision === "deny" || (rule.decision === "ask_user" && !context.isInteractive)
    const isConditional = isNarrowed(rule) || rule.subagent !== undefined
    if (!isConditional) return refuses
    if (!refuses) return false
  }
  return !context.isInteractive && context.mode !== "yolo"
}
