/**
 * What becomes of a decision when the call changes files that give power: an allowance becomes a question, which a
 * headless run answers with no. Only yolo, and a rule that was made for exactly this, stand above it. What the program
 * keeps for itself is refused: no answer to a question could undo a lost session.
 */
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import { isInside } from "../files/containment.ts"
import { programWords, type ShellAnalysis, type SimpleCommand } from "../shell/analysis/shell-analysis.ts"
import { argumentPattern } from "./always.ts"
import type { Decision, DecisionContext, PolicyCall, PowerOfCall } from "./decision.ts"
import { expandHome } from "./paths.ts"
import { NO_POWER_FACTS, type Power, type PowerFacts, powerOf } from "./power.ts"
import { type PolicyRule, ruleText } from "./rule.ts"
import { commandWrites, toolWrites, type WrittenPath } from "./written-paths.ts"

export interface Judged {
  readonly decision: Decision
  /** Behind the verdict, for calls that are not of the shell. */
  readonly rule: PolicyRule | undefined
  /** That are about this tool. */
  readonly rules: ReadonlyArray<PolicyRule>
}

/** The same decision where nothing that the call changes gives power. */
export const withPower = (judged: Judged, call: PolicyCall, context: DecisionContext): Decision => {
  const { decision } = judged
  const isRefused = decision.verdict === "deny"
  if (context.mode === "yolo" || (isRefused && decision.rule?.tier !== "default")) return decision
  const power = context.shell === undefined ? toolPower(judged, call, context) : linePower(judged, call, context)
  if (power === undefined) return decision
  if (decision.verdict !== "allow" && power.kind === "unknown") return { ...decision, power }
  const why = reasonOf(power, context)
  // The rule that allows it has nothing to do with why it is not.
  const { rule: _, ...ruleless } = decision
  if (power.kind === "own") return { ...ruleless, verdict: "deny", reason: why, power }
  if (decision.verdict === "allow") return { ...ruleless, verdict: "ask", reason: why, power }
  return { ...decision, reason: `${decision.reason}; ${why}`, power }
}

const toolPower = ({ rule }: Judged, call: PolicyCall, context: DecisionContext): PowerOfCall | undefined => {
  if (rule?.allowPowerFiles === true) return undefined
  const bases = [...new Set([context.cwd, ...context.workspaceDirs])]
  return first(toolWrites(call, context), (write) => {
    const forms =
      write.path?.startsWith("~") === true ? [write, { ...write, path: homely(write.path, context) }] : [write]
    const power = first(forms, (form) => powerOfWrite(form, bases, context))
    return power === undefined || isNamedBy(rule, call, context) ? undefined : power
  })
}

const homely = (path: string, { home }: DecisionContext): string => expandHome(path, home)

/** An "always" was said about this very path, and the path leads nowhere else: the person saw what it is. */
const isNamedBy = (rule: PolicyRule | undefined, { args }: PolicyCall, context: DecisionContext): boolean =>
  rule?.decision === "allow" &&
  Object.entries(args).some(([key, value]) => {
    if (typeof value !== "string") return false
    if (rule.argsPattern?.source !== new RegExp(argumentPattern(key, value)).source) return false
    const path = resolve(context.cwd, value)
    return context.realPath(path) === path
  })

const linePower = ({ decision, rules }: Judged, call: PolicyCall, context: DecisionContext) => {
  const analysis = context.shell as ShellAnalysis
  const { dir_path: folder } = call.args
  const start = typeof folder === "string" ? resolve(context.cwd, folder) : context.cwd
  const bases = workingFolders(analysis.commands, start, context)
  return first(analysis.commands, (command, index) => {
    const by = decision.commands[index]?.rule
    const isOpened = rules.some(
      (rule) => rule.allowPowerFiles === true && rule.source === by?.source && ruleText(rule) === by.text
    )
    if (isOpened) return undefined
    const names = (pattern: string) => (bases ?? []).flatMap((base) => factsOf(context).expand(pattern, base))
    return first(commandWrites(command, names, context), (write) => powerOfWrite(write, bases, context))
  })
}

/** Every folder that a line may be working in: the first one, and each literal `cd` from each of them. */
const workingFolders = (
  commands: ReadonlyArray<SimpleCommand>,
  start: string,
  context: DecisionContext
): ReadonlyArray<string> | undefined => {
  let folders = [start]
  for (const command of commands) {
    const [program, target, ...rest] = programWords(command)
    if (program === undefined || !/^(?:cd|pushd|popd)$/.test(program.value)) continue
    const isLiteral = target !== undefined && rest.length === 0 && target.dynamic.length === 0 && !target.hasGlob
    if (!isLiteral || program.value !== "cd" || /^(?:-|~[^/].*)$/.test(target.value)) return undefined
    const path = target.hasTilde ? homely(target.value, context) : target.value
    // The shell takes `..` out of the text first; where that fails, the kernel walks it.
    const next = folders.flatMap((folder) => [
      resolve(folder, path),
      context.realPath(isAbsolute(path) ? path : `${folder}/${path}`)
    ])
    folders = [...new Set([...folders, ...next.filter((folder) => folder !== undefined)])]
    if (folders.length > MAX_FOLDERS) return undefined
  }
  return folders
}

const MAX_FOLDERS = 32

const factsOf = ({ powerFacts }: DecisionContext): PowerFacts => powerFacts?.() ?? NO_POWER_FACTS

/** `bases`: every folder that the path may be relative to; `undefined`: that is not known. */
export const powerOfWrite = (
  { from, isInPlace, path }: WrittenPath,
  bases: ReadonlyArray<string> | undefined,
  context: DecisionContext
): PowerOfCall | undefined => {
  const facts = factsOf(context)
  if (path === undefined || (bases === undefined && !isAbsolute(path))) return UNKNOWN
  return first(isAbsolute(path) ? ["/"] : (bases ?? []), (base): PowerOfCall | undefined => {
    const raw = isAbsolute(path) ? path : `${base}/${path}`
    const real = context.realPath(raw)
    // What a process is told of its own descriptors is not what we are told.
    if (real === undefined || /^\/(?:proc|dev\/fd)\//.test(resolve(raw))) return UNKNOWN
    const folder = context.realPath(dirname(raw))
    // What is changed, the name that is replaced or removed, and the path as it reads to those who remove `..` first.
    const forms = [real, folder === undefined ? real : join(folder, basename(raw)), resolve(raw)]
    const power = first([...forms, context.realPath(resolve(raw)) ?? real], (form) => powerOf(form, facts))
    if (power !== undefined) return { kind: power.kind, does: power.does, path: real }
    if (isInPlace && facts.names(real) > 1) return { ...HARD_LINK, path: real }
    const brought = from === undefined ? undefined : facts.below(isAbsolute(from) ? from : `${base}/${from}`)
    return brought === undefined ? undefined : { kind: brought.kind, does: brought.does, path: brought.path }
  })
}

const UNKNOWN: PowerOfCall = { kind: "unknown", does: "", path: "" }
const HARD_LINK: Power = { kind: "hard-link", does: "has other names, which may be those of files that give power" }

const reasonOf = ({ does, kind, path }: PowerOfCall, { cwd }: DecisionContext): string => {
  if (kind === "unknown") return "it changes a file whose name is known only when it happens"
  const shown = isInside(cwd, path) && path !== cwd ? relative(cwd, path) : path
  return `it changes ${shown}, which ${does}`
}

const first = <A, B>(all: ReadonlyArray<A>, find: (one: A, index: number) => B | undefined): B | undefined => {
  for (const [index, one] of all.entries()) {
    const found = find(one, index)
    if (found !== undefined) return found
  }
  return undefined
}
