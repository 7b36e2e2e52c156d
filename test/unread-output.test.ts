/** Somebody who does not read: of standard output, of a telemetry file, of a log. None of them may keep a run from ending. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { documentOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

/** A FIFO that is open for reading, from which nothing is read, and which is full. */
const UNREAD = "mkfifo unread && exec 9<>unread && head -c 65536 /dev/zero >unread"

test.concurrent.each(["text", "json", "stream-json"])("standard output, %s: the time limit holds", async (format) => {
  await using server = await startModelServer([say("done")])
  await using place = await newWorkspace()
  const flags = `-p hi -o ${format} --max-time 1s`
  const result = await place.shell(`${UNREAD}; "$GEMINI" ${flags} >unread`, { server })
  expect(result.exitCode).toBe(53)
  expect(result.stderr).toContain("the time limit of 1s was reached (--max-time)")
  if (format === "json")
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 53 }, completion_reason: "timeout" })
})

test.concurrent("standard output and standard error", async () => {
  await using server = await startModelServer([say("done")])
  await using place = await newWorkspace()
  const script = `${UNREAD}; "$GEMINI" -d -p hi -o json --max-time 1s >unread 2>&1`
  expect((await place.shell(script, { server })).exitCode).toBe(53)
})

test.concurrent("a signal ends a run whose answer nobody reads", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => {
    writeFileSync(join(place.cwd, "asked"), "")
    return say("done")
  })
  const script = `${UNREAD}; "$GEMINI" -p hi -o json >unread & until [ -e asked ]; do sleep 0.1; done; kill -TERM $!; wait $!`
  expect((await place.shell(script, { server })).exitCode).toBe(143)
})

test.concurrent.each([
  [
    "telemetry",
    { GEMINI_TELEMETRY_ENABLED: "true", GEMINI_TELEMETRY_OUTFILE: "fifo" },
    "telemetry cannot be delivered"
  ],
  ["the debug log", { GEMINI_DEBUG_LOG_FILE: "fifo" }, ""]
])("%s into a FIFO without a reader", async (_, env, said) => {
  await using server = await startModelServer(() => say("done"))
  await using place = await newWorkspace()
  const result = await place.shell('mkfifo fifo; "$GEMINI" -p hi -o json', { server, env })
  expect(result).toMatchObject({ exitCode: 0 })
  expect(documentOf(result)).toMatchObject({ response: "done" })
  expect(result.stderr).toContain(said)
})

test("telemetry into a FIFO that is read arrives", async () => {
  await using server = await startModelServer([say("done")])
  await using place = await newWorkspace()
  const env = { GEMINI_TELEMETRY_ENABLED: "true", GEMINI_TELEMETRY_OUTFILE: "fifo" }
  const script =
    'mkfifo fifo; exec 9<>fifo; cat <&9 >seen & "$GEMINI" -p hi; until grep -q session.count seen; do sleep 0.1; done; kill $!'
  expect(await place.shell(script, { server, env })).toMatchObject({ stdout: "done\n" })
})

test("a recording into a FIFO without a reader is refused", async () => {
  await using server = await startModelServer([say("done")])
  await using place = await newWorkspace()
  const result = await place.shell('mkfifo fifo; "$GEMINI" -p hi --record-responses fifo', { server })
  expect(result).toMatchObject({ exitCode: 42, stdout: "" })
  expect(result.stderr).toContain("fifo: cannot be written: nobody reads it")
})
