/** `/copy`: the last answer to the clipboard. */
import { Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import type { Content } from "../../protocol/content.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { count } from "../text-table.ts"

export const copy = slash({
  name: "copy",
  description: "Copy the last answer to the clipboard",
  run: Effect.fnUntraced(function* () {
    const chat = yield* Chat
    const text = lastAnswer(yield* chat.history)
    return text === "" ? print("There is no answer to copy yet.") : copied(text)
  })
})

export const copied = (text: string): CommandResult => ({
  _tag: "Copy",
  text,
  told: `Copied ${count(text.length)} characters.`
})

/** Text of the last turn in which the model said something. */
export const lastAnswer = (history: ReadonlyArray<Content>): string =>
  history
    .filter(({ role }) => role === "model")
    .map(({ parts }) => parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join(""))
    .findLast((text) => text.trim() !== "") ?? ""
