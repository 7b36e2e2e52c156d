/** What an editor lets the person choose for a session: the approval mode and the model, in both forms of the protocol. */
import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk"
import type { ApprovalMode } from "../protocol/modes.ts"

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
