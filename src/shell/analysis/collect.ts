/**
 * Walks a syntax tree and lists every simple command in it, however deep: chains, pipes, groups, loops, functions,
 * substitutions, here-documents. Wrappers and scripts inside arguments are the next step's business (`unwrap.ts`).
 */
import type { Opaque, Redirection, Word } from "./shell-analysis.ts"
import type { SyntaxNode } from "./syntax.ts"
import { isAssignment } from "./variables.ts"
import { literalWord, resolveWord } from "./word.ts"

export interface RawCommand {
  readonly assignments: ReadonlyArray<string>
  readonly words: ReadonlyArray<Word>
  readonly start: number
  readonly end: number
  readonly via: ReadonlyArray<string>
  readonly readsPipe: boolean
  /** Bodies of here-documents and here-strings that feed it. */
  readonly input: ReadonlyArray<string>
  readonly redirections: ReadonlyArray<Redirection>
}

export interface Collected {
  readonly commands: ReadonlyArray<RawCommand>
  readonly compounds: ReadonlyArray<string>
  readonly functions: ReadonlyArray<string>
  readonly opaque: ReadonlyArray<Opaque>
  readonly hasSubstitution: boolean
  readonly hasHereDocument: boolean
  readonly hasSubshell: boolean
  readonly hasBackground: boolean
  readonly hasForkBomb: boolean
}

const MAX_COMPOUNDS = 100

const COMPOUND_TYPES = new Set(["list", "pipeline", "redirected_statement", "subshell", "compound_statement"])
const KEYWORD_COMMANDS = new Set(["declaration_command", "unset_command", "test_command"])

/** Reads redirections from the syntax tree, and tells those that touch no file from the rest. */
const isRedirect = (node: SyntaxNode): boolean => node.type.endsWith("_redirect")

const NOWHERE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"])

/** A here-document can carry further redirections on its first line: `cat <<A > file`. */
const redirectionsOf = (
  node: SyntaxNode,
  source: string
): { readonly redirections: ReadonlyArray<Redirection>; readonly input: ReadonlyArray<string> } => {
  const text = source.slice(node.start, node.end)
  if (node.type !== "file_redirect") {
    const nested = node.children
      .filter((child) => child.type === "file_redirect")
      .map((child) => fileRedirection(child, source))
    const bodies = node.children.filter((child) => child.type === "heredoc_body")
    const input = bodies.length > 0 ? bodies.map((body) => source.slice(body.start, body.end)) : [text]
    const operator = node.type === "herestring_redirect" ? "<<<" : "<<"
    const document: Redirection = { operator, target: undefined, text: operator, access: "read", isHarmless: false }
    return { redirections: [document, ...nested], input }
  }
  return { redirections: [fileRedirection(node, source)], input: [] }
}

/**
 * The grammar counts words that follow a redirection as parts of it; to bash they are words of the command, and its name
 * where it has none yet: `xargs >a touch b`, `>a >b touch c >d`.
 */
const wordsBehind = ({ children, type }: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  if (type === "heredoc_redirect") return children.filter(({ type }) => !HEREDOC_PARTS.test(type))
  const operatorAt = children.findIndex((child) => /[<>]/.test(child.type))
  return children.slice(operatorAt + 2)
}

/** Of what stands on the first line, commands and redirections are found by themselves. */
const HEREDOC_PARTS = /^(?:file_descriptor|<<-?|heredoc_\w+|\w+_redirect|pipeline|list|command|\w+_statement|[^\w].*)$/

const byPlace = (one: SyntaxNode, other: SyntaxNode): number => one.start - other.start

const fileRedirection = (node: SyntaxNode, source: string): Redirection => {
  const operatorAt = node.children.findIndex((child) => /[<>]/.test(child.type))
  const operator = node.children[operatorAt]?.type ?? ">"
  const targetNode = node.children[operatorAt + 1]
  const target = targetNode === undefined ? undefined : resolveWord(source.slice(targetNode.start, targetNode.end))
  const joinsDescriptors = /[<>]&/.test(operator) && (target === undefined || /^\d+-?$|^-$/.test(target.value))
  const discards = target !== undefined && target.dynamic.length === 0 && NOWHERE.has(target.value)
  return {
    operator,
    target,
    text: source.slice(node.start, node.end),
    access: joinsDescriptors ? "none" : operator.startsWith("<") && operator !== "<>" ? "read" : "write",
    isHarmless: joinsDescriptors || discards
  }
}

/** Bash binds a redirection to the last command of a chain or pipeline, the grammar to the whole of it. */
const redirectedBody = (node: SyntaxNode): SyntaxNode | undefined => {
  let body = node.children.find((child) => child.isNamed && !isRedirect(child))
  while (body?.type === "list" || body?.type === "pipeline")
    body = body.children.filter((child) => child.isNamed).at(-1)
  return body
}

export const collect = (source: string, root: SyntaxNode): Collected => {
  const walk = new Walk(source)
  walk.node(root, { via: [], readsPipe: false })
  return walk.result()
}

interface Place {
  readonly via: ReadonlyArray<string>
  readonly readsPipe: boolean
}

interface MutableCommand extends RawCommand {
  readonly input: Array<string>
  readonly redirections: Array<Redirection>
}

/** One pass over one text. The fields are the result under construction. */
class Walk {
  private readonly commands: Array<MutableCommand> = []
  private readonly compounds: Array<string> = []
  private readonly functions: Array<string> = []
  private readonly opaque: Array<Opaque> = []
  private hasSubstitution = false
  private hasHereDocument = false
  private hasSubshell = false
  private hasBackground = false
  private hasForkBomb = false

  private readonly source: string

  constructor(source: string) {
    this.source = source
  }

  result(): Collected {
    const { commands, compounds, functions, opaque } = this
    const { hasSubstitution, hasHereDocument, hasSubshell, hasBackground, hasForkBomb } = this
    return {
      commands: commands.toSorted((one, other) => one.start - other.start),
      compounds,
      functions,
      opaque,
      hasSubstitution,
      hasHereDocument,
      hasSubshell,
      hasBackground,
      hasForkBomb
    }
  }

  node(node: SyntaxNode, place: Place): void {
    if (COMPOUND_TYPES.has(node.type) && this.compounds.length < MAX_COMPOUNDS) this.compounds.push(this.text(node))
    switch (node.type) {
      case "command":
        this.command(node, place)
        return
      case "variable_assignment":
        this.add({ ...this.raw(node, place), assignments: [this.text(node)] })
        break
      case "pipeline":
        this.pipeline(node, place)
        return
      case "redirected_statement":
        this.redirected(node, place)
        return
      case "function_definition":
        this.functionDefinition(node, place)
        return
      case "command_substitution":
      case "process_substitution":
        this.hasSubstitution = true
        this.children(node, {
          via: [...place.via, node.type === "process_substitution" ? "<(…)" : "$(…)"],
          readsPipe: false
        })
        this.redirectsOf(node, this.commands.length)
        return
      case "subshell":
        this.hasSubshell = true
        break
      case "&":
        this.hasBackground = true
        break
      case "expansion":
        if (/@[A-Za-z]?P[A-Za-z]?\}$/.test(this.text(node))) {
          this.opaque.push({ kind: "prompt-expansion", detail: `\`${this.text(node)}\` runs what the variable holds` })
        }
        break
      default:
        if (KEYWORD_COMMANDS.has(node.type)) {
          this.keywordCommand(node, place)
          return
        }
    }
    this.children(node, place)
  }

  private children(node: SyntaxNode, place: Place): void {
    for (const child of node.children) this.node(child, place)
  }

  private text(node: SyntaxNode): string {
    return this.source.slice(node.start, node.end)
  }

  private raw(node: SyntaxNode, place: Place): RawCommand {
    return { assignments: [], words: [], start: node.start, end: node.end, input: [], redirections: [], ...place }
  }

  private add(command: RawCommand): void {
    this.commands.push({ ...command, input: [...command.input], redirections: [...command.redirections] })
  }

  private command(node: SyntaxNode, place: Place): void {
    const own = node.children.filter((child) => !isRedirect(child))
    const assignments = own.filter((child) => child.type === "variable_assignment")
    const words = own.filter((child) => child.type !== "variable_assignment")
    const redirects = node.children.filter(isRedirect)
    const before = this.commands.length
    this.add({
      ...this.raw(node, place),
      assignments: assignments.map((child) => this.text(child)),
      words: this.words([...words, ...redirects.flatMap(wordsBehind)].toSorted(byPlace))
    })
    this.attach(redirects, before, before + 1)
    // The assignments of a command are part of it; only what stands inside them is a command of its own.
    for (const assignment of assignments) this.children(assignment, place)
    for (const child of [...words, ...redirects]) this.node(child, place)
  }

  /** `export A=b`, `unset A`, `[[ … ]]`: the keyword is a token of the grammar, not a word. */
  private keywordCommand(node: SyntaxNode, place: Place): void {
    const [keyword, ...rest] = node.children
    if (keyword === undefined) return
    this.add({
      ...this.raw(node, place),
      words: [literalWord(this.text(keyword)), ...rest.flatMap((child) => this.leaves(child))]
    })
    for (const child of rest) {
      if (child.type === "variable_assignment") this.children(child, place)
      else this.node(child, place)
    }
  }

  /** The words of a test: `[[ -f x && -d y ]]` is a tree of expressions. */
  private leaves(node: SyntaxNode): ReadonlyArray<Word> {
    if (/_expression$/.test(node.type)) return node.children.flatMap((child) => this.leaves(child))
    return [node.isNamed ? resolveWord(this.text(node)) : literalWord(this.text(node))]
  }

  private pipeline(node: SyntaxNode, place: Place): void {
    let hasPipe = false
    for (const child of node.children) {
      if (child.type === "|" || child.type === "|&") hasPipe = true
      else this.node(child, { ...place, readsPipe: place.readsPipe || hasPipe })
    }
  }

  private redirected(node: SyntaxNode, place: Place): void {
    const redirects = node.children.filter(isRedirect)
    const from = this.commands.length
    for (const child of node.children) if (!isRedirect(child)) this.node(child, place)
    const body = redirectedBody(node)
    const first = this.firstRedirected(body ?? node, from)
    const behind = this.words(redirects.flatMap(wordsBehind).toSorted(byPlace))
    const command = this.commands[first]
    if (command !== undefined && (body?.type === "command" || KEYWORD_COMMANDS.has(body?.type ?? ""))) {
      this.commands[first] = { ...command, end: Math.max(command.end, node.end), words: [...command.words, ...behind] }
    } else if (command === undefined || behind.length > 0) {
      // A redirection without a command still creates or empties its file.
      const count = behind.findIndex((word) => !isAssignment(word.value))
      const own = count === -1 ? behind.length : count
      const assignments = behind.slice(0, own).map((word) => word.value)
      this.add({ ...this.raw(node, place), assignments, words: behind.slice(own) })
    }
    this.attach(redirects, first, this.commands.length)
    for (const redirect of redirects) this.node(redirect, place)
  }

  private words(nodes: ReadonlyArray<SyntaxNode>): ReadonlyArray<Word> {
    return nodes.map((node) => resolveWord(this.text(node)))
  }

  private firstRedirected({ start }: SyntaxNode, from: number): number {
    const index = this.commands.findIndex((command, at) => at >= from && command.start >= start)
    return index === -1 ? from : index
  }

  private attach(redirects: ReadonlyArray<SyntaxNode>, from: number, to: number): void {
    for (const redirect of redirects) {
      const facts = redirectionsOf(redirect, this.source)
      if (redirect.type !== "file_redirect") this.hasHereDocument = true
      for (const command of this.commands.slice(from, to)) {
        command.redirections.push(...facts.redirections)
        command.input.push(...facts.input)
      }
    }
  }

  /** `$(< file)`: a substitution may hold nothing but a redirection. */
  private redirectsOf(node: SyntaxNode, from: number): void {
    const redirects = node.children.filter(isRedirect)
    if (redirects.length === 0) return
    this.add(this.raw(node, { via: ["$(…)"], readsPipe: false }))
    this.attach(redirects, from, this.commands.length)
  }

  private functionDefinition(node: SyntaxNode, place: Place): void {
    const nameNode = node.children.find((child) => child.type === "word")
    const name = nameNode === undefined ? "" : this.text(nameNode)
    this.functions.push(name)
    this.opaque.push({ kind: "redefinition", detail: `defines a function named \`${name}\`` })
    const from = this.commands.length
    for (const child of node.children) {
      if (child !== nameNode) this.node(child, { ...place, via: [...place.via, `function ${name}`] })
    }
    const calls = this.commands.slice(from).filter((command) => command.words[0]?.value === name)
    this.hasForkBomb ||= calls.length >= 2 && calls.some((call) => call.readsPipe)
  }
}
