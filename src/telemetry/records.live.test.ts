import { expect, test } from "bun:test"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { redactionOf } from "../kernel/redact-secrets.ts"
import { cleaned, logRecord, makeSpanTracer } from "./span-tracer.ts"

const SECRET = "hunter2-hunter2"
const redact = redactionOf([{ name: "API_KEY", value: SECRET }])
const level = { logPrompts: true, traces: true }
const resource = resourceFromAttributes({})

test("neither the sentence nor the attributes of a record hold a credential", () => {
  const record = logRecord(
    { name: "gemini_cli.api_error", body: `refused ${SECRET}`, attributes: { error: `bad ${SECRET}`, duration: 1 } },
    0n,
    { level, common: {}, redact, resource }
  )
  expect(record.body).toBe("refused [REDACTED:API_KEY]")
  expect(record.attributes).toMatchObject({ error: "bad [REDACTED:API_KEY]", duration: 1 })
})

test("nor do the attributes of a metric", () => {
  expect(cleaned({ reason: `x ${SECRET}`, ok: true }, redact)).toEqual({ reason: "x [REDACTED:API_KEY]", ok: true })
})

it.live("nor does a span that failed: attributes, status, exception", () =>
  Effect.gen(function* () {
    const told: Array<ReadableSpan> = []
    const tracer = yield* makeSpanTracer({
      level,
      redact,
      resource,
      sessionId: "s",
      export: (span) => Effect.sync(() => void told.push(span))
    })
    yield* Effect.die(new Error(`no ${SECRET}`)).pipe(
      Effect.withSpan("llm_call", { attributes: { "gen_ai.prompt.name": SECRET } }),
      Effect.withTracer(tracer),
      Effect.exit
    )
    yield* Effect.yieldNow()
    const [span] = told
    expect(span?.status.message).toBe("no [REDACTED:API_KEY]")
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain(SECRET)
  })
)
