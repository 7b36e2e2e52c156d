/** Whether a rule is about a call at all: mode, surroundings, tool, server, annotations, path arguments. Pure. */
import type { ApprovalMode } from "../protocol/modes.ts"
import { type ArgumentForms, argumentForms, type CallArguments, canonicalArguments } from "./argument-forms.ts"
import type { DecisionContext, PolicyCall } from "./decision.ts"
import { isPlanFileCall, matchesPathGlob, pathArguments } from "./paths.ts"
import type { RuleConditions } from "./rule.ts"
import { canonicalName } from "./tool-names.ts"

/** Who is called, without the arguments: enough to decide whether a tool is offered. */
export interface CallTarget {
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  readonly server?: string
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly args?: Readonly<Record<string, unknown>>
}

export interface CallSituation {
  readonly mode: ApprovalMode
  readonly isInteractive: boolean
}

export const isActive = (rule: RuleConditions, surroundings: CallSituation): boolean =>
  (rule.modes === undefined || rule.modes.length === 0 || rule.modes.includes(surroundings.mode)) &&
  (rule.interactive === undefined || rule.interactive === surroundings.isInteractive)

export const matchesTarget = (rule: RuleConditions, target: CallTarget): boolean =>
  matchesTool(rule, target) && matchesAnnotations(rule, target)

/** Everything but the shell's own conditions. */
export const matchesCall = (rule: RuleConditions, call: PolicyCall, context: DecisionContext): boolean =>
  isActive(rule, context) &&
  (rule.subagent === undefined || rule.subagent === call.subagent) &&
  matchesTarget(rule, call) &&
  matchesPaths(rule, call, context)

/** `used`: what a permission is tested on; `wide`: what a prohibition, a question and a checker are. */
export type Reach = keyof ArgumentForms

export const matchesArguments = (rule: RuleConditions, call: PolicyCall, reach: Reach): boolean =>
  rule.argsPattern === undefined || formsOf(call)[reach].some((form) => isMatch(rule, form))

/** For a part of a shell line: the same with this command. */
export const matchesArgumentsWith = (rule: RuleConditions, call: PolicyCall, command: string, reach: Reach): boolean =>
  formsOf(call)[reach].some((form) => isMatch(rule, { ...form, command }))

const formsOf = (call: PolicyCall): ArgumentForms => call.forms?.() ?? { used: [call.args], wide: [call.args] }

const isMatch = ({ argsPattern }: RuleConditions, form: CallArguments): boolean =>
  argsPattern?.test(canonicalArguments(form)) === true

/** The call with its forms at hand. */
export const withForms = (call: PolicyCall, context: DecisionContext): PolicyCall => {
  let made: ArgumentForms | undefined
  return {
    ...call,
    forms: () => {
      made ??= argumentForms(call, context)
      return made
    }
  }
}

const matchesPaths = (rule: RuleConditions, call: PolicyCall, context: DecisionContext): boolean => {
  if (rule.isPlanFile === true && !isPlanFileCall(call, context)) return false
  const globs = rule.pathGlobs
  if (globs === undefined) return true
  return pathArguments(call, context).some((path) => globs.some((glob) => matchesPathGlob(glob, path, context)))
}

const matchesAnnotations = (rule: RuleConditions, target: CallTarget): boolean =>
  rule.annotations === undefined ||
  Object.entries(rule.annotations).every(([key, value]) => {
    const annotations = target.annotations ?? {}
    return Object.hasOwn(annotations, key) && annotations[key] === value
  })

/** From the tool, from its annotations, else the text of the name up to the next underscore. */
export const serverOf = (target: CallTarget): string | undefined => {
  if (target.server !== undefined) return target.server
  const annotated = target.annotations?._serverName
  if (typeof annotated === "string") return annotated
  return /^mcp_([^_]+)_/.exec(target.name)?.[1]
}

const matchesTool = (rule: RuleConditions, target: CallTarget): boolean => {
  const server = serverOf(target)
  const legacy = rule.mcpName === undefined ? /^(.+?)__(.+)$/.exec(rule.toolName) : null
  const mcpName = legacy?.[1] ?? rule.mcpName
  const pattern = legacy?.[2] ?? rule.toolName
  if (mcpName !== undefined) {
    if (server === undefined || (mcpName !== "*" && mcpName !== server)) return false
    return pattern === "*" || namesOf(target).some((name) => isServerTool(pattern, name, server))
  }
  // Tools of servers have names of their own; an older name of ours is meant only where no server is.
  const meant = canonicalName(pattern)
  return namesOf(target).some((name) => matchesName(pattern, name, server) || matchesName(meant, name, server))
}

const namesOf = (target: CallTarget): ReadonlyArray<string> => {
  const agent = target.name === "invoke_agent" ? target.args?.agent_name : undefined
  const names = [target.name, canonicalName(target.name), ...(target.aliases ?? [])]
  return typeof agent === "string" ? [...names, agent] : names
}

/** A server may be written as it is or as it stands in tool names, where other characters become `_`. */
const inToolName = (text: string): string => text.replace(/[^A-Za-z0-9_.:-]/g, "_")

const isServerTool = (pattern: string, name: string, server: string): boolean => {
  const short = name.startsWith(`mcp_${inToolName(server)}_`) ? name.slice(inToolName(server).length + 5) : name
  if (pattern.endsWith("*")) return short.startsWith(pattern.slice(0, -1))
  return pattern === name || pattern === short || inToolName(pattern) === short
}

const matchesName = (pattern: string, name: string, server: string | undefined): boolean => {
  if (pattern === "*" || pattern === name) return true
  if (pattern === "mcp_*") return server !== undefined
  if (server !== undefined && pattern.startsWith("mcp_*_")) return isServerTool(pattern.slice(6), name, server)
  if (server !== undefined && pattern.startsWith("mcp_") && pattern.endsWith("_*")) {
    return pattern === `mcp_${inToolName(server)}_*` && name.startsWith(pattern.slice(0, -1))
  }
  return pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1))
}
