/**
 * What a command of `@effect/cli` says of itself, as plain rows: its verbs, arguments and options with their
 * descriptions. Help, completions and the manual page are made from them, and the command line is read by them, so that
 * a command is described in one place only.
 *
 * The package shows this structure as formatted text only. Its nodes are read here instead; where a later version builds
 * them otherwise, the walk ends with a defect, and the tests of the generated pages with it.
 */
import type * as Descriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import { Option } from "effect"
import type { OptionRow } from "./option-row.ts"

export interface ArgumentRow {
  readonly name: string
  readonly isOptional: boolean
  readonly isRepeated: boolean
}

export interface CommandGrammar {
  readonly name: string
  readonly description: string
  readonly args: ReadonlyArray<ArgumentRow>
  readonly options: ReadonlyArray<OptionRow>
  readonly verbs: ReadonlyArray<CommandGrammar>
}

export const grammarOf = (command: Descriptor.Command<unknown>): CommandGrammar =>
  // The types of the nodes are not exported.
  commandRow(command as unknown as CommandNode)

type CommandNode =
  | { readonly _tag: "Map"; readonly command: CommandNode }
  | { readonly _tag: "Subcommands"; readonly parent: CommandNode; readonly children: ReadonlyArray<CommandNode> }
  | {
      readonly _tag: "Standard"
      readonly name: string
      readonly description: HelpDoc.HelpDoc
      readonly options: OptionNode
      readonly args: ArgumentNode
    }

type OptionNode =
  | { readonly _tag: "Empty" }
  | SingleOption
  | { readonly _tag: "Map"; readonly options: OptionNode }
  | { readonly _tag: "WithDefault"; readonly options: OptionNode; readonly fallback: unknown }
  | { readonly _tag: "Both"; readonly left: OptionNode; readonly right: OptionNode }
  | { readonly _tag: "Variadic"; readonly argumentOption: OptionNode }

interface SingleOption {
  readonly _tag: "Single"
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  readonly placeholder: string
  readonly description: HelpDoc.HelpDoc
  readonly primitiveType:
    | { readonly _tag: "Bool" | "Text" }
    | { readonly _tag: "Choice"; readonly alternatives: ReadonlyArray<readonly [name: string, value: unknown]> }
}

type ArgumentNode =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Single"; readonly name: string }
  | { readonly _tag: "Map" | "WithDefault"; readonly args: ArgumentNode }
  | { readonly _tag: "Both"; readonly left: ArgumentNode; readonly right: ArgumentNode }
  | { readonly _tag: "Variadic"; readonly args: ArgumentNode; readonly min: Option.Option<number> }

const commandRow = (node: CommandNode): CommandGrammar => {
  switch (node._tag) {
    case "Map":
      return commandRow(node.command)
    case "Subcommands":
      return { ...commandRow(node.parent), verbs: node.children.map(commandRow) }
    case "Standard":
      return {
        name: node.name,
        description: plainText(node.description),
        args: argumentRows(node.args),
        options: optionRows(node.options),
        verbs: []
      }
    default:
      return unknownNode(node)
  }
}

const optionRows = (node: OptionNode): ReadonlyArray<OptionRow> => {
  switch (node._tag) {
    case "Empty":
      return []
    case "Single":
      return [optionRow(node)]
    case "Map":
      return optionRows(node.options)
    case "WithDefault":
      return optionRows(node.options).map((row) => withDefault(row, node.fallback))
    case "Both":
      return [...optionRows(node.left), ...optionRows(node.right)]
    case "Variadic":
      return optionRows(node.argumentOption).map((row) => ({ ...row, type: "list" }))
    default:
      return unknownNode(node)
  }
}

const optionRow = ({ aliases, description, name, placeholder, primitiveType }: SingleOption): OptionRow => {
  const short = aliases.find((alias) => alias.length === 1)
  const older = aliases.filter((alias) => alias !== short)
  return {
    long: name,
    ...(short === undefined ? {} : { short }),
    ...(older.length === 0 ? {} : { aliases: older }),
    type: typeOf(primitiveType._tag),
    ...(primitiveType._tag === "Choice" ? { choices: primitiveType.alternatives.map(([choice]) => choice) } : {}),
    ...(primitiveType._tag === "Bool" ? {} : { value: placeholder }),
    description: plainText(description)
  }
}

const typeOf = (tag: SingleOption["primitiveType"]["_tag"]): OptionRow["type"] => {
  switch (tag) {
    case "Bool":
      return "boolean"
    case "Text":
      return "string"
    case "Choice":
      return "choice"
    default:
      return unknownNode(tag)
  }
}

/** A default that is a word is worth telling: what is off or absent without the option goes without saying. */
const withDefault = (row: OptionRow, fallback: unknown): OptionRow =>
  typeof fallback === "string" ? { ...row, standard: fallback } : row

const argumentRows = (node: ArgumentNode): ReadonlyArray<ArgumentRow> => {
  switch (node._tag) {
    case "Empty":
      return []
    case "Single":
      return [{ name: node.name.slice(1, -1), isOptional: false, isRepeated: false }]
    case "Map":
      return argumentRows(node.args)
    case "WithDefault":
      return argumentRows(node.args).map((row) => ({ ...row, isOptional: true }))
    case "Both":
      return [...argumentRows(node.left), ...argumentRows(node.right)]
    case "Variadic": {
      const isOptional = Option.getOrElse(node.min, () => 0) === 0
      return argumentRows(node.args).map((row) => ({ ...row, isOptional, isRepeated: true }))
    }
    default:
      return unknownNode(node)
  }
}

/** On one line, without colours. */
export const plainText = (doc: HelpDoc.HelpDoc): string =>
  Bun.stripANSI(HelpDoc.toAnsiText(doc)).replace(/\s+/g, " ").trim()

const unknownNode = (node: never): never => {
  throw new Error(`@effect/cli has a node that is not known here: ${JSON.stringify(node)}`)
}
