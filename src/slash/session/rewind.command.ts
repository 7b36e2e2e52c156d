/**
 * `/rewind`: back to before a prompt of this session: the conversation, the files that tools edited since, or both. What
 * shell commands did stays; `/undo` knows it.
 */

import { Context, Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { Workspace } from "../../files/workspace.ts"
import { lazy } from "../../kernel/lazy.ts"
import { oneLine } from "../../kernel/one-line.ts"
import { modelHistory } from "../../session/record/model-history.ts"
import { readWholeSession } from "../../session/record/session-reader.ts"
import type { MessageRecord } from "../../session/record/session-record.ts"
import { SessionRecorder } from "../../session/record/session-recorder.ts"
import { editsSince, messagesBefore, type RewindPoint, rewindPoints } from "../../session/undo/rewind-points.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { parseArguments } from "../command-arguments.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"
import { textTable } from "../text-table.ts"
import { forgetReads } from "./forget-reads.ts"

type Services = Chat | SessionRecorder | LazyServices

const USAGE = "[number] [--files|--chat|--both]"

export const rewind = slash<Services>({
  name: "rewind",
  description: "Go back to before an earlier prompt: conversation, files or both",
  usage: USAGE,
  run: Effect.fnUntraced(function* ({ args }) {
    const { has, words } = parseArguments(args)
    const messages = yield* recordedMessages
    const points = rewindPoints(messages)
    const [number, surplus] = words
    if (surplus !== undefined) return yield* usageOf("rewind", USAGE)
    if (number === undefined) return list(points)
    const point = /^\d+$/.test(number) ? points[Number(number) - 1] : undefined
    if (point === undefined) return yield* noSuchPrompt(number)
    const given = (["both", "chat", "files"] as const).find((what) => has(what))
    const back = { messages, point }
    return given === undefined ? yield* ask(back) : yield* goBack(back, given)
  })
})

interface Back {
  readonly messages: ReadonlyArray<MessageRecord>
  readonly point: RewindPoint
}

const noSuchPrompt = (number: string) =>
  new CommandError({
    kind: "failed",
    detail: `There is no prompt ${number} in this session.`,
    advice: "/rewind lists them."
  })

const recordedMessages = Effect.gen(function* () {
  const recorder = yield* SessionRecorder
  const file = yield* recorder.file
  return file === undefined ? [] : (yield* Effect.mapError(readWholeSession(file), failed)).messages
})

const list = (points: ReadonlyArray<RewindPoint>): CommandResult => {
  if (points.length === 0) return print("Nothing was asked in this session yet.", [])
  const rows = points.map(({ changes, text }, index) => [`${index + 1}`, oneLine(text, LONGEST), changesText(changes)])
  return print(`${textTable(rows, "  ")}\n/rewind <number> goes back to before that prompt.`, points)
}

const LONGEST = 60

const changesText = ({ files, linesAdded, linesRemoved }: RewindPoint["changes"]): string =>
  files === 0 ? "" : `${files === 1 ? "1 file" : `${files} files`} +${linesAdded} -${linesRemoved}`

const ask = Effect.fnUntraced(function* (back: Back) {
  const services = yield* Effect.context<Services>()
  const edits = editsSince(back.messages, back.point.messageId)
  const answer = (value: string) =>
    value === "both" || value === "chat" || value === "files"
      ? Effect.provide(goBack(back, value), services)
      : Effect.as(tell("cancel"), print("Nothing was changed."))
  if (edits.length === 0) return yield* goBack(back, "chat")
  return {
    _tag: "Ask",
    question: {
      text: `Back to before: ${oneLine(back.point.text, LONGEST)}`,
      choices: [
        { value: "both", label: "Conversation and files" },
        { value: "chat", label: "Conversation only" },
        { value: "files", label: "Files only" },
        { value: "no", label: "Leave everything as it is" }
      ],
      answer
    }
  } satisfies CommandResult as CommandResult
})

const goBack = Effect.fnUntraced(function* ({ messages, point }: Back, what: "both" | "chat" | "files") {
  const files = what === "chat" ? [] : yield* restore({ messages, point })
  yield* tell(OUTCOMES[what])
  if (what === "files") return print(files.join("\n"))
  const chat = yield* Chat
  const recorder = yield* SessionRecorder
  yield* recorder.append({ $rewindTo: point.messageId })
  yield* chat.replaceHistory(modelHistory(messagesBefore(messages, point.messageId)))
  const told = [...files, "The conversation is as it was before this prompt, which is in the line again."].join("\n")
  return { _tag: "Draft", text: point.text, told } satisfies CommandResult as CommandResult
})

const OUTCOMES = { both: "rewind_and_revert", chat: "rewind_only", files: "revert_only" } as const

const tell = (outcome: (typeof OUTCOMES)[keyof typeof OUTCOMES] | "cancel") =>
  Effect.flatMap(Telemetry, ({ log }) =>
    log({ name: "gemini_cli.rewind", body: `Rewind: ${outcome}.`, attributes: { outcome } })
  )

const restore = Effect.fnUntraced(function* ({ messages, point }: Back) {
  const { restoreFiles } = yield* lazy(() => import("../../session/undo/restore-files.live.ts"))
  const { services } = yield* LazyServices
  const roots = yield* Effect.flatMap(services, (context) => Context.get(context, Workspace).roots)
  const { restored, warnings } = yield* restoreFiles(editsSince(messages, point.messageId), roots)
  yield* forgetReads(restored)
  return [...restored.map((path) => `Restored ${path}`), ...warnings]
})
