/** A signal ends a run at once, with the right code, and with the one result that the format promises. */
import { describe, expect, test } from "bun:test"
import { expectFailureDocument, expectFailureEvents, expectNoTrace } from "./kit/expectations.ts"
import { googleError } from "./kit/google-errors.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { answer, chunk, type Reply, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129]
] as const

/** Says something, then nothing more. */
const UNFINISHED = answer([chunk(text("partial"))], { ending: "hang" })

const interrupted = async (signal: NodeJS.Signals, args: ReadonlyArray<string>, reply: Reply = UNFINISHED) => {
  await using server: ModelServer = await startModelServer(() => reply)
  await using place = await newWorkspace()
  const run = place.start(["-p", "hi", ...args], { server })
  await server.received(1)
  // Formats that show text are interrupted after they showed it; json has nothing to show yet.
  while (args.length === 0 && reply === UNFINISHED && !run.stdoutSoFar().includes("partial")) await Bun.sleep(10)
  run.kill(signal)
  const result = await run.result
  if (reply === UNFINISHED) await server.someoneLeft()
  return result
}

describe.each(SIGNALS)("%s", (signal, exitCode) => {
  test("text: what was shown stays", async () => {
    const result = await interrupted(signal, [])
    expect(result).toMatchObject({ stdout: "partial\n", exitCode })
    expectNoTrace(result)
  })

  test("json: one document, on both streams", async () => {
    expectFailureDocument(await interrupted(signal, ["-o", "json"]), exitCode, {
      completion_reason: "cancelled",
      error: expect.objectContaining({ type: "FatalCancellationError", code: exitCode })
    })
  })

  test("stream-json: a final result", async () => {
    expectFailureEvents(await interrupted(signal, ["-o", "stream-json"]), exitCode, {
      completion_reason: "cancelled",
      error: expect.objectContaining({ type: "FatalCancellationError" })
    })
  })
})

test("during the wait for another attempt", async () => {
  const result = await interrupted("SIGTERM", ["-o", "json"], googleError(503, "overloaded"))
  expectFailureDocument(result, 143, { completion_reason: "cancelled" })
})

test("during the wait for stdin", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  const run = place.start(["-o", "json"], { server, stdin: "silent" })
  while (!run.stderrSoFar().includes("Waiting for standard input")) await Bun.sleep(10)
  run.kill("SIGTERM")
  expectFailureDocument(await run.result, 143, { completion_reason: "cancelled" })
})

test("a second signal does not make a second result", async () => {
  await using server = await startModelServer([UNFINISHED])
  await using place = await newWorkspace()
  const run = place.start(["-p", "hi", "-o", "stream-json"], { server })
  await server.received(1)
  run.kill("SIGINT")
  run.kill("SIGINT")
  run.kill("SIGTERM")
  const result = await run.result
  expect([130, 143]).toContain(result.exitCode)
  expectFailureEvents(result, result.exitCode, { completion_reason: "cancelled" })
})
