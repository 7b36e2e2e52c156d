/**
 * A task of thousands of steps in virtual time, with faults thrown in at random: bursts of refusals, broken and unusable
 * answers, tools that fail, utility models that are down, a person who cancels and goes on, a program that is started
 * anew. The scripted model asks for the first step that is not done, and answers when all are.
 */
import { Clock, Duration, Effect, Fiber, Logger, LogLevel, Option, TestClock } from "effect"
import { Chat } from "../../src/chat/chat.ts"
import type { ChatOptions } from "../../src/chat/chat-options.ts"
import * as Flow from "../../src/kernel/flow.ts"
import { estimateContents } from "../../src/model/token-estimate.ts"
import type { ProtocolEvent } from "../../src/protocol/event.ts"
import { ModelError } from "../../src/retry/model-error.ts"
import { broken, callChunk, chatOptions, chatRoom, chunk, partsChunk, type Reply, type Script } from "./chat-room.ts"
import { violationOf } from "./history-rules.ts"
import { tempFolder } from "./temp-folder.ts"

export interface LongTask {
  readonly steps: number
  readonly seed: number
  /** From this step on the service is down for good. */
  readonly fatalAt?: number
  /** The person cancels now and then, and the program is started anew. */
  readonly isDisturbed?: boolean
}

/** Numbers between 0 and 1, the same ones for the same seed. */
const dice = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const busy = new ModelError({ kind: "unavailable", detail: "busy", phase: "open", errorType: "503" })
const limited = new ModelError({
  kind: "rate-limited",
  detail: "slow down",
  phase: "open",
  errorType: "QUOTA_EXCEEDED",
  retryAfter: Duration.seconds(20)
})

export const workThrough = (task: LongTask, changed: Partial<ChatOptions> = {}) =>
  Effect.gen(function* () {
    const outputDir = yield* tempFolder()
    const room = { ...chatOptions.room, outputDir, compressionThreshold: 0.06 }
    const roll = dice(task.seed)
    const script = scriptOf(task, roll)
    const { layer, questions, requests } = chatRoom(script, { room, restartable: true, ...changed })
    const events: Array<ProtocolEvent> = []
    const work = Effect.gen(function* () {
      const chat = yield* Chat
      const send = (text: string) =>
        Flow.runForEach(chat.send({ text, parts: [{ text }] }), (event) => Effect.sync(() => void events.push(event)))
      for (let prompt = "do it"; ; prompt = "go on") {
        const fiber = yield* Effect.fork(Effect.either(send(prompt)))
        const patience = task.isDisturbed === true ? Duration.minutes(1 + 15 * roll()) : Duration.infinity
        const result = yield* within(fiber, patience)
        if (Option.isSome(result)) return result.value
        if (roll() < 0.5) yield* chat.replaceHistory(JSON.parse(JSON.stringify(yield* chat.history)))
      }
    })
    // Each of thousands of retries is worth a line in a log, but not here.
    const result = yield* work.pipe(Effect.provide(layer), Logger.withMinimumLogLevel(LogLevel.None))
    const elapsed = Duration.millis(yield* Clock.currentTimeMillis)
    return { requests, questions, events, result, elapsed, done: script.done, violations: script.violations }
  })

/** What the fiber came to; none where the person lost patience first, and cancelled. */
const within = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, patience: Duration.Duration) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    while (true) {
      const exit = yield* Fiber.poll(fiber)
      if (Option.isSome(exit)) return Option.some(yield* exit.value)
      const waited = (yield* Clock.currentTimeMillis) - start
      if (waited >= Duration.toMillis(patience)) return yield* Effect.as(Fiber.interrupt(fiber), Option.none<A>())
      yield* TestClock.adjust("1 minute")
    }
  })

const scriptOf = ({ fatalAt, steps }: LongTask, roll: () => number) => {
  const done = new Map<number, number>()
  const violations: Array<string> = []
  let next = 0
  let attempts = 0
  let refusals = 0
  let inARow = 0
  const stream: Script["stream"] = (request): Reply => {
    violations.push(...[violationOf(request, { signatures: true, ids: true })].flatMap((found) => found ?? []))
    while (done.has(next)) next++
    if (next === fatalAt) return [busy]
    if (refusals > 0) return refusals-- % 2 === 0 ? [busy] : [limited]
    const fault = inARow < 2 ? faultOf(roll(), next) : undefined
    inARow = fault === undefined ? 0 : inARow + 1
    if (fault !== undefined) return fault
    if (roll() < 0.01) refusals = Math.floor(5 * roll())
    const tokens = estimateContents(request.contents)
    return next < steps
      ? [callChunk("work", { step: next, attempt: attempts++ }, tokens)]
      : [chunk("The answer is 42.", "STOP")]
  }
  return {
    stream,
    retries: true,
    done,
    violations,
    generate: ({ role }) => {
      const luck = roll()
      if (luck < 0.2) return Effect.fail(busy)
      if (luck < 0.3) return Effect.succeed(chunk("", "STOP"))
      return Effect.succeed(
        role === "utility_compressor"
          ? chunk(`<state_snapshot>${"a fact; ".repeat(100)}</state_snapshot>`, "STOP")
          : chunk('{"unproductive_state_analysis":"works","unproductive_state_confidence":0.1}', "STOP")
      )
    },
    tool: ({ args }) =>
      Effect.sync(() => {
        // A tool that failed has to be asked for again.
        if (roll() < 0.1) return { error: "failed" }
        const step = Number(args.step)
        done.set(step, (done.get(step) ?? 0) + 1)
        return { output: `${step} `.repeat(2000) }
      }).pipe(Effect.delay("5 seconds"))
  } satisfies Script & { done: unknown; violations: unknown }
}

/** Three in a row would be a reason to give up; these pass. */
const faultOf = (luck: number, step: number): Reply | undefined => {
  if (luck < 0.03) return [broken("body")]
  if (luck < 0.04) return [broken("open")]
  if (luck < 0.05) {
    return [partsChunk([{ functionCall: { name: "work", args: { step }, id: "same" } }]), broken("body")]
  }
  if (luck < 0.07) return [partsChunk([{ text: "hm", thought: true }], "STOP")]
  return luck < 0.08 ? [chunk("", "MALFORMED_FUNCTION_CALL")] : undefined
}
