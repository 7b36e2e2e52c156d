/** What is wrong with the requests of a conversation, judged as strictly as the API or more so. */
import type { Content } from "../../src/protocol/content.ts"
import type { AnyConversation, playConversation } from "./any-conversation.ts"
import { violationOf } from "./history-rules.ts"

type Played = typeof playConversation extends (...args: never) => { [Symbol.iterator](): infer I }
  ? I extends Iterator<unknown, infer A>
    ? A
    : never
  : never

export const faultsOf = (session: AnyConversation, { events, questions, requests }: Played): ReadonlyArray<string> => [
  ...requests.flatMap((request) => violationOf(request, { signatures: true, ids: true }) ?? []),
  ...questions.flatMap((question) => violationOf(question) ?? []),
  ...requests.flatMap(({ contents }) => (contents.some(holdsThought) ? ["a thought is sent back"] : [])),
  ...(forgets(session, events) ? [] : lostResults(events, requests.at(-1)?.contents ?? []))
]

const holdsThought = ({ parts }: Content): boolean => parts.some((part) => part.thought === true)

/** A snapshot stands for what it replaced, and what a damaged file lost is lost. */
const forgets = ({ acts }: AnyConversation, events: Played["events"]): boolean =>
  events.some((event) => event._tag === "ChatCompressed") ||
  acts.some((act) => act.act === "resume" && act.damage.kind !== "none")

/** Calls that were made must be known to the model, however the prompt ended. */
const lostResults = (events: Played["events"], contents: ReadonlyArray<Content>): ReadonlyArray<string> => {
  const known = new Set(
    contents.flatMap(({ parts }) =>
      parts.flatMap(({ functionResponse }) => `${functionResponse?.name}__${functionResponse?.id}`)
    )
  )
  return events.flatMap((event) =>
    event._tag === "ToolFinished" && !known.has(event.callId) ? [`the result of ${event.callId} is missing`] : []
  )
}
