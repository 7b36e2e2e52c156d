/** A run that is ended from outside shows what it had, in every form, and goes on from there. */
import { describe, expect, test } from "bun:test"
import { resultOf } from "./kit/documents.ts"
import { expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { answer, chunk, finish, say, sent, text } from "./kit/replies.ts"
import { newWorkspace, type RunResult, type Workspace } from "./kit/run-gemini.ts"

/** Begins to answer, and never ends. */
const UNENDING = sent(answer([chunk(text("Once upon ")), chunk(text("a time")), finish("STOP")]), {
  ending: "hang",
  splitAt: [360]
})

test("a time limit: what had come, in json and in the result event", async () => {
  await using server = await startModelServer(() => UNENDING)
  await using place = await newWorkspace()
  const flags = ["-p", "hi", "-m", "gemini-2.5-pro", "--max-time", "2s"]
  const json = await place.run([...flags, "-o", "json"], { server })
  const expected = { response: expect.stringContaining("Once upon "), completion_reason: "timeout" }
  expectFailureDocument(json, 53, { ...expected, stats: expect.any(Object) })
  expectFailureEvents(await place.run([...flags, "-o", "stream-json"], { server }), 53, expected)
})

test("a signal: the prompt and what had come are kept, and the next run knows them", async () => {
  await using server = await startModelServer((_, index) => (index === 0 ? UNENDING : say("the end")))
  await using place = await newWorkspace()
  const run = place.start(["-p", "tell me", "-m", "gemini-2.5-pro", "-o", "stream-json"], { server })
  while (!run.stdoutSoFar().includes("Once upon ")) await Bun.sleep(20)
  run.kill("SIGTERM")
  expectFailureEvents(await run.result, 143, {
    response: expect.stringContaining("Once upon "),
    completion_reason: "cancelled"
  })
  const next = await place.run(["-p", "go on", "-m", "gemini-2.5-pro", "--resume", "latest"], { server })
  expect(next).toMatchObject({ exitCode: 0, stdout: "the end\n" })
  const asked = JSON.stringify(server.generations[1]?.body)
  expect(asked).toContain("tell me")
  expect(asked).toContain("Once upon ")
  expect(asked).toContain("[My answer was interrupted here.]")
})

/** Says what it took so far with each chunk, as the service does, and never ends. */
const PAID = sent(
  answer([
    { ...chunk(text("Once upon ")), usageMetadata: finish("STOP", { prompt: 1000, candidates: 20 }).usageMetadata },
    chunk(text(Array.from({ length: 100 }, (_, index) => `${index} times`).join(" ")))
  ]),
  { ending: "hang", splitAt: [600] }
)

describe("what was paid for an answer that was cut counts, and again for whoever goes on", () => {
  const flags = ["-p", "hi", "-m", "gemini-2.5-pro", "-o", "stream-json"]
  const cuts: Record<string, (place: Workspace, server: ModelServer) => Promise<RunResult>> = {
    "by a time limit": (place, server) => place.run([...flags, "--max-time", "2s"], { server }),
    "by a signal": async (place, server) => {
      const run = place.start(flags, { server })
      while (!run.stdoutSoFar().includes("Once upon ")) await Bun.sleep(20)
      run.kill("SIGTERM")
      return await run.result
    },
    "by a connection that broke": (place, server) => place.run(flags, { server })
  }
  for (const [how, cut] of Object.entries(cuts)) {
    test(how, async () => {
      const ending = how === "by a connection that broke" ? "cut" : "hang"
      await using server = await startModelServer(() => ({ ...PAID, ending, gapMs: ending === "cut" ? 100 : 0 }))
      await using place = await newWorkspace()
      const result = await cut(place, server)
      expect(result.exitCode).not.toBe(0)
      const { stats = {} } = resultOf(result)
      const { cost_usd, input_tokens: input, output_tokens: output } = stats as Record<string, number>
      // A broken one is asked for again as long as nothing was shown of it.
      const answers = how === "by a connection that broke" ? Number(input) / 1000 : 1
      expect(answers).toBeGreaterThan(0)
      expect({ input, output }).toEqual({ input: 1000 * answers, output: 20 * answers })
      expect(cost_usd).toBeCloseTo(0.00145 * answers, 8)
      // The record knows it too.
      const recorded = JSON.parse((await place.run(["stats", "--json"])).stdout)
      expect(recorded).toMatchObject({ requests: answers, input: input, output: output })
      expect(recorded.costUsd).toBeCloseTo(0.00145 * answers, 8)
    })
  }
})
