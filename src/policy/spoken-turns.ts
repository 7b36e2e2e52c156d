/**
 * The conversation as safety checkers of the user are told it: what was asked, what was answered, which tools were called.
 * It only holds what the conversation holds already; turns are made of it when a checker wants them.
 */
import { Context, Effect, Ref } from "effect"
import { service } from "../kernel/layers.ts"
import type { Content } from "../protocol/content.ts"
import type { RunReader } from "../protocol/run-readers.ts"

export interface SpokenTurn {
  readonly user: { readonly text: string }
  readonly model: {
    readonly text?: string
    readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly args: Readonly<Record<string, unknown>> }>
  }
}

export class SpokenTurns extends Context.Tag("agent/policy/SpokenTurns")<
  SpokenTurns,
  { readonly all: Effect.Effect<ReadonlyArray<SpokenTurn>>; readonly reader: RunReader }
>() {}

export const layer = service(
  SpokenTurns,
  Effect.map(Ref.make<ReadonlyArray<Content>>([]), (known) =>
    SpokenTurns.of({
      all: Effect.map(Ref.get(known), turnsOf),
      reader: {
        onHistory: (change) =>
          Ref.update(known, (before) =>
            change._tag === "Shortened" ? change.contents : (change.all ?? [...before, change.content])
          )
      }
    })
  )
)

export const reader = Effect.map(SpokenTurns, (turns) => turns.reader)

/** A turn begins with what a person said; results of tools are between the calls of the same turn. */
export const turnsOf = (contents: ReadonlyArray<Content>): ReadonlyArray<SpokenTurn> => {
  const turns: Array<SpokenTurn> = []
  for (const { parts, role } of contents) {
    const text = parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join("")
    const last = turns.at(-1)
    if (role === "user") {
      const isAnswer = parts.some((part) => part.functionResponse !== undefined)
      if (!isAnswer || last === undefined) turns.push({ user: { text }, model: {} })
      continue
    }
    const calls = parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ name: functionCall.name ?? "", args: functionCall.args ?? {} }]
    )
    if (last !== undefined) turns[turns.length - 1] = { ...last, model: joined(last.model, text, calls) }
  }
  return turns
}

const joined = (
  before: SpokenTurn["model"],
  text: string,
  calls: NonNullable<SpokenTurn["model"]["toolCalls"]>
): SpokenTurn["model"] => {
  const [allText, allCalls] = [`${before.text ?? ""}${text}`, [...(before.toolCalls ?? []), ...calls]]
  return {
    ...(allText === "" ? {} : { text: allText }),
    ...(allCalls.length === 0 ? {} : { toolCalls: allCalls })
  }
}
