/** How an answer may end: every finish reason, every kind of answer that cannot be used, and parts that nobody expects. */
import { describe, expect, test } from "bun:test"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { expectFailure } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, call, chunk, finish, type Part, type Reply, say, text, thought } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const ended = (reason: string, ...parts: ReadonlyArray<Part>): Reply => answer([finish(reason, {}, parts)])

const ask = async (script: ReadonlyArray<Reply> | (() => Reply), ...args: ReadonlyArray<string>) => {
  await using server = await startModelServer(script, { strict: true })
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "-o", "json", ...args], { server })
  return { result, document: documentOf(result), requests: server.generations }
}

describe.concurrent("text with an unusual end is shown, and the end is told", () => {
  test.each([
    ["MAX_TOKENS", "token limit"],
    ["SAFETY", "safety filter"],
    ["RECITATION", "repeated its sources"],
    ["LANGUAGE", "language is not supported"],
    ["BLOCKLIST", "forbidden terms"],
    ["PROHIBITED_CONTENT", "prohibited content"],
    ["SPII", "personal data"],
    ["OTHER", "did not name"],
    ["IMAGE_SAFETY", "An image"],
    ["IMAGE_PROHIBITED_CONTENT", "An image"],
    ["NO_IMAGE", "none was made"]
  ])("%s", async (reason, words) => {
    const { document, result } = await ask([ended(reason, text("half"))])
    expect({ exitCode: result.exitCode, response: document.response }).toEqual({ exitCode: 0, response: "half" })
    expect(JSON.stringify(document.warnings)).toContain(words)
  })

  test.each(["STOP", "FINISH_REASON_UNSPECIFIED"])("%s needs no word", async (reason) => {
    const { document } = await ask([ended(reason, text("all"))])
    expect(document).toMatchObject({ response: "all", completion_reason: "success" })
    expect(document.warnings ?? []).toEqual([])
  })
})

describe.concurrent("an answer that cannot be used", () => {
  test.each<[string, Reply, number, string]>([
    ["NO_FINISH_REASON", answer([chunk(text("half"))]), 4, "without a finish reason"],
    ["MALFORMED_FUNCTION_CALL", ended("MALFORMED_FUNCTION_CALL"), 4, "form that cannot be read"],
    ["UNEXPECTED_TOOL_CALL", ended("UNEXPECTED_TOOL_CALL"), 4, "was not offered"],
    ["MAX_TOKENS_EXCEEDED", ended("MAX_TOKENS"), 4, "all of its output tokens"],
    ["SAFETY_BLOCKED", ended("SAFETY"), 2, "safety filter"],
    ["RECITATION_BLOCKED", ended("RECITATION"), 2, "repeated its sources"],
    ["OTHER_BLOCKED", ended("OTHER"), 4, "blocked"],
    ["OTHER_BLOCKED", ended("BLOCKLIST"), 2, "blocked"],
    ["THINKING_ONLY_RESPONSE", ended("STOP", thought("Plan", "think")), 4, "wrote no answer"],
    ["NO_RESPONSE_TEXT", ended("STOP", text("\u200b<!-- nothing -->")), 4, "empty answer"]
  ])(
    "%s is asked for again, and then the run fails and says why",
    async (_, reply, attempts, words) => {
      const { document, requests, result } = await ask(() => reply)
      expect(requests).toHaveLength(attempts)
      expect(result.exitCode).toBe(1)
      expect(document).toMatchObject({ completion_reason: "empty" })
      expect(JSON.stringify(document.error)).toContain(words)
    },
    30_000
  )

  test.each([
    ["general.maxAttempts", 2, ended("STOP", thought("Plan", "think")), "/compress"],
    ["general.maxAttempts", 1, ended("STOP"), "may pass"]
  ])("%s allows %p attempts, and the hint fits the kind", async (_, maxAttempts, reply, hint) => {
    await using server = await startModelServer(() => reply)
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", JSON.stringify({ general: { maxAttempts } }))
    const result = await place.run(["-p", "hi", "-m", "flash"], { server })
    expect(server.generations).toHaveLength(maxAttempts)
    expectFailure(result, 1, hint)
  })

  test("is forgotten when the next one can be used", async () => {
    const { document, requests } = await ask([ended("STOP", thought("Plan", "think")), say("now")])
    expect(document).toMatchObject({ response: "now", completion_reason: "success" })
    expect(JSON.stringify(requests[1]?.body)).toContain("System note: your previous attempt held only thoughts")
    expect(JSON.stringify(requests[0]?.body)).not.toContain("System note")
  })
})

describe.concurrent("parts that nobody expects", () => {
  test("a part of an unknown kind goes back to the API as it came", async () => {
    const unknown = { executableCode: { language: "PYTHON", code: "1 + 1" } }
    const { requests } = await ask([
      ended("STOP", text("look: "), unknown, call("list_directory", { dir_path: "." })),
      say("ok")
    ])
    expect(JSON.stringify(requests[1]?.body)).toContain(JSON.stringify(unknown).slice(1, -1))
  })

  test("a call after text, two calls with one id and a call without a name are all answered", async () => {
    await using server = await startModelServer(
      [
        answer([
          chunk(text("first this. ")),
          chunk(call("list_directory", { dir_path: "." }, { id: "same" })),
          chunk(call("glob", { pattern: "*" }, { id: "same" })),
          finish("STOP", {}, [call("", {})])
        ]),
        say("ok")
      ],
      { strict: true }
    )
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-o", "stream-json"], { server })
    const events = eventsOf(result)
    expect(result.exitCode).toBe(0)
    const idsOf = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ tool_id }) => tool_id)
    expect(new Set(idsOf("tool_use")).size).toBe(3)
    expect(idsOf("tool_result")).toEqual(idsOf("tool_use"))
    // The first call keeps the id that the service gave it.
    expect(idsOf("tool_use")[0]).toBe("list_directory__same")
  })

  test("arguments of 1 MB reach the tool and the next request", async () => {
    const { requests, result } = await ask(
      [ended("STOP", call("write_file", { file_path: "big.txt", content: "x".repeat(1_000_000) })), say("ok")],
      "--yolo"
    )
    expect(result.exitCode).toBe(0)
    expect(JSON.stringify(requests[1]?.body).length).toBeGreaterThan(1_000_000)
  })
})
