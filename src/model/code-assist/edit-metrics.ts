/**
 * What became of edits that the model offered, told to the Code Assist server of the account: only where the person or the
 * system's administrator turned usage statistics on in a file. Counts and the kind of file, no text, no path. Nobody waits.
 */
import { Clock, DateTime, Effect, Schema } from "effect"
import type { CodeAssistAccount } from "../../auth/google/account.ts"
import { callServer } from "../../auth/google/code-assist-server.ts"
import { clientMetadata } from "../../auth/google/experiments.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import type { SessionId } from "../../protocol/ids.ts"
import type { RunReader } from "../../protocol/run-readers.ts"
import { languageOf } from "../../telemetry/file-operation.ts"

const EDITS: ReadonlySet<string> = new Set(["replace", "write_file"])
/** Numbers of the server: it went well; a command asked for it; what was offered was taken over in a file. */
const [NO_ERROR, BY_COMMAND, ACCEPTED_IN_FILE] = [1, 2, 7]

type Edit = EventOf<"ToolFinished">

/** One answer with edits, until the last of them has ended. */
interface Offer {
  readonly traceId: string
  readonly calls: ReadonlySet<string>
  readonly edits: ReadonlyArray<Edit>
}

interface MetricsInput {
  readonly account: Pick<CodeAssistAccount, "server" | "project">
  readonly sessionId: SessionId
}

export const editMetrics = Effect.fnUntraced(function* ({ account, sessionId }: MetricsInput) {
  const scope = yield* Effect.scope
  let calls: ReadonlySet<string> = new Set()
  let hasCode = false
  let firstAt: number | undefined
  let offers: ReadonlyArray<Offer> = []

  const send = (metric: object) =>
    Effect.gen(function* () {
      const timestamp = DateTime.formatIso(DateTime.unsafeMake(yield* Clock.currentTimeMillis))
      const body = { project: account.project, metadata: clientMetadata(), metrics: [{ timestamp, ...metric }] }
      yield* callServer(account.server, { path: ":recordCodeAssistMetrics", body, isOnce: true }, Schema.Unknown)
    }).pipe(
      Effect.catchAll(({ detail }) => Effect.annotateLogs(Effect.logDebug("metrics were not taken"), { detail })),
      Effect.forkIn(scope)
    )

  const answered = Effect.fnUntraced(function* ({ citations = 0, durationMs, traceId }: EventOf<"RequestFinished">) {
    const offered = calls
    const includedCode = hasCode
    const waited = firstAt === undefined ? durationMs : durationMs - ((yield* monotonicMillis) - firstAt)
    calls = new Set()
    hasCode = false
    firstAt = undefined
    if (offered.size === 0 || traceId === undefined) return
    offers = [...offers, { traceId, calls: offered, edits: [] }]
    yield* send({
      conversationOffered: {
        citationCount: String(citations),
        includedCode,
        status: NO_ERROR,
        traceId,
        streamingLatency: { firstMessageLatency: inSeconds(waited), totalLatency: inSeconds(durationMs) },
        isAgentic: true,
        initiationMethod: BY_COMMAND,
        trajectoryId: sessionId
      }
    })
  })

  const edited = Effect.fnUntraced(function* (event: Edit) {
    const offer = offers.find((one) => one.calls.has(event.callId))
    if (offer === undefined) return
    const edits = [...offer.edits, event]
    const others = offers.filter((one) => one !== offer)
    const isDone = edits.length === offer.calls.size
    offers = isDone ? others : [...others, { ...offer, edits }]
    if (isDone && edits.every(isAccepted)) yield* send({ conversationInteraction: interactionOf(offer, edits) })
  })

  return {
    onEvent: Effect.fnUntraced(function* (event: ProtocolEvent) {
      switch (event._tag) {
        case "Text":
          firstAt ??= yield* monotonicMillis
          hasCode ||= event.text.includes("```")
          return
        case "ToolRequested":
          firstAt ??= yield* monotonicMillis
          if (EDITS.has(event.name)) calls = new Set([...calls, event.callId])
          return
        case "RequestFinished":
          if (event.role === "main") yield* answered(event)
          return
        case "ToolFinished":
          yield* edited(event)
      }
    })
  } satisfies RunReader as RunReader
})

const inSeconds = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(3)}s`

const isAccepted = ({ decision, status }: Edit): boolean =>
  status === "success" && (decision === undefined || decision === "accept" || decision === "auto_accept")

const interactionOf = ({ traceId }: Offer, edits: ReadonlyArray<Edit>) => {
  const sum = (pick: (edit: Edit) => number | undefined) => edits.reduce((total, edit) => total + (pick(edit) ?? 0), 0)
  const [added, removed] = [sum(({ linesAdded }) => linesAdded), sum(({ linesRemoved }) => linesRemoved)]
  const language = edits.map(({ diff }) => (diff === undefined ? undefined : languageOf(diff.filePath))).find(Boolean)
  return {
    traceId,
    status: NO_ERROR,
    interaction: ACCEPTED_IN_FILE,
    acceptedLines: String(added + removed),
    removedLines: String(removed),
    ...(language === undefined ? {} : { language }),
    isAgentic: true,
    initiationMethod: BY_COMMAND
  }
}
