/**
 * The policy of a run: which tool calls are allowed, asked about or denied, and why.
 *
 * Rules are read once, when the layer is built, so that an administrator's broken file stops the run before it starts.
 * Approvals that a person gives meanwhile are added in memory and, where wanted, saved.
 */
import { join } from "node:path"
import { Context, Effect, Layer, Ref, Schema } from "effect"
import type { FileError } from "../files/file-error.ts"
import { realPathOf } from "../files/real-path.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lazy } from "../kernel/lazy.ts"
import { ApprovalMode } from "../protocol/modes.ts"
import { ShellAnalyzer } from "../shell/analysis/shell-analyzer.ts"
import { type AlwaysRequest, alwaysRules, savedText } from "./always.ts"
import { beginIn, switchTo } from "./approval-mode.ts"
import { type NamingPlace, narrowingValue } from "./argument-forms.ts"
import { holdsClosedNames } from "./closed-names.ts"
import { decide, settle } from "./decide.ts"
import { startOf } from "./decide-shell.ts"
import { type Decision, type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { defaultRules } from "./default-rules.ts"
import { hiddenTools } from "./hidden-tools.ts"
import { WEB_TOOL } from "./host-rules.ts"
import { accept } from "./integrity.ts"
import type { CallTarget } from "./matching.ts"
import { withPlainPaths } from "./paths.ts"
import {
  type LoadedPolicies,
  loadPolicyFiles,
  type PendingWorkspace,
  type PolicySources,
  workspaceHash
} from "./policy-files.ts"
import type { PolicyProblem } from "./policy-problem.ts"
import { type PowerSurroundings, powerFacts } from "./power-facts.ts"
import type { ShellFacts } from "./reading/read-line.ts"
import { inOrder, type PolicyRule } from "./rule.ts"
import { type CheckerSurroundings, runCheckers } from "./safety-checkers.ts"
import { type PolicySettings, settingsRules } from "./settings-rules.ts"
import { canonicalName } from "./tool-names.ts"
import { isLooking } from "./written-paths.ts"

/** The approval mode cannot be switched to where the run stands. */
export class ModeError extends Schema.TaggedError<ModeError>()("ModeError", {
  mode: ApprovalMode,
  detail: Schema.String
}) {
  override get message() {
    return `The approval mode cannot be set to ${this.mode}: ${this.detail}`
  }
}

export interface AlwaysOptions extends AlwaysRequest {
  /** `session`: until the program ends. */
  readonly keep: "session" | "user" | "workspace"
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

export interface PolicyOptions extends PolicySources {
  readonly mode: ApprovalMode
  readonly isInteractive: boolean
  readonly cwd: string
  /** Real paths; the working folder is one of them. */
  readonly workspaceDirs: Effect.Effect<ReadonlyArray<string>>
  readonly plansDir: string | undefined
  /** The environment that shell commands start from, and what reads them. */
  readonly shell: Effect.Effect<ShellFacts>
  readonly settings: PolicySettings
  /** `security.disableAlwaysAllow` or the administrator's secure mode. */
  readonly disablesAlways: boolean
  /** `security.disableYoloMode` or the administrator's secure mode. */
  readonly disablesYolo: boolean
  readonly checkers: CheckerSurroundings
  readonly power: PowerSurroundings
  /** Command lines that the user has configured to be run by the program. */
  readonly commands?: Effect.Effect<ReadonlyArray<string>>
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

    const reader = yield* cachedOnce(lazy(() => import("./reading/read-line.ts")))

    const contextFor = Effect.fnUntraced(function* (call: PolicyCall) {
      const current = yield* mode
      const workspaceDirs = yield* options.workspaceDirs
      const mayChange = current !== "yolo" && !isLooking(call)
      const commands = mayChange ? yield* options.commands ?? Effect.succeed([]) : []
      const name = canonicalName(call.name)
      const context: DecisionContext = {
        ...fixedContext(options, loaded),
        isTrusted: yield* Ref.get(isTrusted),
        mode: current,
        workspaceDirs,
        // Looked up for each call: links may have been made since the last one.
        ...(mayChange ? { powerFacts: once(() => powerFacts(options.power, workspaceDirs, commands)) } : {}),
        shell: undefined,
        reading: undefined,
        web: name === WEB_TOOL ? yield* reachOf(call, yield* Ref.get(heard)) : undefined
      }
      if (name !== SHELL_TOOL) return context
      const command = typeof call.args.command === "string" ? call.args.command : ""
      const { readLine, readingPlace } = yield* reader
      const place = readingPlace(startOf(call, context), context, yield* options.shell)
      return { ...context, shell: yield* analyzer.analyze(command), reading: readLine(command, place) }
    })

    const rulesFor = Effect.fnUntraced(function* (request: AlwaysOptions) {
      if (options.disablesAlways) return undefined
      return alwaysRules(byRealName(request, fixedContext(options, loaded)), yield* mode, scopeOf(request))
    })

    return Policy.of({
      decide: Effect.fn("Policy.decide")(function* (asked: PolicyCall) {
        const call = withPlainPaths(asked, options.cwd)
        const context = yield* contextFor(call)
        const decision = decide(yield* Ref.get(rules), call, context)
        if (decision.verdict === "deny" || loaded.checkers.length === 0) return decision
        const outcome = yield* runCheckers(loaded.checkers, call, context, options.checkers)
        if (outcome === undefined || outcome.verdict.decision === "allow") return decision
        const verdict = outcome.verdict.decision === "deny" ? "deny" : "ask"
        const tightened: Decision = { ...decision, verdict, reason: outcome.verdict.reason }
        return settle({ decision: tightened, isFinal: true }, call, context)
      }),
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
        const outcome = yield* save(file, made).pipe(saving.withPermits(1))
        // The user just agreed to this content; what still waits for agreement must go on waiting.
        const isSettled = request.keep === "workspace" && (yield* Ref.get(pending)) === undefined
        if (isSettled && options.geminiDir !== undefined) {
          yield* Effect.ignore(accept(options.geminiDir, options.project, workspaceHash(options)))
        }
        return outcome
      }),
      previewAlways: (request) =>
        Effect.map(rulesFor(request), (made) => (made === undefined ? undefined : savedText(made))),
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

/** The same value each time, made when it is first asked for. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const reachOf = (call: PolicyCall, heard: ReadonlyArray<string>) =>
  Effect.map(
    lazy(() => import("./web-reach.ts")),
    ({ webReach }) => webReach(call.args, heard)
  )

const NO_HOME = "there is no folder to save it in"

const initialRules = (loaded: LoadedPolicies, options: PolicyOptions): ReadonlyArray<PolicyRule> =>
  inOrder([...loaded.rules, ...defaultRules(), ...settingsRules(options.settings, options)])

const fixedContext = (options: PolicyOptions, loaded: LoadedPolicies) => ({
  isInteractive: options.isInteractive,
  isTrusted: options.isTrusted,
  cwd: options.cwd,
  home: options.home,
  plansDir: options.plansDir,
  ignoresAlways: options.disablesAlways,
  forceAsk: loaded.forceAsk,
  realPath,
  holdsClosed: holdsClosedNames
})

const realPath = (path: string): string | undefined => {
  try {
    return realPathOf(path)
  } catch {
    return undefined
  }
}

/** The rule is about the file, not about how it was spelled this time: permissions are tested on its real name. */
const byRealName = (request: AlwaysOptions, place: NamingPlace): AlwaysOptions => {
  const { narrowing, toolName } = request
  if (narrowing?.by !== "argument") return request
  return {
    ...request,
    narrowing: { ...narrowing, value: narrowingValue(toolName, narrowing.key, narrowing.value, place) }
  }
}

const scopeOf = ({ keep }: AlwaysOptions): "user" | "workspace" => (keep === "user" ? "user" : "workspace")

const savedFile = (keep: "user" | "workspace", options: PolicyOptions): string | undefined => {
  const folder = keep === "user" ? options.geminiDir : options.isTrusted ? join(options.project, ".gemini") : undefined
  return folder === undefined ? undefined : join(folder, "policies", "auto-saved.toml")
}

const save = Effect.fnUntraced(function* (file: string, rules: ReadonlyArray<PolicyRule>) {
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
