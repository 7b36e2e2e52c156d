/** Attachments that a request cannot carry go by the Files API: sent in pieces, waited for, and not sent twice. */
import { expect, test } from "bun:test"
import { documentOf } from "./kit/documents.ts"
import { expectFailure } from "./kit/expectations.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

type Manner = "well" | "refused" | "cut" | "unreadable"

/** Plays the Files API and a model that has one answer. */
const startFileServer = (manner: Manner) => {
  const log: Array<string> = []
  let received = 0
  let asked = 0
  const server = Bun.serve({
    port: 0,
    maxRequestBodySize: 64 * 1024 * 1024,
    fetch: async (request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      if (pathname === "/upload/v1beta/files") {
        if (manner === "refused") return Response.json({ error: { code: 403, message: "no room" } }, { status: 403 })
        const place = `http://127.0.0.1:${server.port}/piece`
        return new Response("{}", { headers: { "x-goog-upload-url": place, "x-goog-upload-status": "active" } })
      }
      if (pathname === "/piece") {
        received += (await request.arrayBuffer()).byteLength
        if (manner === "cut" && received > 9_000_000) return new Response("broken", { status: 500 })
        const isLast = request.headers.get("x-goog-upload-command")?.includes("finalize") === true
        log.push(isLast ? "last piece" : "piece")
        const file = { name: "files/a", uri: "https://x/files/a", state: "PROCESSING", sizeBytes: String(received) }
        return Response.json(isLast ? { file } : {}, {
          headers: { "x-goog-upload-status": isLast ? "final" : "active" }
        })
      }
      if (pathname.endsWith("/files/a")) {
        asked += 1
        const state = manner === "unreadable" ? "FAILED" : asked < 2 ? "PROCESSING" : "ACTIVE"
        const error = manner === "unreadable" ? { error: { message: "no sound in it" } } : {}
        return Response.json({ name: "files/a", uri: "https://x/files/a", state, ...error })
      }
      const body = await request.text()
      if (pathname.includes("countTokens")) return Response.json({ totalTokens: 10 })
      log.push(body.includes('"fileUri":"https://x/files/a"') ? "asked with the file" : "asked without")
      const chunk = { candidates: [{ content: { role: "model", parts: [{ text: "heard" }] }, finishReason: "STOP" }] }
      return new Response(`data: ${JSON.stringify(chunk)}\r\n\r\n`, {
        headers: { "content-type": "text/event-stream" }
      })
    }
  })
  return { log, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

const sound = new Uint8Array(21_000_000)
sound.set(new TextEncoder().encode("ID3\x04"))
const ARGS = ["-p", "what is said?", "-m", "gemini-2.5-flash", "-f", "talk.mp3"]

test("a large file is sent in pieces with its progress, waited for, and used again without being sent", async () => {
  await using server = startFileServer("well")
  await using place = await newWorkspace()
  await place.write("work/talk.mp3", sound)
  const first = await place.run(ARGS, { server })
  expect(first).toMatchObject({ stdout: "heard\n", exitCode: 0 })
  expect(first.stderr).toContain("uploading talk.mp3: 100% of 20.0 MiB")
  expect(server.log).toEqual(["piece", "piece", "last piece", "asked with the file"])
  const again = await place.run([...ARGS, "-o", "json"], { server })
  expect(documentOf(again)).toMatchObject({ response: "heard" })
  expect(again.stderr).toContain("uploaded before and is used again")
  expect(server.log.slice(4)).toEqual(["asked with the file"])
})

test.each<[Manner, string]>([
  ["refused", "talk.mp3 cannot be uploaded: no room"],
  ["cut", "cannot be uploaded: broken"],
  ["unreadable", "the service could not read it: no sound in it"]
])("a file that is %s ends the run with 42 before the model is asked", async (manner, words) => {
  await using server = startFileServer(manner)
  await using place = await newWorkspace()
  await place.write("work/talk.mp3", sound)
  expectFailure(await place.run(ARGS, { server }), 42, words)
  expect(server.log.filter((line) => line.startsWith("asked"))).toEqual([])
})
