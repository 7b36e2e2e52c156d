/** The built-in safety checker `allowed-path`: path arguments must stay inside the workspace. Pure. */
import { relative, resolve } from "node:path"
import { isInside } from "../files/containment.ts"
import type { DecisionContext, PolicyCall } from "./decision.ts"
import { expandHome } from "./paths.ts"

export type CheckerVerdict =
  | { readonly decision: "allow"; readonly reason?: string }
  | { readonly decision: "deny" | "ask_user"; readonly reason: string }

const CLOSED = new Set([".git", ".env", "node_modules"])
const ASKED = new Set([".vscode"])
const MAX_DEPTH = 20

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
