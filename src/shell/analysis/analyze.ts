/**
 * From text to `ShellAnalysis`: limits, grammar, agreement with bash, commands, wrappers, and scripts inside arguments,
 * each of which is analysed the same way in turn. Pure, given a parser.
 */
import { guidesPrograms } from "../../system/guiding-variables.ts"
import { disagreements } from "./agreement.ts"
import { type Collected, collect, type RawCommand } from "./collect.ts"
import { evaluations } from "./evaluations.ts"
import { beyondLimits } from "./limits.ts"
import {
  type CommandForm,
  type Opaque,
  type OpaqueKind,
  opaqueAnalysis,
  type ShellAnalysis,
  type SimpleCommand
} from "./shell-analysis.ts"
import { type ParseShell, type SyntaxNode, visit } from "./syntax.ts"
import { unwrap } from "./unwrap.ts"
import { assignedName, isAssignment } from "./variables.ts"
import { joinWords } from "./word.ts"

const MAX_SCRIPT_DEPTH = 5
const MAX_COMMANDS = 500

// Commands that set variables which guide programs: a pager, a search path, options read from the environment. Setting
// one is ordinary work; but where a rule forbids a command, it is a way to run that command.

const DECLARES = new Set(["export", "declare", "typeset", "readonly", "local"])
const STORES = new Set(["read", "printf", "mapfile", "readarray", "getopts"])

/** What a command sets of them: in front of it, through `env`, or as its own work. */
const guidedBy = (assignments: ReadonlyArray<string>, forms: ReadonlyArray<CommandForm>): ReadonlyArray<Opaque> => {
  const inner = forms.at(-1)?.words ?? []
  const outer = forms.slice(0, -1).flatMap(({ words }) => words.filter((word) => isAssignment(word.value)))
  const own = inner[0]?.value ?? ""
  const named = inner.slice(1).map((word) => assignedName(word.value.replace(/^-v/, "")))
  if (STORES.has(own)) return report(named, "redefinition")
  const before = [...assignments, ...outer.map((word) => word.value)].map(assignedName)
  return report(DECLARES.has(own) ? [...before, ...named] : before, "environment")
}

/** `for PATH in …` sets a variable too, and is no command that could be judged by itself. */
const guidedByLoops = (source: string, root: SyntaxNode): ReadonlyArray<Opaque> => {
  const names: Array<string> = []
  visit(root, (node) => {
    if (node.type !== "for_statement" && node.type !== "select_statement") return
    const variable = node.children.find((child) => child.type === "variable_name")
    if (variable !== undefined) names.push(source.slice(variable.start, variable.end))
  })
  return report(names, "redefinition")
}

const report = (names: ReadonlyArray<string>, kind: OpaqueKind): ReadonlyArray<Opaque> => {
  const name = names.find(guidesPrograms)
  return name === undefined ? [] : [{ kind, detail: `\`${name}\` can decide which programs are run` }]
}

export const analyze = (text: string, parse: ParseShell): ShellAnalysis => analyzeScript(text, parse, 0)

const analyzeScript = (text: string, parse: ParseShell, depth: number): ShellAnalysis => {
  const beyond = beyondLimits(text)
  if (beyond !== undefined) return opaqueAnalysis(text, beyond)
  if (depth > MAX_SCRIPT_DEPTH) {
    return opaqueAnalysis(text, { kind: "too-complex", detail: "scripts nested in scripts too deeply" })
  }
  const parsed = parse(text)
  if (parsed._tag === "TooComplex") return opaqueAnalysis(text, { kind: "too-complex", detail: parsed.detail })
  if (parsed.hasError) return fragmentsOf(text, parse, depth)
  const collected = collect(text, parsed.root)
  const doubts = [
    ...disagreements(text, parsed.root),
    ...evaluations(text, parsed.root),
    ...guidedByLoops(text, parsed.root)
  ]
  const build = new Build(text, parse, depth, collected, doubts)
  for (const command of collected.commands) build.add(command)
  return build.result()
}

const MAX_FRAGMENTS = 50

/**
 * A text that does not parse stays opaque as a whole. The pieces between its operators are read all the same: what is
 * forbidden among them is then denied, not only asked about. They can be cut wrongly, so they never permit anything.
 */
const fragmentsOf = (text: string, parse: ParseShell, depth: number): ShellAnalysis => {
  const whole = opaqueAnalysis(text, {
    kind: "parse-error",
    detail: "the command is not valid bash, or not understood"
  })
  const pieces = text.split(/&&|\|\||[;&|\n]/).filter((piece) => piece.trim() !== "" && piece.trim() !== text.trim())
  const read = pieces.slice(0, MAX_FRAGMENTS).flatMap((piece) => {
    const parsed = parse(piece)
    return parsed._tag === "Parsed" && !parsed.hasError ? [analyzeScript(piece, parse, depth + 1)] : []
  })
  return { ...whole, commands: read.flatMap((piece) => piece.commands).slice(0, MAX_COMMANDS) }
}

/** Collects the commands of one text together with those of the scripts inside it. */
class Build {
  private readonly commands: Array<SimpleCommand> = []
  private readonly opaque: Array<Opaque>
  private readonly compounds: Array<string>
  private hasForkBomb: boolean
  private readonly text: string
  private readonly parse: ParseShell
  private readonly depth: number
  private readonly collected: Collected

  constructor(text: string, parse: ParseShell, depth: number, collected: Collected, doubts: ReadonlyArray<Opaque>) {
    this.text = text
    this.parse = parse
    this.depth = depth
    this.collected = collected
    this.opaque = [...collected.opaque, ...doubts]
    this.compounds = [...collected.compounds]
    this.hasForkBomb = collected.hasForkBomb
  }

  add(raw: RawCommand): void {
    if (this.commands.length >= MAX_COMMANDS) return
    const unwrapped = unwrap(raw)
    const at = this.commands.length
    this.commands.push({
      name: unwrapped.name,
      forms: unwrapped.forms,
      start: raw.start,
      end: raw.end,
      text: this.text.slice(raw.start, raw.end),
      via: raw.via,
      redirections: raw.redirections,
      readsPipe: raw.readsPipe,
      isNested: false,
      opaque: [...unwrapped.opaque, ...guidedBy(raw.assignments, unwrapped.forms)]
    })
    for (const { words, via } of unwrapped.inside.commands) {
      this.addNested({ ...raw, assignments: [], words, via: [...raw.via, via], redirections: [], input: [] })
    }
    let found = 0
    for (const { text, via } of unwrapped.inside.scripts) {
      const inner = analyzeScript(text, this.parse, this.depth + 1)
      found += inner.commands.length
      this.addScript(inner, raw, via)
    }
    // A script without commands leaves nothing else to judge: the shell itself is judged then.
    const carrier = this.commands[at]
    if (unwrapped.inside.isCarrier && found === 0 && carrier !== undefined) {
      this.commands[at] = {
        ...carrier,
        forms: carrier.forms.map((form) => (form.role === "carrier" ? { ...form, role: "program" } : form))
      }
    }
  }

  /** A command made of words has no text of its own in the source; it is shown as its words. */
  private addNested(raw: RawCommand): void {
    const at = this.commands.length
    this.add(raw)
    const added = this.commands[at]
    if (added !== undefined) this.commands[at] = { ...added, text: joinWords(raw.words), isNested: true }
  }

  private addScript(inner: ShellAnalysis, outer: RawCommand, via: string): void {
    const usesFileName = outer.via.some((step) => step.startsWith("find ")) && inner.text.includes("{}")
    if (usesFileName) this.opaque.push({ kind: "dynamic-command", detail: "file names are put into a script" })
    for (const command of inner.commands) {
      const { start, end } = outer
      this.commands.push({ ...command, start, end, via: [...outer.via, via, ...command.via], isNested: true })
    }
    this.opaque.push(...inner.opaque)
    this.compounds.push(inner.text, ...inner.compounds)
    this.hasForkBomb ||= inner.hasForkBomb
  }

  result(): ShellAnalysis {
    const { functions, hasSubstitution, hasHereDocument, hasSubshell, hasBackground } = this.collected
    const extra: Array<Opaque> = []
    if (this.commands.length === 0) extra.push({ kind: "empty", detail: "there is no command in it" })
    if (this.commands.length >= MAX_COMMANDS)
      extra.push({ kind: "too-complex", detail: `more than ${MAX_COMMANDS} commands` })
    return {
      text: this.text,
      commands: this.commands,
      opaque: [...this.opaque, ...extra],
      compounds: this.compounds,
      functions,
      hasSubstitution,
      hasHereDocument,
      hasSubshell,
      hasBackground,
      hasForkBomb: this.hasForkBomb
    }
  }
}
