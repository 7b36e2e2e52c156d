import { expect } from "bun:test"
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Fiber, Layer, Option, TestClock } from "effect"
import {
  broken,
  callChunk,
  chatRoom,
  chunk,
  inTurn,
  noLimits,
  partsChunk,
  type Script,
  send,
  sessionRecorder
} from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import * as Flow from "../kernel/flow.ts"
import type { Content } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { resumeSession } from "../session/record/open-session.ts"
import * as SessionRecorder from "../session/record/session-recorder.ts"
import { Chat } from "./chat.ts"

const ID = "9d1c04aa-0000-4000-8000-000000000000"

const recorderIn = (
  tempDir: string,
  warnings: Array<string> = [],
  secrets = [{ name: "KEY", value: "canary-123456" }]
) =>
  sessionRecorder(
    { sessionId: ID, kind: "main" },
    {
      tempDir: Effect.succeed(tempDir),
      projectHash: () => "hash",
      secrets: Effect.succeed(secrets),
      warn: (line) => Effect.sync(() => void warnings.push(line))
    }
  )

/** Asks each prompt in a chat of its own process, as it were: what one recorded, the next one goes on from. */
const converse = (tempDir: string, script: Script, prompts: ReadonlyArray<string>, warnings: Array<string> = []) =>
  Effect.gen(function* () {
    const { layer, requests } = chatRoom(script, {}, noLimits, recorderIn(tempDir, warnings))
    const work = Effect.gen(function* () {
      const chat = yield* Chat
      for (const prompt of prompts) yield* Effect.either(send(prompt, []))
      return yield* chat.history
    }).pipe(Effect.provide(layer))
    const fiber = yield* Effect.fork(work)
    yield* TestClock.adjust("1 hour")
    return { history: yield* Fiber.join(fiber), requests }
  })

const filesIn = (tempDir: string) => readdirSync(join(tempDir, "chats")).map((name) => join(tempDir, "chats", name))
const recordIn = (tempDir: string) => filesIn(tempDir).find((file) => file.endsWith(".jsonl")) ?? ""
const textIn = (tempDir: string) =>
  filesIn(tempDir)
    .map((file) => readFileSync(file, "utf8"))
    .join("")
const recordsIn = (tempDir: string) =>
  textIn(tempDir)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

const resumed = (tempDir: string) =>
  Effect.map(resumeSession({ tempDir, wanted: "latest" }), (found) => Option.getOrThrow(found))

/** The surroundings are described anew by whoever goes on. */
const withoutContext = (history: ReadonlyArray<Content>) =>
  history
    .map(({ parts, role }) => ({
      role,
      parts: parts.filter(({ text }) => text?.startsWith("<session_context>") !== true)
    }))
    .filter(({ parts }) => parts.length > 0)

const CONTEXT = "<session_context>\nhere\n</session_context>"

/** Text that does not repeat itself: such an answer would be stopped. */
const LONG = Array.from({ length: 120 }, (_, index) => index * 7919).join(" ")

const twoTurns: Script = {
  context: CONTEXT,
  stream: inTurn([
    [
      partsChunk(
        [
          { text: "**Plan** think", thought: true },
          { text: "Looking." },
          { functionCall: { name: "ls", args: { a: 1 } } }
        ],
        "STOP",
        10
      )
    ],
    [chunk("Done.", "STOP")]
  ]),
  tool: () => Effect.succeed({ output: "a.txt" })
}

it.effect("a run is recorded as the format says", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    yield* converse(tempDir, twoTurns, ["list files"])
    const [file = ""] = filesIn(tempDir)
    expect(file).toEndWith("/session-1970-01-01T00-00-9d1c04aa.jsonl")
    const records = recordsIn(tempDir)
    expect(records[0]).toEqual({
      sessionId: ID,
      projectHash: "hash",
      startTime: "1970-01-01T00:00:00.000Z",
      lastUpdated: "1970-01-01T00:00:00.000Z",
      kind: "main"
    })
    const messages = records.filter((record) => "type" in record)
    expect(messages.map(({ type }) => type)).toEqual(["user", "user", "gemini", "gemini", "user", "gemini"])
    const [context, question, first, withCalls, results, last] = messages
    expect(context.id).toMatch(/^[0-9a-f]{32}$/)
    expect(question.content).toEqual([{ text: "list files" }])
    expect(first.id).toBe(withCalls.id)
    expect(first).toMatchObject({
      thoughts: [{ subject: "Plan", description: "think", timestamp: expect.any(String) }],
      tokens: { input: 10, output: 0, cached: 0, thoughts: 0, tool: 0, total: 0 },
      model: "m"
    })
    expect(withCalls.toolCalls).toMatchObject([
      { name: "ls", args: { a: 1 }, status: "error", resultDisplay: "no", result: results.content, displayName: "ls" }
    ])
    expect(last).toMatchObject({ content: "Done.", thoughts: [] })
    expect(records.at(-1)).toEqual({ $set: { lastUpdated: expect.any(String) } })
  })
)

const scripts: Readonly<Record<string, { readonly script: Script; readonly prompts: ReadonlyArray<string> }>> = {
  "tools and several prompts": {
    script: {
      ...twoTurns,
      stream: (_, index) => [index % 2 === 0 ? callChunk("ls", { index }) : chunk(`answer ${index}`, "STOP")]
    },
    prompts: ["a", "b", "c"]
  },
  "a failure before the answer": {
    script: { context: CONTEXT, stream: inTurn([[chunk("one", "STOP")], [broken("open")], [chunk("three", "STOP")]]) },
    prompts: ["a", "b", "c"]
  },
  "a failure after tools": {
    script: { ...twoTurns, stream: inTurn([[callChunk("ls")], [broken("open")], [chunk("later", "STOP")]]) },
    prompts: ["a", "b"]
  },
  "a compressed history": {
    script: {
      context: CONTEXT,
      stream: (_, index) => [partsChunk([{ text: `answer ${index} ${LONG}` }], "STOP", index === 2 ? 600_000 : 10)],
      generate: () => Effect.succeed(chunk("<state_snapshot>all of it</state_snapshot>")),
      countTokens: Effect.succeed(20)
    },
    prompts: ["a", "b", "c", "d", "e"]
  },
  "text with a signature": {
    script: { stream: inTurn([[partsChunk([{ text: "x", thoughtSignature: "sig" }], "STOP")], [chunk("y", "STOP")]]) },
    prompts: ["a", "b"]
  }
}

for (const [name, { prompts, script }] of Object.entries(scripts)) {
  it.effect(`what was recorded is what the chat remembers: ${name}`, () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder()
      const { history } = yield* converse(tempDir, script, prompts)
      expect(textIn(tempDir).includes('"$set":{"messages"')).toBe(name === "a compressed history")
      expect<unknown>((yield* resumed(tempDir)).history).toEqual(withoutContext(history))
    })
  )
}

it.effect("a run that somebody ended says so; its question stays, with what had come of the answer", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const { layer } = chatRoom(
      { context: CONTEXT, stream: () => [chunk("Once upon "), "never"] },
      {},
      noLimits,
      recorderIn(tempDir)
    )
    const fiber = yield* send("wait", []).pipe(Effect.provide(layer), Effect.fork)
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
    const records = recordsIn(tempDir)
    expect(records).toContainEqual(expect.objectContaining({ type: "info", content: "Request cancelled." }))
    expect<unknown>((yield* resumed(tempDir)).history).toEqual([
      { role: "user", parts: [{ text: "wait" }] },
      { role: "model", parts: [{ text: "Once upon " }, { text: "[My answer was interrupted here.]" }] }
    ])
  })
)

it.effect("a call that was cut off is answered when the conversation goes on, and that is recorded too", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const script: Script = { stream: inTurn([[callChunk("ls")], [chunk("after", "STOP")]]), tool: () => Effect.never }
    const { layer } = chatRoom(script, {}, noLimits, recorderIn(tempDir))
    const history = yield* Effect.gen(function* () {
      const chat = yield* Chat
      const fiber = yield* Effect.fork(send("go", []))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* send("next", [])
      return yield* chat.history
    }).pipe(Effect.provide(layer))
    expect(history.length).toBe(6)
    expect<unknown>((yield* resumed(tempDir)).history).toEqual(withoutContext(history))
  })
)

it.effect("a resumed session goes on in its file, and nothing in it is rewritten", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    yield* converse(tempDir, twoTurns, ["one"])
    const before = textIn(tempDir)
    const { history, start } = yield* resumed(tempDir)
    const options = {
      tempDir: Effect.succeed(tempDir),
      projectHash: () => "hash",
      secrets: Effect.succeed([]),
      warn: () => Effect.void
    }
    const recorder = sessionRecorder(start, options)
    const { layer, requests } = chatRoom({ stream: inTurn([[chunk("two", "STOP")]]) }, {}, noLimits, recorder)
    yield* Effect.flatMap(Chat, (chat) =>
      Effect.zipRight(
        chat.replaceHistory(history),
        Flow.runDrain(chat.send({ text: "more", parts: [{ text: "more" }] }))
      )
    ).pipe(Effect.provide(layer))
    expect(filesIn(tempDir)).toHaveLength(1)
    expect(textIn(tempDir)).toStartWith(before)
    expect(requests[0]?.contents.length).toBe(5)
    expect((yield* resumed(tempDir)).history.length).toBe(history.length + 2)
  })
)

it.effect("after a torn line new records stand on lines of their own", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    yield* converse(tempDir, twoTurns, ["one"])
    const [file = ""] = filesIn(tempDir)
    appendFileSync(file, '{"id":"torn","type":"us')
    const { start, warnings } = yield* resumed(tempDir)
    expect(warnings).toEqual([expect.stringContaining("was cut off while it was written")])
    yield* Effect.gen(function* () {
      const recorder = yield* SessionRecorder.SessionRecorder
      yield* recorder.append({ $set: { summary: "title" } })
    }).pipe(
      Effect.provide(
        sessionRecorder(start, {
          tempDir: Effect.succeed(tempDir),
          projectHash: () => "h",
          secrets: Effect.succeed([]),
          warn: () => Effect.void
        })
      )
    )
    expect(textIn(tempDir)).toContain('{"id":"torn","type":"us\n{"$set":{"summary":"title"}}\n')
  })
)

it.effect("credentials are recorded by name, also inside of JSON", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const secret = 'a"b\\c\nline two'
    const recorder = recorderIn(tempDir, [], [{ name: "PEM", value: secret }])
    const { layer } = chatRoom({ stream: inTurn([[chunk(`you said ${secret}`, "STOP")]]) }, {}, noLimits, recorder)
    yield* send(`here: ${JSON.stringify({ secret })} and ${secret}`, []).pipe(Effect.provide(layer))
    expect(textIn(tempDir)).not.toContain("line two")
    expect(textIn(tempDir).match(/\[REDACTED:PEM\]/g)?.length).toBeGreaterThanOrEqual(3)
  })
)

it.effect("a place that cannot be written ends the recording with one warning, and nothing else", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ file: "" })
    const warnings: Array<string> = []
    const { history } = yield* converse(join(root, "file"), twoTurns, ["a", "b"], warnings)
    expect(history.map(({ role }) => role)).toEqual(["user", "model", "user", "model"])
    expect(warnings).toEqual([expect.stringContaining("this session is not recorded from here on")])
  })
)

const SPOILINGS: ReadonlyArray<readonly [string, (file: string) => void]> = [
  ["removed with its folder", (file: string) => rmSync(dirname(file), { recursive: true })],
  ["removed", (file: string) => rmSync(file)],
  ["emptied", (file: string) => writeFileSync(file, "")],
  ["overwritten with more", (file: string) => writeFileSync(file, '{"evil":1}\n'.repeat(10_000))],
  ["overwritten with as much", (file: string) => writeFileSync(file, "x".repeat(statSync(file).size))],
  ["moved away", (file: string) => renameSync(file, `${file}.bak`)],
  [
    "replaced by another session of its id",
    (file: string) => {
      const other = {
        ...JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? ""),
        lastUpdated: "2999-01-01T00:00:00Z"
      }
      writeFileSync(`${file}.new`, `${JSON.stringify(other)}\n`)
      renameSync(`${file}.new`, file)
    }
  ]
]

for (const [how, spoil] of SPOILINGS) {
  it.effect(`a file that was ${how} is made anew, with all that was said`, () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder()
      const warnings: Array<string> = []
      const script: Script = { stream: (_, index) => [chunk(`answer ${index}`, "STOP")] }
      const { layer } = chatRoom(script, {}, noLimits, recorderIn(tempDir, warnings))
      yield* Effect.gen(function* () {
        yield* send("one", [])
        spoil(recordIn(tempDir))
        yield* send("two", [])
        yield* send("three", [])
      }).pipe(Effect.provide(layer))
      const said = (yield* resumed(tempDir)).history.flatMap(({ parts }) => parts.map(({ text }) => text))
      expect(said).toEqual(["context", "one", "answer 0", "two", "answer 1", "three", "answer 2"])
      expect(warnings).toEqual([expect.stringMatching(/somebody (?:changed|removed) the record of this session/)])
    })
  )
}

it.effect("a line that somebody adds costs nothing", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const { layer } = chatRoom({ stream: () => [chunk("yes", "STOP")] }, {}, noLimits, recorderIn(tempDir))
    yield* Effect.gen(function* () {
      yield* send("one", [])
      appendFileSync(recordIn(tempDir), '{"$set":{"summary":"a title"}}\n')
      yield* send("two", [])
    }).pipe(Effect.provide(layer))
    expect(readdirSync(join(tempDir, "chats"))).toHaveLength(1)
    expect((yield* resumed(tempDir)).history).toHaveLength(4)
  })
)

it.effect("two sessions of the same minute and the same first letters have files of their own", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    for (const sessionId of [ID, `${ID.slice(0, 8)}-other`]) {
      const options = {
        tempDir: Effect.succeed(tempDir),
        projectHash: () => "h",
        secrets: Effect.succeed([]),
        warn: () => Effect.void
      }
      const { layer } = chatRoom(
        { stream: () => [chunk("x", "STOP")] },
        {},
        noLimits,
        sessionRecorder({ sessionId, kind: "main" }, options)
      )
      yield* send("hi", []).pipe(Effect.provide(layer))
    }
    expect(filesIn(tempDir)).toHaveLength(2)
  })
)

it.effect("nothing is written before the first request, and never for a recorder that has nothing to record", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const events: Array<ProtocolEvent> = []
    yield* Effect.gen(function* () {
      const recorder = yield* SessionRecorder.SessionRecorder
      yield* recorder.onEvent({ _tag: "UserMessage", promptId: "p" as never, text: "x" })
      yield* recorder.onHistory({ _tag: "Added", content: { role: "user", parts: [{ text: "x" }] } })
      expect(readdirSync(tempDir)).toEqual([])
      expect(yield* recorder.file).toBeUndefined()
    }).pipe(Effect.provide(recorderIn(tempDir)))
    // It was told to stop before the request went out: what it knew is kept.
    expect(readdirSync(tempDir)).toEqual(["chats"])
    expect(events).toEqual([])
    yield* Effect.void.pipe(Effect.provide(Layer.fresh(recorderIn(join(tempDir, "never")))))
    expect(readdirSync(tempDir)).toEqual(["chats"])
  })
)

it.effect("work beside the recording ends with it", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const options = {
      tempDir: Effect.succeed(tempDir),
      projectHash: () => "h",
      secrets: Effect.succeed([]),
      warn: () => Effect.void,
      onOpened: () => Effect.never
    }
    const recorder = sessionRecorder({ sessionId: ID, kind: "main" }, options)
    const { layer } = chatRoom({ stream: () => [chunk("x", "STOP")] }, {}, noLimits, recorder)
    yield* send("hi", []).pipe(Effect.provide(layer))
    expect(filesIn(tempDir)).toHaveLength(1)
  })
)
