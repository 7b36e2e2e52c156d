/**
 * Usage statistics: that something happened and how large it was, never what was said. They go nowhere unless the
 * setting `privacy.usageStatisticsEndpoint` names an address, and then there only, in batches.
 */
import { Clock, Effect, Fiber, Schedule, type Scope } from "effect"
import type { HttpClient } from "../system/http/http.ts"
import { postJson } from "./exporters/post-json.ts"
import { type Attributes, type LogEntry, off, type Recording } from "./telemetry.ts"

export interface UsageOptions {
  readonly endpoint: string
  readonly version: string
  readonly platform: string
  readonly sessionId: string
  readonly http: HttpClient
}

/** One thing that happened, as it is sent. */
export interface UsageEvent {
  readonly name: string
  /** ISO 8601, UTC. */
  readonly time: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

const INTERVAL = "60 seconds"
const SEND_WITHIN = "3 seconds"
/** The oldest go first. */
const MOST_WAITING = 1_000
const KEPT_AFTER_FAILURE = 100

/** Texts are sent only under these names, which hold words of the program and no one else's. */
export const SENT_WORDS: ReadonlyArray<string> = [
  "approval_mode",
  "approvalMode",
  "auth_type",
  "decision",
  "decision_source",
  "error_type",
  "error.type",
  "loop_type",
  "model",
  "operation",
  "output_format",
  "programming_language",
  "role",
  "status_code",
  "tool_type"
]

export const make = (options: UsageOptions): Effect.Effect<Recording, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting: ReadonlyArray<UsageEvent> = []
    const send = Effect.suspend(() => {
      if (waiting.length === 0) return Effect.void
      const batch = waiting
      waiting = []
      return post(options, batch).pipe(
        Effect.timeout(SEND_WITHIN),
        Effect.catchAll(() =>
          Effect.sync(() => {
            waiting = [...batch, ...waiting].slice(-KEPT_AFTER_FAILURE)
          })
        )
      )
    })
    yield* Effect.forkScoped(Effect.delay(Effect.repeat(send, Schedule.spaced(INTERVAL)), INTERVAL))
    // In a fiber of its own: whoever closes the scope may have been interrupted, and could not wait with a limit.
    yield* Effect.addFinalizer(() => Effect.flatMap(Effect.forkDaemon(Effect.interruptible(send)), Fiber.await))
    return {
      ...off,
      level: { logPrompts: false, traces: false },
      log: (entry) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          waiting = [...waiting, usageEvent(entry, Number((entry.at ?? now) / 1_000_000n))].slice(-MOST_WAITING)
        }),
      flush: send
    }
  })

export const usageEvent = ({ attributes, name }: LogEntry, now: number): UsageEvent => ({
  name: name.replace(/^gemini_cli\./, ""),
  time: new Date(now).toISOString(),
  attributes: harmless(attributes)
})

const harmless = (attributes: Attributes): UsageEvent["attributes"] =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      typeof value === "number" ||
      typeof value === "boolean" ||
      (typeof value === "string" && SENT_WORDS.includes(name))
        ? [[name, value]]
        : []
    )
  )

const post = ({ endpoint, http, platform, sessionId, version }: UsageOptions, events: ReadonlyArray<UsageEvent>) => {
  const body = JSON.stringify({ client: "gemini", version, platform, session_id: sessionId, events })
  return postJson({ url: endpoint, body, http })
}

/** Two receivers of the same records. */
export const both = (first: Recording, second: Recording): Recording => ({
  ...first,
  level: first.level ?? second.level,
  log: (entry) => Effect.zipRight(first.log(entry), second.log(entry)),
  flush: Effect.zipRight(first.flush, second.flush)
})
