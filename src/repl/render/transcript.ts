/**
 * What a person sees of a conversation: one reader of the events of a run. What is final is printed and stays;
 * what is not yet, or what is being waited for, stands in the temporary line below it.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import type { SettingsView } from "../../config/settings.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { makeReadableStream, readableLine } from "../../kernel/readable-text.ts"
import { elapsedText, spinnerFrame } from "../../kernel/status-text.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import type { CallId } from "../../protocol/ids.ts"
import { activityAfter, beginActivity, type RunActivity } from "../../protocol/run-activity.ts"
import { raceToEnd } from "../race-to-end.ts"
import { Screen } from "../terminal/screen.ts"
import { eventLines, type TranscriptSettings } from "./event-lines.ts"
import { footerLine, nothingSpent, type Spent, spentAfter } from "./footer.ts"
import { cutLine } from "./framed.ts"
import { makeMarkdownStream } from "./markdown/markdown-stream.ts"
import { marksFor } from "./marks.ts"
import { type Paint, paintWith } from "./paint.ts"
import { type Begun, cancelledReport, toolReport } from "./tool-report.ts"

export class Transcript extends Context.Tag("agent/repl/Transcript")<
  Transcript,
  {
    readonly onEvent: (event: ProtocolEvent) => Effect.Effect<void>
    /**
     * Runs one prompt with the status line below it. However it ends, what had arrived is printed, the temporary line is
     * gone and the footer is written.
     */
    readonly during: <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {}

/** Often enough for the eye, and seldom enough for a slow line. */
const TICK = "120 millis"
const PARTIAL_EVERY_MS = 40

export const layer = (settings: TranscriptSettings) => Layer.effect(Transcript, makeTranscript(settings))

const makeTranscript = Effect.fnUntraced(function* (settings: TranscriptSettings) {
  const screen = yield* Screen
  const { style } = screen
  const paint = paintWith(style)
  const clean = makeReadableStream()
  const markdown = makeMarkdownStream(style)
  const begun = new Map<CallId, Begun>()
  let activity = beginActivity(0)
  let startedAt = 0
  let spent: Spent = nothingSpent
  let lastShown = 0
  let isRunning = false

  const frameNow = Effect.map(screen.columns, (columns) => ({
    columns,
    unicode: style.unicode,
    isSpoken: style.isSpoken,
    paint,
    wrapsHard: style.wrapsHard
  }))

  /** What stands at the bottom while something runs: the unfinished line of the answer, else what is waited for. */
  const bottomNow = Effect.gen(function* () {
    lastShown = yield* monotonicMillis
    const partial = markdown.partial()
    return {
      text:
        partial === ""
          ? statusLine(activity, lastShown, {
              ...(yield* frameNow),
              typesToCommands: settings.typesToCommands === true
            })
          : partial
    }
  })
  const showNow = Effect.flatMap(bottomNow, screen.show)

  const printText = Effect.fnUntraced(function* (text: string) {
    if (text === "") return
    yield* screen.printOver(text, isRunning && style.animates ? yield* bottomNow : undefined)
  })
  const printLines = (lines: ReadonlyArray<string>) => printText(lines.map((line) => `${line}\n`).join(""))

  const say = Effect.fnUntraced(function* (text: string) {
    yield* printText(markdown.push(text, yield* screen.columns))
    // Drawing the unfinished line for each of many small chunks would cost more than reading them.
    const isDue = (yield* monotonicMillis) - lastShown >= PARTIAL_EVERY_MS
    if (isDue && isRunning && style.animates) yield* showNow
  })

  /** The answer pauses or ends: what is left of it is final. */
  const endText = Effect.gen(function* () {
    yield* printText(markdown.push(clean.end(), yield* screen.columns) + markdown.end())
  })

  /** Without a line that changes, a long run says once that it goes on. */
  const announce = Effect.fnUntraced(function* ({ callId }: EventOf<"ToolProgress">) {
    const call = begun.get(callId)
    if (style.animates || call === undefined || call.isAnnounced === true) return
    begun.set(callId, { ...call, isAnnounced: true })
    yield* printLines([`  running ${readableLine(`${call.title} ${call.description}`)}`])
  })

  /** The time that a person took to agree is not the tool's. */
  const withoutWaiting = Effect.fnUntraced(function* (event: EventOf<"ToolFinished">) {
    const now = yield* monotonicMillis
    return { ...event, durationMs: Math.min(event.durationMs, now - (begun.get(event.callId)?.startedAt ?? now)) }
  })

  const show = Effect.fnUntraced(function* (event: ProtocolEvent) {
    if (event._tag === "Text") return yield* say(clean.push(event.text))
    if (event._tag === "ToolProgress") return yield* announce(event)
    if (event._tag === "ToolStarted") begun.set(event.callId, { ...event, startedAt: yield* monotonicMillis })
    if (event._tag === "RequestFinished") spent = spentAfter(spent, event)
    const frame = yield* frameNow
    const lines =
      event._tag === "ToolFinished"
        ? toolReport(yield* withoutWaiting(event), begun.get(event.callId), frame)
        : eventLines(event, settings, frame)
    if (event._tag === "ToolFinished") begun.delete(event.callId)
    if (lines.length > 0 || event._tag === "ToolRequested" || event._tag === "TurnFinished") yield* endText
    yield* printLines(lines)
  })

  const reportCancelled = Effect.gen(function* () {
    const now = yield* monotonicMillis
    const frame = yield* frameNow
    yield* printLines([...begun.values()].map((call) => cancelledReport(call, now, frame)))
    begun.clear()
  })

  const finish = Effect.gen(function* () {
    isRunning = false
    yield* endText
    yield* screen.show(undefined)
    yield* reportCancelled
    if (spent.requests === 0 || !settings.showsFooter) return
    const elapsed = (yield* monotonicMillis) - startedAt
    const footer = { ...(yield* frameNow), hidesModel: settings.hidesFooterModel }
    const line = footerLine(spent, elapsed, footer)
    if (line !== "") yield* printLines([paint(line, "dim")])
  })

  const begin = Effect.gen(function* () {
    isRunning = true
    startedAt = yield* monotonicMillis
    activity = beginActivity(startedAt)
    spent = nothingSpent
  })
  const ticking = Effect.zipRight(Effect.repeat(showNow, Schedule.spaced(TICK)), Effect.never)

  return Transcript.of({
    onEvent: Effect.fnUntraced(function* (event) {
      activity = activityAfter(activity, event, yield* monotonicMillis)
      yield* show(event)
    }),
    during: (run) =>
      Effect.zipRight(begin, style.animates ? raceToEnd(run, ticking) : run).pipe(Effect.ensuring(finish))
  })
})

/** The part of the settings that decides how a conversation looks. */
export const transcriptSettings = ({ get }: Pick<SettingsView, "get">): TranscriptSettings => ({
  showsThoughts: get("ui.inlineThinkingMode") === "full",
  showsCitations: get("ui.showCitations"),
  showsModel: get("ui.showModelInfoInChat"),
  showsRecovered: get("ui.errorVerbosity") === "full",
  showsFooter: !get("ui.hideFooter"),
  hidesFooterModel: get("ui.footer.hideModelInfo"),
  typesToCommands: get("tools.shell.enableInteractiveShell")
})

interface StatusStyle {
  readonly typesToCommands: boolean
  readonly columns: number
  readonly unicode: boolean
  readonly paint: Paint
}

/** How programs end what they want an answer to: `Name?`, `Password:`, `>>>`, `(y/n)`. */
const QUESTION = /[?:>#$%)\]]\s*$/

/** One row: how long it takes and how to stop it are kept, the rest is cut to fit. */
const statusLine = ({ isCommand, latest, since, what }: RunActivity, now: number, style: StatusStyle): string => {
  const marks = marksFor(style)
  const elapsed = now - since
  const frame = spinnerFrame(elapsed, style)
  // Whoever sees a question of the command learns how to answer it; elsewhere its words need the room.
  const asks = isCommand === true && style.typesToCommands && QUESTION.test(latest ?? "")
  const typing = asks ? `Ctrl-] to type to it ${marks.separator} ` : ""
  const end = ` ${marks.separator} ${elapsedText(elapsed)} ${marks.separator} ${typing}Ctrl-C to cancel`
  const room = style.columns - 1 - 2 - Bun.stringWidth(end)
  // The last words of a tool are the news; its name gives way to them.
  const name = cutLine(what, Math.max(8, Math.floor(room / 2)), marks)
  const words = latest === undefined || latest === "" ? what : `${name}: ${latest}`
  return `${style.paint(frame, "cyan")} ${cutLine(words, Math.max(0, room), marks)}${style.paint(end, "dim")}`
}
