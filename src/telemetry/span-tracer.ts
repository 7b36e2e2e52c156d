/**
 * Effect's spans as OpenTelemetry's. Only the spans of the table are exported; a span's parent is the nearest one of
 * them, so that the steps in between leave no holes.
 */
import type { Resource } from "@opentelemetry/resources"
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { Cause, type Context, Effect, Exit, Option, Runtime, Tracer } from "effect"
import { logEvents } from "./event-table.ts"
import { ALWAYS_TOLD, HTTP_ALWAYS_TOLD, SPAN_NAMES, SPAN_TEXTS } from "./span-table.ts"
import type { Attributes, AttributeValue, LogEntry, TelemetryLevel } from "./telemetry.ts"

export interface SpanTracerOptions {
  readonly level: TelemetryLevel
  /** Takes credentials out of texts. */
  readonly redact: (text: string) => string
  readonly resource: Resource
  readonly sessionId: string
  readonly export: (span: ReadableSpan) => Effect.Effect<void>
}

const DESCRIPTION = "A terminal agent for Gemini models"
const MAX_VALUE = 10_000
const SAMPLED = 1
const KINDS = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const
const STATUS = { ok: 1, error: 2 } as const

export const makeSpanTracer = (options: SpanTracerOptions): Effect.Effect<Tracer.Tracer> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const fork = Runtime.runFork(runtime)
    return Tracer.make({
      span: (name, parent, context, links, startTime, kind) =>
        new ToldSpan({ name, parent, context, links, kind }, startTime, (span) => {
          fork(options.export(readable(span, options)))
        }),
      context: (run) => run()
    })
  })

const isTold = (name: string): boolean => SPAN_NAMES.some((told) => told === name)

class ToldSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = true
  readonly attributes = new Map<string, unknown>()
  readonly spanId = randomHex(8)
  readonly traceId: string
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly links: Array<Tracer.SpanLink>
  readonly kind: Tracer.SpanKind
  /** The nearest span around this one that is told. */
  readonly around: ToldSpan | undefined
  readonly #onEnd: (span: ToldSpan) => void
  status: Tracer.SpanStatus

  constructor(
    facts: Pick<Tracer.Span, "name" | "parent" | "context" | "links" | "kind">,
    startTime: bigint,
    onEnd: (span: ToldSpan) => void
  ) {
    const outer = Option.getOrUndefined(facts.parent)
    this.name = facts.name
    this.parent = facts.parent
    this.context = facts.context
    this.links = [...facts.links]
    this.kind = facts.kind
    this.traceId = outer?.traceId ?? randomHex(16)
    this.around = outer instanceof ToldSpan ? (isTold(outer.name) ? outer : outer.around) : undefined
    this.status = { _tag: "Started", startTime }
    this.#onEnd = onEnd
  }

  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
  }

  event(): void {}

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    if (isTold(this.name)) this.#onEnd(this)
  }
}

const readable = (span: ToldSpan, { level, redact, resource, sessionId }: SpanTracerOptions): ReadableSpan => {
  const ended = span.status._tag === "Ended" ? span.status : undefined
  const endTime = ended?.endTime ?? span.status.startTime
  const failed = ended === undefined || Exit.isSuccess(ended.exit) ? undefined : ended.exit.cause
  const failure = failed === undefined ? undefined : redact(messageOf(failed))
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => contextOf(span),
    ...(span.around === undefined ? {} : { parentSpanContext: contextOf(span.around) }),
    startTime: hrTimeOf(span.status.startTime),
    endTime: hrTimeOf(endTime),
    duration: hrTimeOf(endTime - span.status.startTime),
    status: failure === undefined ? { code: STATUS.ok } : { code: STATUS.error, message: failure },
    attributes: {
      "gen_ai.agent.name": SCOPE_NAME,
      "gen_ai.agent.description": DESCRIPTION,
      "gen_ai.conversation.id": sessionId,
      ...Object.fromEntries([...span.attributes].flatMap(([name, value]) => told(name, value, { level, redact })))
    },
    links: [],
    events: failure === undefined ? [] : [exceptionEvent(failure, hrTimeOf(endTime))],
    ended: true,
    resource,
    instrumentationScope: { name: SCOPE_NAME, version: "v1" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0
  }
}

const contextOf = ({ spanId, traceId }: ToldSpan) => ({ spanId, traceId, traceFlags: SAMPLED })

/** A value may be a function: what costs something is computed only where it is told. */
const told = (
  name: string,
  given: unknown,
  { level, redact }: Pick<SpanTracerOptions, "level" | "redact">
): ReadonlyArray<readonly [string, string | number | boolean]> => {
  if (!level.traces && !ALWAYS_TOLD.includes(name) && !HTTP_ALWAYS_TOLD.includes(name)) return []
  if (!level.logPrompts && SPAN_TEXTS.includes(name)) return []
  const value: unknown = typeof given === "function" ? given() : given
  if (value === undefined) return []
  if (typeof value === "number" || typeof value === "boolean") return [[name, value]]
  return [[name, cut(redact(typeof value === "string" ? value : (JSON.stringify(value) ?? "")))]]
}

const cut = (text: string): string =>
  text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}... [cut, ${text.length} characters in all]`

const messageOf = (cause: Cause.Cause<unknown>): string => Cause.prettyErrors(cause)[0]?.message ?? "interrupted"

const exceptionEvent = (message: string, time: [number, number]) => ({
  name: "exception",
  time,
  attributes: { "exception.message": message },
  droppedAttributesCount: 0
})

const randomHex = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex()

/** Records in the shape that exporters take, with what may not be told left out. Pure. */
export const SCOPE_NAME = "gemini-cli"

const scope = { name: SCOPE_NAME }

/** Seconds and nanoseconds, as exporters want them. */
type HrTime = [number, number]

const hrTimeOf = (nanoseconds: bigint): HrTime => [
  Number(nanoseconds / 1_000_000_000n),
  Number(nanoseconds % 1_000_000_000n)
]

export interface RecordContext {
  readonly level: TelemetryLevel
  readonly common: Attributes
  /** Takes credentials out of texts. */
  readonly redact: (text: string) => string
  readonly resource: Resource
}

export const logRecord = (
  { attributes, body, name }: LogEntry,
  nanoseconds: bigint,
  { common, level, redact, resource }: RecordContext
): ReadableLogRecord => {
  const hrTime = hrTimeOf(nanoseconds)
  const hidden = level.logPrompts ? [] : (logEvents[name].texts ?? [])
  return {
    hrTime,
    hrTimeObserved: hrTime,
    body: redact(body),
    resource,
    instrumentationScope: scope,
    attributes: {
      ...present(common),
      "event.name": name,
      "event.timestamp": new Date(Number(nanoseconds / 1_000_000n)).toISOString(),
      ...cleaned(present(attributes, hidden), redact)
    },
    droppedAttributesCount: 0
  }
}

/** What is `undefined` or hidden is not there. */
export const present = (
  attributes: Attributes,
  hidden: ReadonlyArray<string> = []
): Record<string, Exclude<AttributeValue, ReadonlyArray<string>> | Array<string>> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined || hidden.includes(name) ? [] : [[name, typeof value === "object" ? [...value] : value]]
    )
  )

/** Without the values of credentials. */
export const cleaned = (
  attributes: ReturnType<typeof present>,
  redact: (text: string) => string
): ReturnType<typeof present> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === "string" ? redact(value) : value])
  )
