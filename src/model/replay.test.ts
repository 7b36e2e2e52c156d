import { afterAll, beforeAll, describe, expect } from "bun:test"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import * as Flow from "../kernel/flow.ts"
import { userText } from "../protocol/content.ts"
import { PromptId } from "../protocol/ids.ts"
import { ModelError } from "../retry/model-error.ts"
import { ModelClient, type ModelRequest } from "./model-client.ts"
import { withRecording } from "./record.ts"
import * as Replay from "./replay.ts"

const request: ModelRequest = {
  model: "m",
  contents: [userText("the question")],
  config: {},
  role: "main",
  promptId: PromptId.make("s########1")
}

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cassette-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
const fileWith = (text: string) => {
  const file = join(folder, `${count++}.jsonl`)
  writeFileSync(file, text)
  return file
}
const lines = (...entries: ReadonlyArray<unknown>) => entries.map((entry) => JSON.stringify(entry)).join("\n")

const chunk = (text: string) => ({ candidates: [{ content: { parts: [{ text }] } }] })
const streamed = { method: "generateContentStream", response: [chunk("a"), { candidates: [{ finishReason: "STOP" }] }] }
const whole = { method: "generateContent", response: chunk("b") }
const counted = { method: "countTokens", response: { totalTokens: 7 } }
const embedded = { method: "embedContent", response: { embeddings: [{ values: [1, 2] }] } }

const open = (text: string, strict = true) =>
  Effect.map(Layer.build(Replay.layerFile(fileWith(text), { strict })), Context.get(ModelClient))

const chunksOf = (client: ModelClient["Type"]) =>
  Effect.map(
    Flow.runCollect(client.stream(request)),
    (events): ReadonlyArray<unknown> => [...events].map((event) => (event._tag === "Chunk" ? event.chunk : event))
  )

describe("strict", () => {
  it.effect("every call of any kind takes the next line", () =>
    Effect.gen(function* () {
      const client = yield* open(`\n${lines(streamed, whole)}\n\n   \n${lines(counted, embedded)}`)
      expect(yield* chunksOf(client)).toEqual(streamed.response)
      expect((yield* client.generate(request)) as unknown).toEqual(whole.response)
      expect(yield* client.countTokens(request)).toBe(7)
      expect(yield* client.embed({ model: "e", texts: ["x"] })).toEqual([[1, 2]])
    })
  )

  it.effect("another method fails, names both, and uses the line up", () =>
    Effect.gen(function* () {
      const client = yield* open(lines(whole, counted))
      const error = yield* Effect.flip(chunksOf(client))
      expect([error.kind, error.isRetryable]).toEqual(["replay", false])
      expect(error.message).toContain("next response was for generateContent but expected generateContentStream")
      expect(yield* client.countTokens(request)).toBe(7)
    })
  )

  it.effect("an exhausted file fails with the method and the request as JSON", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(chunksOf(yield* open("")))
      expect(error.message).toContain("No more mock responses for generateContentStream")
      expect(error.message).toContain(JSON.stringify(request.contents))
    })
  )

  it.effect("a stream takes its line when it is run, once for each run", () =>
    Effect.gen(function* () {
      const client = yield* open(lines(streamed, { ...streamed, response: [chunk("second")] }))
      const stream = client.stream(request)
      expect((yield* Flow.runCollect(stream)).length).toBe(2)
      expect((yield* Flow.runCollect(stream)).length).toBe(1)
    })
  )
})

describe("non-strict", () => {
  it.effect("the first unused line with the same method", () =>
    Effect.gen(function* () {
      const client = yield* open(lines(whole, streamed, { ...whole, response: chunk("c") }), false)
      expect(yield* chunksOf(client)).toEqual(streamed.response)
      expect((yield* client.generate(request)) as unknown).toEqual(chunk("b"))
      expect((yield* client.generate(request)) as unknown).toEqual(chunk("c"))
      expect((yield* Effect.flip(client.generate(request))).message).toContain(
        "No more mock responses for generateContent"
      )
    })
  )
})

describe("a file that cannot be used", () => {
  const rows: ReadonlyArray<readonly [name: string, text: string, line: number, detail: RegExp]> = [
    ["not JSON", `${lines(streamed)}\n\n{oops`, 3, /not JSON/],
    ["not an object", "[1]", 1, /not a recorded response/],
    ["an unknown method", '{"method":"dream","response":{}}', 1, /dream/],
    ["a stream that is no list", '{"method":"generateContentStream","response":{}}', 1, /response/],
    ["no response", '{"method":"countTokens"}', 1, /response/]
  ]
  for (const [name, text, line, detail] of rows) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(open(text))
        expect(error.lineNumber).toBe(line)
        expect(error.message).toMatch(detail)
        expect(error.message).toStartWith(`${error.file}:${line}: `)
      })
    )
  }

  const refused = (file: string) => Effect.flip(Layer.build(Replay.layerFile(file, { strict: true })))

  it.effect("missing", () =>
    Effect.map(
      Effect.suspend(() => refused(join(folder, "none"))),
      (error) => expect(error.message).toMatch(/none: no such file/)
    )
  )
  it.effect("a folder", () =>
    Effect.gen(function* () {
      mkdirSync(join(folder, "dir"))
      expect((yield* refused(join(folder, "dir"))).message).toMatch(/is a folder/)
    })
  )
  it.effect("a FIFO, without waiting for its other end", () =>
    Effect.gen(function* () {
      const fifo = join(folder, "fifo")
      execFileSync("mkfifo", [fifo])
      expect((yield* refused(fifo)).message).toMatch(/not a regular file/)
    })
  )
})

describe("recording", () => {
  const recording = (file: string, inner: Layer.Layer<ModelClient, unknown>) =>
    Effect.map(Layer.build(withRecording(inner, file)), Context.get(ModelClient))

  it.effect("a recorded file replays, and further calls are appended", () =>
    Effect.gen(function* () {
      const original = lines(streamed, whole, counted, embedded)
      const target = join(folder, "recorded.jsonl")
      const client = yield* recording(target, Replay.layerFile(fileWith(original), { strict: true }))
      yield* chunksOf(client)
      expect(readFileSync(target, "utf8")).toBe(`${lines(streamed)}\n`)
      yield* client.generate(request)
      yield* client.countTokens(request)
      yield* client.embed({ model: "e", texts: ["x"] })
      expect(readFileSync(target, "utf8")).toBe(`${original}\n`)

      const again = yield* open(readFileSync(target, "utf8"))
      expect(yield* chunksOf(again)).toEqual(streamed.response)
      const more = yield* recording(target, Replay.layerFile(fileWith(lines(whole)), { strict: true }))
      yield* more.generate(request)
      expect(readFileSync(target, "utf8")).toBe(`${original}\n${lines(whole)}\n`)
    })
  )

  it.effect("a call that failed leaves no line", () =>
    Effect.gen(function* () {
      const target = join(folder, "failed.jsonl")
      const broken = new ModelError({ kind: "network", detail: "gone", phase: "body", errorType: "ECONNRESET" })
      const inner = Layer.succeed(
        ModelClient,
        ModelClient.of({
          stream: () => Flow.concat(Flow.succeed({ _tag: "Chunk", chunk: {} } as const), Flow.fail(broken)),
          generate: () => Effect.fail(broken),
          countTokens: () => Effect.fail(broken),
          embed: () => Effect.fail(broken)
        })
      )
      const client = yield* recording(target, inner)
      yield* Effect.flip(chunksOf(client))
      yield* Effect.flip(client.generate(request))
      expect(readFileSync(target, "utf8")).toBe("")
    })
  )

  it.effect("a file that cannot be written is refused before the first call", () =>
    Effect.gen(function* () {
      const target = join(folder, "no", "such", "folder")
      const error = yield* Effect.flip(recording(target, Replay.layerFile(fileWith(""), { strict: true })))
      expect(String(error)).toContain("cannot be written: ENOENT")
      expect(existsSync(target)).toBe(false)
    })
  )
})

it.effect("a question which model to take needs no line, and uses none up that is not its own", () =>
  Effect.gen(function* () {
    const client = yield* open(lines(streamed, whole))
    const routing = { ...request, role: "utility_router" } as const
    yield* Effect.flip(client.generate(routing))
    expect(yield* chunksOf(client)).toEqual(streamed.response)
    expect(yield* client.generate(routing)).toEqual(whole.response)
  })
)
