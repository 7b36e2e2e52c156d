/**
 * Agents of the project that nobody has agreed to yet, or that changed since. They act in the name of whoever runs them,
 * so they are shown first, once, before the first line is read. Turning away decides nothing: they are asked about next
 * time.
 */
import { relative } from "node:path"
import { Effect, Option } from "effect"
import type { FoundAgent, RemoteAgent } from "../../agents/agent.ts"
import { Agents } from "../../agents/agents.ts"
import { runsCommand } from "../../agents/remote/remote-auth.ts"
import { visibleLine } from "../../kernel/visible-text.ts"
import { ask } from "../ask.ts"
import { printWords } from "../printed-text.ts"
import { Screen } from "../terminal/screen.ts"

export const confirmAgents = Effect.fnUntraced(function* (pending: ReadonlyArray<FoundAgent>, cwd: string) {
  const agents = yield* Agents
  const screen = yield* Screen
  if (!(yield* askAgents(pending.map((one) => shown(one, cwd))))) return
  yield* Effect.catchAll(agents.agreeTo(pending), ({ message }) =>
    printWords(screen, `They are not used, because the answer cannot be kept: ${message}`)
  )
})

const shown = ({ agent, file = "" }: FoundAgent, cwd: string): PendingAgent => ({
  name: agent.name,
  description: agent.description ?? "",
  file: relative(cwd, file),
  place: agent.kind === "local" ? "here" : remotePlace(agent)
})

const remotePlace = ({ auth, card }: RemoteAgent): string =>
  `${card._tag === "url" ? card.url : "elsewhere"}${runsCommand(auth) ? ", signs in with a command that it runs here" : ""}`

interface PendingAgent {
  readonly name: string
  readonly description: string
  readonly file: string
  /** Where it works: here, or at this address. */
  readonly place: string
}

const askAgents = Effect.fnUntraced(function* (pending: ReadonlyArray<PendingAgent>) {
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
