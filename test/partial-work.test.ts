/** A run that is ended from outside shows what it had, in every form, and goes on from there. */
import { expect, test } from "bun:test"
import { expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, chunk, finish, say, sent, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

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
