/** Agents of the project wait for the person's agreement: it is asked for once, before the first line is read. */
import { relative } from "node:path"
import { Effect } from "effect"
import type { FoundAgent, RemoteAgent } from "../../agents/agent.ts"
import { Agents } from "../../agents/agents.ts"
import { runsCommand } from "../../agents/remote/remote-auth.ts"
import { printWords } from "../printed-text.ts"
import { Screen } from "../terminal/screen.ts"
import { askAgents, type PendingAgent } from "./agents-question.ts"

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
