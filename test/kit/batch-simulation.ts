/**
 * A batch in virtual time against a service with quota windows and outages, through a program that is ended and started
 * again: the whole of `run-batch.ts` with its files, and only the model and the clock played. What the service accepted is
 * paid, whether anybody waited for the answer or not.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import type { BatchRequest } from "../../src/batch/batch-request.ts"
import { linesOf } from "../../src/batch/input/line-reader.ts"
import { KeyIndex } from "../../src/batch/key-index.ts"
import * as RateGate from "../../src/batch/rate/rate-gate.ts"
import { withRate } from "../../src/batch/rate/with-rate.ts"
import { NO_STATS } from "../../src/batch/result-line.ts"
import type { ItemEnd } from "../../src/batch/run/run-items.ts"
import { type BatchAround, runBatch } from "../../src/batch/run-batch.ts"
import * as Flow from "../../src/kernel/flow.ts"
import type { ModelClient } from "../../src/model/model-client.ts"
import { PromptId } from "../../src/protocol/ids.ts"
import { ModelError } from "../../src/retry/model-error.ts"

export interface SimulationInput {
  readonly items: number
  readonly concurrency: number
  /** Answers in a minute of the service. */
  readonly perMinute: number
  /** How often the program is ended, at equal distances. */
  readonly restarts: number
}

export interface SimulationEnd {
  /** Lines of the output, and keys among them. */
  readonly lines: number
  readonly keys: number
  readonly failed: number
  /** Requests that the service accepted, for each item. */
  readonly paidPerItem: number
  readonly virtualHours: number
  readonly exitCode: number
}

const PRICE = 0.000_1
const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const simulateBatch = async (input: SimulationInput): Promise<SimulationEnd> => {
  // In memory, where there is such a place: a million syncs of a disk would be measured, and nothing else.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "gemini-simulation-"))
  try {
    const file = join(folder, "in.jsonl")
    writeFileSync(file, Array.from({ length: input.items }, (_, index) => `{"id":"k${index}","prompt":"p"}\n`).join(""))
    const clock = new VirtualClock()
    const service = playedService(input, clock)
    let exitCode: number | undefined
    for (let start = 0; exitCode === undefined; start++) {
      const share = (start + 1) / (input.restarts + 1)
      const endsAt = start < input.restarts ? Math.floor(input.items * share * 0.95) : Number.POSITIVE_INFINITY
      exitCode = await oneProcess(input, { folder, file, clock, service, endsAt })
    }
    const keys = new KeyIndex(input.items)
    let lines = 0
    let failed = 0
    for (const { text } of linesOf(join(folder, "out.jsonl"))) {
      const line = JSON.parse(text) as { readonly key: string; readonly status: string }
      lines += 1
      keys.add(line.key)
      if (line.status !== "success") failed += 1
    }
    return {
      lines,
      keys: keys.size,
      failed,
      paidPerItem: service.accepted() / input.items,
      virtualHours: clock.unsafeCurrentTimeMillis() / HOUR,
      exitCode
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Played {
  readonly client: ModelClient["Type"]
  readonly accepted: () => number
}

/** Four times while the batch goes on it is down for a while, and a longer quota is used up. */
const playedService = ({ items, perMinute }: SimulationInput, clock: VirtualClock): Played => {
  const period = (items / perMinute / 4) * MINUTE
  let accepted = 0
  let minute = -1
  let inMinute = 0
  const refusal = (now: number): ModelError | undefined => {
    const place = (now % period) / period
    if (place > 0.3 && place < 0.4) {
      return new ModelError({ kind: "unavailable", detail: "down", status: 503, phase: "open", errorType: "X" })
    }
    if (place > 0.9) {
      const retryAfter = Duration.millis(period * (1 - place) + 1)
      return new ModelError({ kind: "quota", detail: "used up", retryAfter, phase: "open", errorType: "X" })
    }
    if (Math.floor(now / MINUTE) !== minute) {
      minute = Math.floor(now / MINUTE)
      inMinute = 0
    }
    inMinute += 1
    if (inMinute <= perMinute) return undefined
    const retryAfter = Duration.millis(MINUTE - (now % MINUTE))
    return new ModelError({ kind: "rate-limited", detail: "slow down", retryAfter, phase: "open", errorType: "X" })
  }
  const none = Effect.dieMessage("not asked")
  const stream: ModelClient["Type"]["stream"] = () =>
    Flow.unwrap(
      Effect.gen(function* () {
        const refused = refusal(clock.unsafeCurrentTimeMillis())
        if (refused !== undefined) return yield* refused
        accepted += 1
        yield* Effect.sleep(20 + ((accepted * 7919) % 80))
        return Flow.succeed({ _tag: "Chunk", chunk: {} } as const)
      })
    )
  return {
    accepted: () => accepted,
    client: { stream, generate: () => none, countTokens: () => none, embed: () => none }
  }
}

interface ProcessInput {
  readonly folder: string
  readonly file: string
  readonly clock: VirtualClock
  readonly service: Played
  /** Items after which it is ended in the middle of everything. */
  readonly endsAt: number
}

/** The exit code; `undefined`: it was ended. */
const oneProcess = async (
  { concurrency }: SimulationInput,
  { clock, endsAt, file, folder, service }: ProcessInput
): Promise<number | undefined> => {
  let answered = 0
  const around: BatchAround = {
    cwd: folder,
    stdin: { isTerminal: true, chunks: () => Bun.file(file).stream() },
    facts: {
      model: "m",
      approvalMode: "default",
      outputSchema: undefined,
      thinking: undefined,
      cachedContext: undefined
    },
    limits: { maxCost: undefined, maxTokens: undefined },
    startApi: () => Effect.dieMessage("nothing is asked there"),
    startLive: () =>
      Effect.gen(function* () {
        const gate = yield* RateGate.make({ concurrency, waitsForQuota: true })
        const client = withRate(service.client, gate, { retries: 3 })
        const work = ({ key }: { readonly key: string }) =>
          Effect.map(Effect.exit(Flow.runDrain(client.stream(REQUEST))), (exit): ItemEnd => {
            answered += 1
            const status = Exit.isSuccess(exit) ? "success" : "error"
            const stats = { ...NO_STATS, cost_usd: PRICE, turns: 1 }
            return {
              _tag: "Answered",
              requestHash: "h",
              result: {
                key,
                status,
                response: "ok",
                completion_reason: "success",
                stats,
                model: "m",
                tier: "standard",
                attempt: 1
              }
            }
          })
        return { work, waiting: Effect.succeed(undefined) }
      }),
    outcomeOf: () => ({ completionReason: "api", exitCode: 1 }),
    stdout: () => Effect.void,
    say: () => Effect.void,
    status: undefined,
    isCancelled: Effect.succeed(false),
    cancelled: Effect.never
  }
  const fiber = Effect.runFork(Effect.withClock(runBatch(requestFor(folder, file, concurrency), around), clock))
  let ended: Exit.Exit<number, unknown> | undefined
  fiber.addObserver((exit) => {
    ended = exit
  })
  while (ended === undefined) {
    await turn()
    const done = answered
    if (done >= endsAt) {
      void Effect.runFork(Fiber.interrupt(fiber))
      while (ended === undefined) await turn()
      return undefined
    }
    clock.advance()
  }
  if (Exit.isFailure(ended)) throw new Error(`the batch failed: ${ended.cause}`)
  return ended.value
}

/** Everything that can happen now has happened, and files had a chance. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const REQUEST = { model: "m", contents: [], config: {}, role: "main", promptId: PromptId.make("p") } as const

const requestFor = (folder: string, file: string, concurrency: number): BatchRequest => ({
  input: { kind: "jsonl", name: file },
  output: join(folder, "out.jsonl"),
  template: undefined,
  keyField: undefined,
  fileField: undefined,
  format: "json",
  ordered: false,
  errors: undefined,
  report: undefined,
  events: undefined,
  isQuiet: true,
  via: "live",
  tier: "standard",
  concurrency,
  retries: 3,
  shard: undefined,
  again: "resume",
  retryErrors: false,
  itemMaxTimeMs: undefined,
  itemMaxCost: undefined,
  context: false,
  tools: undefined,
  appendSystemPrompt: undefined,
  worktreePerItem: false,
  cachedContext: [],
  gcs: undefined,
  detach: false,
  pollMs: undefined,
  reroute: "none",
  flags: []
})

/** Time goes on when it is told to, to the next moment that somebody waits for. */
class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  private now = 0
  private readonly sleeps = new Map<number, Set<() => void>>()
  private readonly moments: Array<number> = []

  unsafeCurrentTimeMillis(): number {
    return this.now
  }

  unsafeCurrentTimeNanos(): bigint {
    return BigInt(Math.floor(this.now)) * 1_000_000n
  }

  readonly currentTimeMillis = Effect.sync(() => this.now)
  readonly currentTimeNanos = Effect.sync(() => this.unsafeCurrentTimeNanos())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.async((resume) => {
      const at = this.now + Math.ceil(Duration.toMillis(duration))
      const wake = () => resume(Effect.void)
      const known = this.sleeps.get(at)
      if (known === undefined) {
        this.sleeps.set(at, new Set([wake]))
        this.moments.push(at)
        this.moments.sort((a, b) => b - a)
      } else known.add(wake)
      return Effect.sync(() => this.sleeps.get(at)?.delete(wake))
    })
  }

  advance(): void {
    const next = this.moments.pop()
    if (next === undefined) return
    this.now = Math.max(this.now, next)
    for (const wake of this.sleeps.get(next) ?? []) wake()
    this.sleeps.delete(next)
  }
}
