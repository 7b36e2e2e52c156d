/** What a person is told after the hooks of an event ran. */
import { Effect } from "effect"
import { type Hook, shownName } from "./hook.ts"
import type { HookEvent } from "./hook-event.ts"
import type { Ran } from "./hook-runner.ts"
import type { Tell } from "./hooks.ts"

/** Each message under the name of its hook; all failures of the event in one warning. */
export const report = Effect.fnUntraced(function* (
  event: HookEvent,
  ran: ReadonlyArray<Pick<Ran, "hook" | "result">>,
  tell: Tell
) {
  for (const { hook, result } of ran) {
    const { suppressOutput, systemMessage } = result.output ?? {}
    if (systemMessage === undefined || systemMessage.trim() === "" || suppressOutput === true) continue
    yield* tell({ _tag: "Notice", severity: "info", message: underName(hook, systemMessage) })
  }
  const troubles = ran.flatMap(({ hook, result: { trouble } }) =>
    trouble === undefined ? [] : [`${shownName(hook)}: ${shortened(trouble)}`]
  )
  if (troubles.length === 0) return
  const what = troubles.length === 1 ? "hook" : "hooks"
  yield* tell({ _tag: "Notice", severity: "warning", message: `${event} ${what} failed: ${troubles.join("; ")}` })
})

const MAX_MESSAGE_CHARS = 4_000

const shortened = (text: string): string => {
  const trimmed = text.replace(/[^\P{Cc}\n\t]+/gu, " ").trim()
  return trimmed.length > MAX_MESSAGE_CHARS ? `${trimmed.slice(0, MAX_MESSAGE_CHARS)}... (cut)` : trimmed
}

const underName = (hook: Hook, message: string): string =>
  shortened(message)
    .split("\n")
    .map((line) => `${shownName(hook)}: ${line}`)
    .join("\n")
