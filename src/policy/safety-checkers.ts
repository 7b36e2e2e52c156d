/**
 * Runs the safety checkers that apply to a call, strongest first. They can only tighten a decision; a checker that
 * fails, is unknown or does not answer denies the call.
 */

import { Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { ChildVariables } from "../system/child-variables.ts"
import { allowedPath, type CheckerVerdict } from "./allowed-path.ts"
import type { CheckerRule, CheckerSpec } from "./checker-rule.ts"
import { matchesCommand } from "./command-matching.ts"
import { type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { matchesArguments, matchesCall } from "./matching.ts"
import { canonicalName } from "./tool-names.ts"

/** A checker that another room brings. */
export type InProcessChecker = (
  call: PolicyCall,
  config: Readonly<Record<string, unknown>>
) => Effect.Effect<CheckerVerdict>

export interface CheckerSurroundings {
  readonly inProcess: Readonly<Record<string, InProcessChecker>>
  /** Folders with the programs of external checkers. */
  readonly folders: ReadonlyArray<string>
  /** Made when a program is about to run. */
  readonly env: () => ChildVariables
  /** The conversation so far, for checkers that want it. */
  readonly history: Effect.Effect<ReadonlyArray<unknown>>
}

export interface CheckerOutcome {
  readonly verdict: CheckerVerdict
  readonly rule: CheckerRule
}

/** The first checker that does not allow the call; `undefined` when all do. */
export const runCheckers = Effect.fn("Policy.runCheckers")(function* (
  checkers: ReadonlyArray<CheckerRule>,
  call: PolicyCall,
  context: DecisionContext,
  surroundings: CheckerSurroundings
) {
  let asked: CheckerOutcome | undefined
  for (const rule of checkers.toSorted((one, other) => other.rank - one.rank)) {
    if (!applies(rule, call, context)) continue
    const verdict = yield* check(rule.checker, call, context, surroundings)
    if (verdict.decision === "deny") return { verdict, rule } satisfies CheckerOutcome
    if (verdict.decision === "ask_user") asked ??= { verdict, rule }
  }
  return asked
})

const applies = (rule: CheckerRule, call: PolicyCall, context: DecisionContext): boolean => {
  if (!matchesCall(rule, call, context)) return false
  const looksAtCommand = rule.commandPrefix !== undefined || rule.commandRegex !== undefined
  if (!looksAtCommand) return matchesArguments(rule, call, "wide")
  if (canonicalName(call.name) !== SHELL_TOOL) return false
  // Checked like a prohibition: every disguise of the command counts.
  const strict = { ...rule, decision: "deny", tier: "user" } as const
  return context.shell === undefined || context.shell.commands.some((command) => matchesCommand(strict, command, call))
}

const check = (
  spec: CheckerSpec,
  call: PolicyCall,
  context: DecisionContext,
  surroundings: CheckerSurroundings
): Effect.Effect<CheckerVerdict> => {
  if (spec.type === "external") return external(spec, call, context, surroundings)
  if (spec.name === "allowed-path") return Effect.sync(() => allowedPath(call, context, spec.config))
  const brought = Object.hasOwn(surroundings.inProcess, spec.name) ? surroundings.inProcess[spec.name] : undefined
  if (brought !== undefined) return brought(call, spec.config ?? {})
  // Shipped rule files name it for every tool; where the feature is off it has nothing to say.
  if (spec.name === "conseca") return Effect.succeed({ decision: "allow" })
  return Effect.succeed({ decision: "deny", reason: `there is no safety checker named ${spec.name}` })
}

const external = Effect.fnUntraced(function* (
  spec: CheckerSpec,
  call: PolicyCall,
  context: DecisionContext,
  surroundings: CheckerSurroundings
) {
  const wants = (part: "environment" | "history") =>
    spec.requiredContext === undefined || spec.requiredContext.includes(part)
  const turns = wants("history") ? yield* surroundings.history : []
  const input = {
    protocolVersion: "1.0.0",
    toolCall: { name: call.name, args: call.args },
    context: {
      ...(wants("environment") ? { environment: { cwd: context.cwd, workspaces: context.workspaceDirs } } : {}),
      ...(wants("history") ? { history: { turns } } : {})
    },
    ...(spec.config === undefined ? {} : { config: spec.config })
  }
  const { runExternalChecker } = yield* lazy(() => import("./external-checker.live.ts"))
  const { cwd } = context
  return yield* runExternalChecker({
    name: spec.name,
    folders: surroundings.folders,
    input: JSON.stringify(input),
    cwd,
    env: surroundings.env()
  })
})
