/**
 * Runs the safety checkers that apply to a call, strongest first. They can only tighten a decision; a checker that
 * fails, is unknown or does not answer denies the call.
 */

import { relative, resolve } from "node:path"
import { Effect } from "effect"
import { isInside } from "../files/containment.ts"
import { lazy } from "../kernel/lazy.ts"
import type { ChildVariables } from "../system/child-variables.ts"
import { matchesCommand } from "./command-matching.ts"
import { type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { matchesArguments, matchesCall } from "./matching.ts"
import { expandHome } from "./paths.ts"
import type { RuleConditions } from "./rule.ts"
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

/** Safety checkers as data: when one applies, and what it is told. */
export interface CheckerSpec {
  readonly type: "in-process" | "external"
  readonly name: string
  /** Parts of the context that it wants; absent: all that there is. */
  readonly requiredContext?: ReadonlyArray<"environment" | "history">
  readonly config?: Readonly<Record<string, unknown>>
}

export interface CheckerRule extends RuleConditions {
  readonly checker: CheckerSpec
  readonly rank: number
  readonly source: string
}

export type CheckerVerdict =
  | { readonly decision: "allow"; readonly reason?: string }
  | { readonly decision: "deny" | "ask_user"; readonly reason: string }

const CLOSED = new Set([".git", ".env", "node_modules"])

const ASKED = new Set([".vscode"])

const MAX_DEPTH = 20

/** The built-in safety checker `allowed-path`: path arguments must stay inside the workspace. Pure. */
export const allowedPath = (
  call: PolicyCall,
  context: DecisionContext,
  config: Readonly<Record<string, unknown>> = {}
): CheckerVerdict => {
  const included = namesIn(config.included_args)
  const excluded = namesIn(config.excluded_args)
  let asked: CheckerVerdict | undefined
  for (const { key, value } of stringsOf(call.args, "", 0)) {
    const last = key.slice(key.lastIndexOf(".") + 1)
    const isPath = /path|directory|file/i.test(last) || last === "source" || last === "destination" || included.has(key)
    if (!isPath || excluded.has(key)) continue
    const verdict = verdictOn(key, value, context)
    if (verdict.decision === "deny") return verdict
    if (verdict.decision === "ask_user") asked ??= verdict
  }
  return asked ?? { decision: "allow" }
}

const verdictOn = (key: string, value: string, context: DecisionContext): CheckerVerdict => {
  const real = context.realPath(resolve(context.cwd, expandHome(value, context.home)))
  if (real === undefined) return { decision: "deny", reason: `${key}: ${value} cannot be resolved` }
  const root = context.workspaceDirs.find((folder) => isInside(folder, real))
  if (root === undefined) return { decision: "deny", reason: `${key}: ${value} lies outside the workspace` }
  const segments = relative(root, real).split(/[/\\]/)
  const closed = segments.find((segment) => CLOSED.has(segment.toLowerCase()))
  if (closed !== undefined) return { decision: "deny", reason: `${key}: ${value} lies in ${closed}` }
  const asked = segments.find((segment) => ASKED.has(segment.toLowerCase()))
  return asked === undefined
    ? { decision: "allow" }
    : { decision: "ask_user", reason: `${key}: ${value} lies in ${asked}` }
}

const namesIn = (value: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.filter((item) => typeof item === "string") : [])

/** Every string in the arguments with its dotted key; items of a list carry the key of the list. */
const stringsOf = (
  value: unknown,
  key: string,
  depth: number
): ReadonlyArray<{ readonly key: string; readonly value: string }> => {
  if (typeof value === "string") return [{ key, value }]
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((item) => stringsOf(item, key, depth + 1))
  return Object.entries(value).flatMap(([name, item]) =>
    stringsOf(item, key === "" ? name : `${key}.${name}`, depth + 1)
  )
}
