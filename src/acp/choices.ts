/**
 * What an editor offers in a session: the approval mode and the model, in both forms of the protocol, and slash
 * commands.
 */
import type { AvailableCommand, SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk"
import type { ApprovalMode } from "../protocol/modes.ts"
import type { Command } from "../slash/command.ts"

interface Mode {
  readonly id: string
  readonly mode: ApprovalMode
  readonly name: string
  readonly description: string
}

const MODES: ReadonlyArray<Mode> = [
  { id: "default", mode: "default", name: "Default", description: "Asks before edits and commands" },
  { id: "autoEdit", mode: "auto_edit", name: "Auto Edit", description: "Edits without asking" },
  { id: "yolo", mode: "yolo", name: "YOLO", description: "Does everything without asking" },
  { id: "plan", mode: "plan", name: "Plan", description: "Reads and plans; changes nothing" }
]

/** Other spellings that clients send. */
export const modeOf = (id: string): ApprovalMode | undefined =>
  MODES.find((known) => known.id === id || known.mode === id)?.mode

export const idOf = (mode: ApprovalMode): string => MODES.find((known) => known.mode === mode)?.id ?? mode

export interface Choices {
  readonly mode: ApprovalMode
  readonly offersPlan: boolean
  readonly model: string
  readonly models: ReadonlyArray<{ readonly value: string; readonly hint?: string | undefined }>
}

export const modesOf = ({ mode, offersPlan }: Choices): SessionModeState => ({
  currentModeId: idOf(mode),
  availableModes: MODES.filter(({ id }) => id !== "plan" || offersPlan).map(({ description, id, name }) => ({
    id,
    name,
    description
  }))
})

/** Gone from the present protocol; older clients read it. */
export const modelsOf = ({ model, models }: Choices) => ({
  currentModelId: model,
  availableModels: withCurrent(models, model).map(({ hint, value }) => ({
    modelId: value,
    name: value,
    ...(hint === undefined ? {} : { description: hint })
  }))
})

export const configOptions = (choices: Choices): Array<SessionConfigOption> => [
  {
    id: "mode",
    name: "Approval mode",
    category: "mode",
    type: "select",
    currentValue: idOf(choices.mode),
    options: modesOf(choices).availableModes.map(({ description, id, name }) => ({
      value: id,
      name,
      ...(description == null ? {} : { description })
    }))
  },
  {
    id: "model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: choices.model,
    options: withCurrent(choices.models, choices.model).map(({ hint, value }) => ({
      value,
      name: value,
      ...(hint === undefined ? {} : { description: hint })
    }))
  }
]

const withCurrent = (models: Choices["models"], model: string): Choices["models"] =>
  models.some(({ value }) => value === model) ? models : [{ value: model }, ...models]

/** Of the built-in ones those that answer with text; the others belong to a terminal. */
const OFFERED = new Set(["memory", "extensions", "init", "restore", "about", "help", "compress", "stats"])

/** Slash commands in an editor: which of them it is offered, and which one a prompt names. */
export const isOffered = ({ isHidden, name, source }: Command): boolean =>
  isHidden !== true && (source._tag !== "BuiltIn" || OFFERED.has(name))

/** Sub-commands stand in the list under their whole names. */
export const availableCommands = (commands: ReadonlyArray<Command>): Array<AvailableCommand> =>
  commands.filter(isOffered).flatMap((command) => listed(command, command.name))

const listed = (command: Command, path: string): ReadonlyArray<AvailableCommand> => [
  {
    name: path,
    description: command.description,
    ...(command.usage === undefined ? {} : { input: { hint: command.usage } })
  },
  ...(command.subcommands ?? [])
    .filter(({ isHidden }) => isHidden !== true)
    .flatMap((sub) => listed(sub, `${path} ${sub.name}`))
]

/** The line that a command is looked up by; `undefined` for what cannot be one. Some editors write `$` for `/`. */
export const commandLine = (text: string): string | undefined => {
  const line = text.trim()
  return /^[/$][^\s/$*]/.test(line) ? `/${line.slice(1)}` : undefined
}
