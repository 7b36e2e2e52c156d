/** Answers without a network: canned files, recordings of a real run, and the demo. */
import { describe, expect, test } from "bun:test"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { expectFailure } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, chunk, finish, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const stream = (...chunks: ReadonlyArray<unknown>) =>
  `${JSON.stringify({ method: "generateContentStream", response: chunks })}\n`
const ANSWER = stream(chunk(text("canned ")), finish("STOP", {}, [text("answer")]))

describe("--fake-responses", () => {
  test("answers without key and network", async () => {
    await using place = await newWorkspace()
    const file = await place.write("canned.jsonl", `\n${ANSWER}\n`)
    expect(await place.run(["-p", "hi", "--fake-responses", file])).toEqual({
      stdout: "canned answer\n",
      stderr: "",
      exitCode: 0
    })
  })

  test("a relative path is one from the working folder", async () => {
    await using place = await newWorkspace()
    await place.write("work/canned.jsonl", ANSWER)
    expect((await place.run(["-p", "hi", "--fake-responses", "canned.jsonl"])).stdout).toBe("canned answer\n")
  })

  test("one line for each turn; an empty answer after tool results ends the run normally", async () => {
    await using place = await newWorkspace()
    const file = await place.write("canned.jsonl", stream(chunk(call("no_such_tool"))) + stream(finish("STOP")))
    const document = documentOf(await place.run(["-p", "hi", "-o", "json", "--fake-responses", file]))
    expect(document).toMatchObject({ response: "", completion_reason: "success" })
  })

  test("chunks may be as loose as the reference allows", async () => {
    await using place = await newWorkspace()
    const file = await place.write(
      "canned.jsonl",
      stream(
        { candidates: [{ content: { parts: [{ text: "a", thoughtSignature: "sig" }] } }] },
        { usageMetadata: { totalTokenCount: 3 } },
        { candidates: [{ finishReason: "STOP" }] }
      )
    )
    expect((await place.run(["-p", "hi", "--fake-responses", file])).stdout).toBe("a\n")
  })

  test("a file that is used up fails with the words that rigs look for", async () => {
    await using place = await newWorkspace()
    const file = await place.write("canned.jsonl", "")
    const result = await place.run(["-p", "hi", "--fake-responses", file])
    expectFailure(result, 1, "No more mock responses for generateContentStream")
  })

  test("another method names both", async () => {
    await using place = await newWorkspace()
    const file = await place.write("canned.jsonl", '{"method":"countTokens","response":{"totalTokens":1}}\n')
    const result = await place.run(["-p", "hi", "--fake-responses", file])
    expectFailure(result, 1, "next response was for countTokens but expected generateContentStream")
  })

  test("non-strict takes the first of the same method", async () => {
    await using place = await newWorkspace()
    const file = await place.write("canned.jsonl", `{"method":"countTokens","response":{"totalTokens":1}}\n${ANSWER}`)
    const result = await place.run(["-p", "hi", "--fake-responses-non-strict", file])
    expect(result.stdout).toBe("canned answer\n")
  })

  test.each([
    ["a file that is missing", undefined, "canned.jsonl"],
    ["a line that is no JSON", `${ANSWER}{oops\n`, "canned.jsonl:2"]
  ])("%s: exit 42, named", async (_, content, words) => {
    await using place = await newWorkspace()
    const file = content === undefined ? `${place.root}/canned.jsonl` : await place.write("canned.jsonl", content)
    expectFailure(await place.run(["-p", "hi", "--fake-responses", file]), 42, words)
  })
})

describe("--record-responses", () => {
  test("a recorded run plays again, tool turn included", async () => {
    await using server = await startModelServer([ask(call("no_such_tool", { a: 1 })), say("größe ", "🎉")])
    await using place = await newWorkspace()
    const file = `${place.root}/tape.jsonl`
    const recorded = await place.run(["-p", "hi", "-m", "flash", "--record-responses", file], { server })
    const played = await place.run(["-p", "hi", "-m", "flash", "--fake-responses", file])
    expect(recorded).toMatchObject({ stdout: "größe 🎉\n", exitCode: 0 })
    expect(played).toEqual(recorded)
    const lines = (await place.read("tape.jsonl")).trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line).method)).toEqual(["generateContentStream", "generateContentStream"])
  })

  test("the recording holds no key", async () => {
    await using server = await startModelServer([say("x")])
    await using place = await newWorkspace()
    await place.run(["-p", "hi", "--record-responses", `${place.root}/tape.jsonl`], {
      server,
      env: { GEMINI_API_KEY: "AIzaSySecret" }
    })
    expect(await place.read("tape.jsonl")).not.toContain("AIzaSySecret")
  })

  test("a place that cannot be written is told before the model is asked", async () => {
    await using server = await startModelServer([say("x")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "--record-responses", `${place.root}/no/such/tape.jsonl`], { server })
    expectFailure(result, 42, "tape.jsonl")
    expect(server.requests).toEqual([])
  })
})

describe("--demo", () => {
  test("answers without key, network and settings", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["--demo"])
    expect(result.exitCode).toBe(0)
    expect(result.stdout.length).toBeGreaterThan(40)
    expect(result.stderr).toEndWith("GEMINI_API_KEY=... gemini talks to a real model.\n")
    expect(result.stderr).not.toMatch(/error|WARNING/i)
  })

  test("goes through the real loop: stream-json ends in a result", async () => {
    await using place = await newWorkspace()
    const events = eventsOf(await place.run(["--demo", "-o", "stream-json"]))
    expect(events.at(-1)).toMatchObject({ status: "success", completion_reason: "success" })
  })

  test("json: one document", async () => {
    await using place = await newWorkspace()
    expect(documentOf(await place.run(["--demo", "-o", "json"]))).toMatchObject({
      completion_reason: "success",
      stats: { files: { totalLinesAdded: 1, totalLinesRemoved: 1 } }
    })
  })

  test("at a terminal it is a conversation with a question and an edit, which ends with a sentence", async () => {
    await using place = await newWorkspace()
    const session = startInTerminal(place, ["--demo"])
    const withWords = startInTerminal(place, ["--demo", "-i", "hello"])
    await session.shows("Allow? ")
    expect(session.plain()).toMatch(/gemini-demo-\w+\/average\.py/)
    session.type("y\r")
    await session.shows("what the file says now")
    await session.waits()
    session.type("what does it say?\r")
    await session.shows("stands above")
    expect(session.plain()).toContain("return sum(values) / len(values)\r\n")
    for (const prompt of ["and then?", "really?"]) {
      await session.waits()
      session.type(`${prompt}\r`)
      await session.showsNext("The recording ends here")
    }
    await withWords.shows("Allow? ")
    withWords.type("n\r")
    await withWords.shows("what the file says now")
    for (const one of [session, withWords]) {
      await one.waits()
      one.type("\u0004")
      expect(await one.exitCode).toBe(0)
    }
    expect((await place.shell("ls -A home tmp work", { cwd: place.root })).stdout).toBe("home:\n\ntmp:\n\nwork:\n")
  }, 20_000)
})
