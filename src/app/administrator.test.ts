import { expect, test } from "bun:test"
import { Effect, Fiber, Layer, TestClock, TestContext } from "effect"
import type { AdminControls } from "../config/administrator.ts"
import { makeSettings } from "../config/settings.ts"
import { Stderr } from "../output/stderr.ts"
import { watchControls } from "./administrator.ts"

const controls: AdminControls = {
  isStrict: false,
  allowsExtensions: true,
  allowsUnmanaged: true,
  allowsServers: true,
  allowedServers: {},
  requiredServers: {}
}

test("asked every five minutes; a change is told once, and a failure waits for the next time", () => {
  const told: Array<string> = []
  const answers = [controls, undefined, { ...controls }, { ...controls, isStrict: true }]
  let asked = 0
  const fetch = Effect.suspend(() => {
    const answer = answers[asked]
    asked += 1
    return answer === undefined ? Effect.fail("down") : Effect.succeed(answer)
  })
  const notice = (text: string) => Effect.sync(() => void told.push(text))
  const stderr = Layer.succeed(Stderr, { notice, write: notice, status: notice, isTerminal: false } as Stderr["Type"])
  const settings = makeSettings({ values: new Map(), sources: new Map() }, [])
  return Effect.gen(function* () {
    const fiber = yield* Effect.fork(watchControls(fetch, controls, { settings }))
    yield* TestClock.adjust("299 seconds")
    expect(asked).toBe(0)
    yield* TestClock.adjust("1 second")
    expect([asked, told.length]).toEqual([1, 0])
    yield* TestClock.adjust("10 minutes")
    expect([asked, told.length]).toEqual([3, 0])
    yield* TestClock.adjust("5 minutes")
    yield* Fiber.join(fiber)
    expect([asked, told.length]).toEqual([4, 1])
  }).pipe(Effect.provide([TestContext.TestContext, stderr]), Effect.runPromise)
})
