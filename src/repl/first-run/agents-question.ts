/**
 * Agents of the project that nobody has agreed to yet, or that changed since. They act in the name of whoever runs them,
 * so they are shown first. Turning away decides nothing: they are asked about next time.
 */
import { Effect, Option } from "effect"
import { visibleLine } from "../../kernel/visible-text.ts"
import { ask } from "../ask.ts"

export interface PendingAgent {
  readonly name: string
  readonly description: string
  readonly file: string
  /** Where it works: here, or at this address. */
  readonly place: string
}

export const askAgents = Effect.fnUntraced(function* (pending: ReadonlyArray<PendingAgent>) {
  const answer = yield* ask({
    text: questionText(pending),
    choices: [
      { value: "yes", label: "Yes, use them" },
      { value: "no", label: "No, not now", hint: "you are asked again next time" }
    ]
  })
  return Option.contains(answer, "yes")
})

const questionText = (pending: ReadonlyArray<PendingAgent>): string =>
  [
    "This project brings agents that are new or have changed:",
    ...pending.map(
      ({ description, file, name, place }) =>
        `  ${visibleLine(name)} (${visibleLine(place)}): ${visibleLine(description)} [${visibleLine(file)}]`
    ),
    "Do you want to use them?"
  ].join("\n")
