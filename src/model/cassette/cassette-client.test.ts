import { afterAll, describe, expect } from "bun:test"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, FastCheck } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Flow from "../../kernel/flow.ts"
import { type Content, userText } from "../../protocol/content.ts"
import { PromptId } from "../../protocol/ids.ts"
import { ModelError } from "../../retry/model-error.ts"
import type { ModelChunk, ModelClient, ModelEvent, ModelRequest } from "../model-client.ts"
import { playingClient, recordingClient } from "./cassette-client.ts"
import { readCassette } from "./cassette-file.ts"
import { CassetteWriter } from "./cassette-writer.ts"
import { normalizer } from "./normal-request.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-"))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newFile = () => join(folder, `${count++}.jsonl`)

const requestOf = (contents: ReadonlyArray<Content>, model = "m"): ModelRequest => ({
  model,
  contents,
  systemInstruction: "be good",
  config: { temperature: 1 },
  role: "main",
  promptId: PromptId.make("s########1")
})

type Client = ModelClient["Type"]
type Answer = { readonly chunks: ReadonlyArray<ModelChunk>; readonly error?: ModelError | undefined }

/** Gives each call the next answer. */
const scripted = (answers: ReadonlyArray<Answer>): Client => {
  let next = 0
  const take = (): Answer => answers[next++] ?? { chunks: [] }
  return {
    stream: () =>
      Flow.suspend(() => {
        const { chunks, error } = take()
        const events = Flow.fromArray(chunks.map((chunk): ModelEvent => ({ _tag: "Chunk", chunk })))
        return error === undefined ? events : Flow.concat(events, Flow.fail(error))
      }),
    generate: () => Effect.suspend(() => Effect.succeed(take().chunks[0] ?? {})),
    countTokens: () => Effect.succeed(42),
    embed: ({ texts }) => Effect.succeed(texts.map((_, index) => [index, 0.5]))
  }
}

const SECRETS = [{ name: "KEY", value: "the-secret-value" }]
const normal = Effect.succeed(normalizer([{ mark: "cwd", path: "/srv/work" }], SECRETS))
const recorder = (client: Client, file: string) =>
  recordingClient(client, {
    writer: Either.getOrThrow(CassetteWriter.open(file, {})),
    normal,
    secrets: Effect.succeed(SECRETS),
    warn: () => Effect.void
  })
const player = (file: string, live?: Effect.Effect<Client, ModelError>) =>
  playingClient({ cassette: Either.getOrThrow(readCassette(file)), normal, keepsGaps: false, live })

const eventsOf = (client: Client, request: ModelRequest) =>
  Effect.gen(function* () {
    const events: Array<ModelEvent> = []
    const end = yield* Effect.either(
      Flow.runForEach(client.stream(request), (event) => Effect.sync(() => events.push(event)))
    )
    const failure = Either.isLeft(end)
      ? { kind: end.left.kind, detail: end.left.detail, phase: end.left.phase }
      : undefined
    return { events, failure }
  })

const anyText = FastCheck.string({ unit: "binary", maxLength: 12 })
const anyChunk: FastCheck.Arbitrary<ModelChunk> = FastCheck.record(
  {
    candidates: FastCheck.array(
      FastCheck.record({
        content: FastCheck.record({
          role: FastCheck.constant("model"),
          parts: FastCheck.array(FastCheck.record({ text: anyText }), { maxLength: 2 })
        }),
        unknownField: FastCheck.object({ maxDepth: 1, values: [anyText, FastCheck.integer()] })
      }),
      { maxLength: 2 }
    ),
    responseId: anyText
  },
  { requiredKeys: [] }
)
const anyError = FastCheck.record({
  kind: FastCheck.constantFrom("quota" as const, "bad-request" as const),
  detail: anyText,
  phase: FastCheck.constantFrom("open" as const, "body" as const)
}).map((fields) => new ModelError({ ...fields, errorType: "X" }))
const anyAnswer: FastCheck.Arbitrary<Answer> = FastCheck.record({
  chunks: FastCheck.array(anyChunk, { maxLength: 4 }),
  error: FastCheck.option(anyError, { nil: undefined, freq: 4 })
})

describe("a recording that is played", () => {
  it.live("gives every event and every failure again, byte for byte", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(FastCheck.tuple(anyAnswer, FastCheck.nat({ max: 3 })), { maxLength: 6 }),
          (calls) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const file = newFile()
                const recorded = recorder(scripted(calls.map(([answer]) => answer)), file)
                // Conversations that grow, and some that ask the same again.
                const requests = calls.map(([, length]) =>
                  requestOf(Array.from({ length: length + 1 }, (_, index) => userText(`message ${index}`)))
                )
                const before = yield* Effect.forEach(requests, (request) => eventsOf(recorded, request))
                const client = player(file)
                const after = yield* Effect.forEach(requests, (request) => eventsOf(client, request))
                expect(JSON.stringify(after)).toBe(JSON.stringify(before))
              })
            )
        ),
        { seed: 11, numRuns: 60 }
      )
    )
  )

  it.live("serves every method, holds no credential, and asks again in the order of the recording", () =>
    Effect.gen(function* () {
      const file = newFile()
      const answer = (text: string) => ({ chunks: [{ candidates: [{ content: { parts: [{ text }] } }] }] })
      const client = recorder(scripted([answer("first the-secret-value"), answer("second"), answer("whole")]), file)
      const request = requestOf([userText("see /srv/work and the-secret-value")])
      yield* eventsOf(client, request)
      yield* eventsOf(client, request)
      yield* client.generate(request)
      yield* client.countTokens(request)
      yield* client.embed({ model: "e", texts: ["a", "b"] })
      const text = readFileSync(file, "utf8")
      expect(text).not.toContain("the-secret-value")
      expect(text).not.toContain("/srv/work")
      const played = player(file)
      expect(JSON.stringify((yield* eventsOf(played, request)).events)).toContain("first [REDACTED:KEY]")
      expect(JSON.stringify((yield* eventsOf(played, request)).events)).toContain("second")
      expect(JSON.stringify(yield* played.generate(request))).toContain("whole")
      expect(yield* played.countTokens(request)).toBe(42)
      expect(yield* played.embed({ model: "e", texts: ["a", "b"] })).toEqual([
        [0, 0.5],
        [1, 0.5]
      ])
      const used = yield* eventsOf(played, request)
      expect(used.failure?.detail).toContain("holds 2 answers to this request")
    })
  )

  it.live("the last of several recordings counts; a miss names the nearest entry and what is different", () =>
    Effect.gen(function* () {
      const file = newFile()
      const answer = (text: string) => ({ chunks: [{ candidates: [{ content: { parts: [{ text }] } }] }] })
      for (const said of ["old", "new"]) {
        yield* eventsOf(recorder(scripted([answer(said)]), file), requestOf([userText("the question")]))
      }
      const played = player(file)
      expect(JSON.stringify((yield* eventsOf(played, requestOf([userText("the question")]))).events)).toContain("new")
      const { failure } = yield* eventsOf(played, requestOf([userText("the answer")]))
      expect(failure).toMatchObject({ kind: "miss", phase: "open" })
      expect(failure?.detail).toMatch(/nearest of its 1 entry is entry 2 [\s\S]*\n-the question\n\+the answer/)
    })
  )

  it.live("a miss can ask the model, and be recorded where the cassette grows", () =>
    Effect.gen(function* () {
      const file = newFile()
      const answer = { chunks: [{ candidates: [{ content: { parts: [{ text: "live" }] } }] }] }
      Either.getOrThrow(CassetteWriter.open(file, {}))
      const request = requestOf([userText("new")])
      const grown = player(file, Effect.succeed(recorder(scripted([answer]), file)))
      expect((yield* eventsOf(grown, request)).events).toHaveLength(1)
      expect((yield* eventsOf(player(file), request)).events).toHaveLength(1)
    })
  )
})

describe("a file that", () => {
  const recordedFile = Effect.gen(function* () {
    const file = newFile()
    const client = recorder(scripted([]), file)
    yield* eventsOf(client, requestOf([userText("one")]))
    yield* eventsOf(client, requestOf([userText("one"), userText("two")]))
    return file
  })
  const detailOf = (file: string) =>
    Either.match(readCassette(file), { onLeft: (error) => error.message, onRight: () => "" })

  it.live("was cut off anywhere is read up to there, and recording goes on behind", () =>
    Effect.gen(function* () {
      const whole = readFileSync(yield* recordedFile, "utf8")
      const firstEnd = whole.indexOf("\n") + 1
      for (let length = firstEnd; length < whole.length; length += 17) {
        const file = newFile()
        writeFileSync(file, whole.slice(0, length))
        const complete = whole.slice(0, length).split("\n").length - 2
        expect(Either.getOrThrow(readCassette(file)).recordings.length).toBeGreaterThanOrEqual(complete)
        yield* eventsOf(recorder(scripted([]), file), requestOf([userText("three")]))
        expect(Either.getOrThrow(readCassette(file)).recordings.length).toBeGreaterThan(complete)
      }
    })
  )

  it.live("cannot be used says where and why", () =>
    Effect.gen(function* () {
      const file = yield* recordedFile
      const text = readFileSync(file, "utf8")
      const edited = newFile()
      writeFileSync(edited, text.replace('"text":"one"', '"text":"uno"'))
      expect(detailOf(edited)).toContain(`${edited}:2: its request was edited`)
      const table: ReadonlyArray<readonly [string, string]> = [
        ["", "is no cassette"],
        ["hello\n", "1: is no cassette"],
        ['{"cassette":2,"tool":"9.9"}\n', "recorded in format 2 by gemini 9.9"],
        ['{"method":"generateContent","response":{}}\n', "--fake-responses"],
        ['{"cassette":1,"tool":"1"}\n{oops\n{}\n', "2: is not JSON"],
        ['{"cassette":1,"tool":"1"}\n{"sha256":"x"}\n', "2: is no entry: "]
      ]
      for (const [content, words] of table) {
        const bad = newFile()
        writeFileSync(bad, content)
        expect(detailOf(bad)).toContain(words)
      }
      expect(detailOf(folder)).toContain("is a folder")
      expect(detailOf(join(folder, "none"))).toContain("no such file")
      appendFileSync(file, "\n\n")
      expect(detailOf(file)).toBe("")
    })
  )
})
