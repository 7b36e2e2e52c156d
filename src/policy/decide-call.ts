/** The decision about one call, from the rules and the state of this moment. Loaded with the first call. */
import { Effect } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lazy } from "../kernel/lazy.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import type { ShellAnalyzer } from "../shell/analysis/shell-analyzer.ts"
import { decide, settle } from "./decide.ts"
import { startOf } from "./decide-shell.ts"
import { type Decision, type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { type FixedFacts, fixedContext } from "./fixed-context.ts"
import { WEB_TOOL } from "./host-rules.ts"
import { withPlainPaths } from "./paths.ts"
import type { LoadedPolicies } from "./policy-files.ts"
import { type PowerSurroundings, powerFacts } from "./power-facts.ts"
import type { ShellFacts } from "./reading/read-line.ts"
import type { PolicyRule } from "./rule.ts"
import { type CheckerSurroundings, runCheckers } from "./safety-checkers.ts"
import { canonicalName } from "./tool-names.ts"
import { isLooking } from "./written-paths.ts"

export interface DeciderOptions extends FixedFacts {
  /** Real paths; the working folder is one of them. */
  readonly workspaceDirs: Effect.Effect<ReadonlyArray<string>>
  /** The environment that shell commands start from, and what reads them. */
  readonly shell: Effect.Effect<ShellFacts>
  readonly checkers: CheckerSurroundings
  readonly power: PowerSurroundings
  /** Command lines that the user has configured to be run by the program. */
  readonly commands?: Effect.Effect<ReadonlyArray<string>>
}

/** What changes while the program runs. */
export interface PolicyState {
  readonly rules: ReadonlyArray<PolicyRule>
  readonly mode: ApprovalMode
  /** What the person typed. */
  readonly heard: ReadonlyArray<string>
  readonly isTrusted: boolean
}

export interface DeciderInput {
  readonly analyzer: ShellAnalyzer["Type"]
  readonly loaded: LoadedPolicies
  readonly options: DeciderOptions
  readonly state: Effect.Effect<PolicyState>
}

export const makeDecider = Effect.fnUntraced(function* ({ analyzer, loaded, options, state }: DeciderInput) {
  const reader = yield* cachedOnce(lazy(() => import("./reading/read-line.ts")))

  const contextFor = Effect.fnUntraced(function* (call: PolicyCall, { heard, isTrusted, mode }: PolicyState) {
    const workspaceDirs = yield* options.workspaceDirs
    const mayChange = mode !== "yolo" && !isLooking(call)
    const commands = mayChange ? yield* options.commands ?? Effect.succeed([]) : []
    const name = canonicalName(call.name)
    const context: DecisionContext = {
      ...fixedContext(options, loaded),
      isTrusted,
      mode,
      workspaceDirs,
      // Looked up for each call: links may have been made since the last one.
      ...(mayChange ? { powerFacts: once(() => powerFacts(options.power, workspaceDirs, commands)) } : {}),
      shell: undefined,
      reading: undefined,
      web: name === WEB_TOOL ? yield* reachOf(call, heard) : undefined
    }
    if (name !== SHELL_TOOL) return context
    const command = typeof call.args.command === "string" ? call.args.command : ""
    const { readLine, readingPlace } = yield* reader
    const place = readingPlace(startOf(call, context), context, yield* options.shell)
    return { ...context, shell: yield* analyzer.analyze(command), reading: readLine(command, place) }
  })

  return Effect.fnUntraced(function* (asked: PolicyCall): Effect.fn.Return<Decision> {
    const call = withPlainPaths(asked, options.cwd)
    const now = yield* state
    const context = yield* contextFor(call, now)
    const decision = decide(now.rules, call, context)
    if (decision.verdict === "deny" || loaded.checkers.length === 0) return decision
    const outcome = yield* runCheckers(loaded.checkers, call, context, options.checkers)
    if (outcome === undefined || outcome.verdict.decision === "allow") return decision
    const verdict = outcome.verdict.decision === "deny" ? "deny" : "ask"
    const tightened: Decision = { ...decision, verdict, reason: outcome.verdict.reason }
    return settle({ decision: tightened, isFinal: true }, call, context)
  })
})

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
