import { describe, expect, test } from "bun:test"
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { it } from "../../../test/kit/it.ts"
import { writeSession } from "../../../test/kit/session-files.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { claim } from "../record/session-owner.ts"
import { deleteSession } from "./delete-session.ts"
import { applyRetention, expiredSessions, type RetentionSettings, retentionOf } from "./retention.ts"
import { chooseSession, type Latest, latestOf } from "./session-choice.ts"
import { listSessions, searchSessions } from "./session-list.ts"
import { relativeTime, sessionsText, titleOf } from "./session-text.ts"
import { forSummary, summaryOf, summaryRequest } from "./summary.ts"
import { verifySessions } from "./verify-sessions.ts"

const DAY = 86_400_000
const NOW = Date.parse("2026-03-10T00:00:00.000Z")
const at = (days: number) => new Date(NOW - days * DAY).toISOString()
const idsOf = (tempDir: string) => Effect.map(listSessions(tempDir), (sessions) => sessions.map(({ id }) => id))

describe("titles", () => {
  test.each([
    [undefined, "  many\n\twords \u001b[31m ", "many words [31m"],
    ["A summary", "the question", "A summary"],
    [undefined, "größer 日本 😀", "größer 日本 😀"],
    [undefined, undefined, "(no title)"],
    [undefined, "x".repeat(101), `${"x".repeat(97)}...`],
    [undefined, "y".repeat(100), "y".repeat(100)]
  ])("%p, %p", (summary, question, title) => expect(titleOf(summary, question)).toBe(title))
})

test.each([
  [at(0), "Just now"],
  [at(-5), "Just now"],
  [new Date(NOW - 61_000).toISOString(), "1 minute ago"],
  [new Date(NOW - 2 * 3_600_000).toISOString(), "2 hours ago"],
  [at(3), "3 days ago"],
  ["nonsense", "unknown time"]
])("%p is %p", (time, text) => expect(relativeTime(time, NOW)).toBe(text))

it.effect("the list is numbered from the oldest start, and leaves out what nobody can go on from", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    writeSession(tempDir, { id: "bbbb-2", startTime: at(2), lastUpdated: at(1), question: "second" })
    writeSession(tempDir, { id: "aaaa-1", startTime: at(3), lastUpdated: at(0), question: "first" })
    writeSession(tempDir, { id: "empty", question: "", answer: "" })
    writeSession(tempDir, { id: "command", question: "/help", answer: "" })
    writeSession(tempDir, { id: "agent", metadata: { kind: "subagent" } })
    writeFileSync(join(tempDir, "chats/session-x.jsonl"), "no session")
    writeFileSync(join(tempDir, "chats/notes.txt"), "")
    const sessions = yield* listSessions(tempDir)
    expect(sessions.map(({ id, messageCount, title }) => [id, title, messageCount])).toEqual([
      ["aaaa-1", "first", 2],
      ["bbbb-2", "second", 2]
    ])
    expect(sessionsText(sessions, { now: NOW, current: "aaaa-1" })).toBe(
      "\nAvailable sessions for this project (2):\n  1. first (Just now, current) [aaaa-1]\n  2. second (1 day ago) [bbbb-2]\n"
    )
    expect(sessionsText([], { now: NOW })).toBe("No previous sessions found for this project.\n")
  })
)

it.effect("of two files of one session the one that was changed last counts", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    writeSession(tempDir, { id: "same", lastUpdated: at(1), question: "new", name: "session-1-same.jsonl" })
    writeSession(tempDir, { id: "same", lastUpdated: at(2), question: "old", name: "session-2-same.jsonl" })
    expect((yield* listSessions(tempDir)).map(({ title }) => title)).toEqual(["new"])
  })
)

it.effect("a title stays when the beginning gives way to a summary, and goes with what is taken back", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const user = (id: string, text: string) => ({ id, type: "user", content: [{ text }] })
    const append = (file: string, ...records: ReadonlyArray<object>) =>
      appendFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""))
    const summary = user("s", "The earlier part was replaced.\n\n<state_snapshot>all</state_snapshot>")
    const compressed = writeSession(tempDir, { id: "compressed", question: "how it began" })
    append(compressed, user("u2", "then this"), { $set: { messages: [summary, user("u2", "then this")] } })
    append(compressed, user("u3", "and that"), { $set: { messages: [summary, user("u3", "and that")] } })
    const loaded = writeSession(tempDir, { id: "loaded", question: "how it began" })
    append(loaded, { $set: { messages: [user("k", "what was kept")] } })
    const titles = (yield* listSessions(tempDir)).map(({ id, title }) => [id, title])
    expect(Object.fromEntries(titles)).toEqual({ compressed: "how it began", loaded: "what was kept" })
  })
)

it.effect("the latest may be a conversation only", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    writeSession(tempDir, { id: "script", lastUpdated: at(0), metadata: { oneShot: true } })
    const latest = (kind: Latest) => Effect.map(listSessions(tempDir), (all) => latestOf(all, kind)?.id)
    expect([yield* latest("any"), yield* latest("conversation-first"), yield* latest("conversation")]).toEqual([
      "script",
      "script",
      undefined
    ])
    writeSession(tempDir, { id: "talk", lastUpdated: at(1) })
    expect([yield* latest("any"), yield* latest("conversation-first"), yield* latest("conversation")]).toEqual([
      "script",
      "talk",
      "talk"
    ])
  })
)

describe("choosing", () => {
  const choose = (wanted: string) =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder()
      writeSession(tempDir, { id: "abcd-1", startTime: at(5), lastUpdated: at(0) })
      writeSession(tempDir, { id: "abcd-2", startTime: at(4), lastUpdated: at(1) })
      writeSession(tempDir, { id: "2", startTime: at(3), lastUpdated: at(2) })
      return yield* Effect.either(chooseSession(tempDir, wanted))
    })
  for (const [wanted, found] of [
    ["latest", "abcd-1"],
    ["last", "abcd-1"],
    ["1", "abcd-1"],
    ["2", "2"],
    ["3", "2"],
    ["abcd-2", "abcd-2"]
  ] as const) {
    it.effect(`${wanted} is ${found}`, () =>
      Effect.map(choose(wanted), (chosen) => expect(Either.getOrThrow(chosen).id).toBe(found))
    )
  }
  for (const [wanted, reason] of [
    ["4", "there is no session"],
    ["0", "there is no session"],
    ["abc", "there is no session"],
    ["abcd", "more than one session begins with"],
    ["../abcd-1", "there is no session"]
  ] as const) {
    it.effect(`${wanted}: ${reason}`, () =>
      Effect.map(choose(wanted), (chosen) =>
        expect(Either.flip(chosen).pipe(Either.getOrThrow).message).toContain(reason)
      )
    )
  }
})

describe("deleting", () => {
  it.effect("takes everything that was kept for the session, and nothing of others", () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder({
        "logs/session-aaaaaaaa-1.jsonl": "",
        "tool-outputs/session-aaaaaaaa-1/x.txt": "",
        "tool-outputs/session-aaaaaaaa-2/x.txt": "",
        "aaaaaaaa-1/plans/p.md": "",
        "chats/aaaaaaaa-1/sub.jsonl": ""
      })
      writeSession(tempDir, { id: "aaaaaaaa-1", startTime: at(1) })
      // The same first letters: another session.
      writeSession(tempDir, { id: "aaaaaaaa-2", startTime: at(2) })
      const session = yield* chooseSession(tempDir, "aaaaaaaa-1")
      yield* deleteSession(tempDir, session)
      expect(yield* idsOf(tempDir)).toEqual(["aaaaaaaa-2"])
      expect(readdirSync(tempDir).toSorted()).toEqual(["chats", "logs", "tool-outputs"])
      expect(readdirSync(join(tempDir, "chats"))).toHaveLength(1)
      expect(readdirSync(join(tempDir, "tool-outputs"))).toEqual(["session-aaaaaaaa-2"])
      expect(readdirSync(join(tempDir, "logs"))).toEqual([])
    })
  )

  for (const id of ["../../victim", "chats", "logs", "tool-outputs", "..", "."]) {
    it.effect(`an id such as ${id} leads nowhere`, () =>
      Effect.gen(function* () {
        const root = yield* tempFolder({ "victim/file": "x" })
        const tempDir = join(root, "tmp/project")
        mkdirSync(join(tempDir, "logs"), { recursive: true })
        mkdirSync(join(tempDir, "tool-outputs"), { recursive: true })
        writeSession(tempDir, { id: "good" })
        const file = writeSession(tempDir, { id, name: "session-1-x.jsonl" })
        const sessions = yield* listSessions(tempDir)
        const hostile = sessions.find((session) => session.file === file)
        if (hostile === undefined) throw new Error("not listed")
        yield* deleteSession(tempDir, hostile)
        expect(existsSync(join(root, "victim/file"))).toBe(true)
        expect(readdirSync(tempDir).toSorted()).toEqual(["chats", "logs", "tool-outputs"])
        expect(yield* idsOf(tempDir)).toEqual(["good"])
      })
    )
  }

  it.effect("a session that another process writes is left alone", () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder()
      const file = writeSession(tempDir, { id: "busy" })
      writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.ppid }))
      const result = yield* Effect.either(deleteSession(tempDir, yield* chooseSession(tempDir, "busy")))
      expect(Either.flip(result).pipe(Either.getOrThrow)._tag).toBe("SessionBusy")
      expect(existsSync(file)).toBe(true)
    })
  )
})

describe("owners", () => {
  it.effect("the note of a process that is gone counts for nothing", () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder()
      const file = writeSession(tempDir, { id: "s" })
      writeFileSync(`${file}.lock`, JSON.stringify({ pid: 2 ** 22 - 1, started: "1" }))
      expect(claim(file)).toBe(true)
      writeFileSync(`${file}.lock`, "no note")
      expect(claim(file)).toBe(true)
      writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.ppid }))
      expect(claim(file)).toBe(false)
      expect(readdirSync(join(tempDir, "chats")).toSorted()).toEqual([
        "session-2026-03-01T08-00-s.jsonl",
        "session-2026-03-01T08-00-s.jsonl.lock"
      ])
    })
  )
})

describe("retention", () => {
  const settings = (changed: Partial<RetentionSettings>): RetentionSettings => ({
    enabled: true,
    maxAge: "30d",
    maxCount: undefined,
    minRetention: "1d",
    ...changed
  })
  test.each<[Partial<RetentionSettings>, string]>([
    [{ maxAge: "0d" }, "no period"],
    [{ maxAge: "7x" }, "no period"],
    [{ maxAge: "1h" }, "shorter than minRetention"],
    [{ maxCount: 0 }, "at least 1"],
    [{ maxAge: undefined }, "neither"]
  ])("%j is refused", (changed, reason) =>
    expect(Either.flip(retentionOf(settings(changed))).pipe(Either.getOrThrow).message).toContain(reason)
  )
  test.each<[Partial<RetentionSettings>, unknown]>([
    [{}, { maxAge: 30 * DAY, maxCount: undefined }],
    [
      { maxAge: "2w", maxCount: 3 },
      { maxAge: 14 * DAY, maxCount: 3 }
    ],
    [{ maxAge: "1m" }, { maxAge: 30 * DAY, maxCount: undefined }],
    [{ enabled: false, maxAge: "0d" }, undefined]
  ])("%j", (changed, expected) => expect<unknown>(Either.getOrThrow(retentionOf(settings(changed)))).toEqual(expected))

  const prepare = Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    for (const days of [1, 10, 40, 50])
      writeSession(tempDir, { id: `s${days}`, startTime: at(60), lastUpdated: at(days) })
    writeSession(tempDir, { id: "empty-old", startTime: at(1), question: "", answer: "" })
    writeSession(tempDir, { id: "empty-new", startTime: at(0.01), question: "", answer: "" })
    writeFileSync(join(tempDir, "chats/session-broken.jsonl"), "unreadable")
    return tempDir
  })

  it.effect("by age, and what nobody said anything in; what cannot be read stays", () =>
    Effect.gen(function* () {
      const tempDir = yield* prepare
      const place = { tempDir, now: NOW, current: "s50" }
      const plan = yield* expiredSessions({ maxAge: 30 * DAY, maxCount: undefined }, place)
      expect(plan.map(({ reason, session }) => [session.id, reason]).toSorted()).toEqual([
        ["empty-old", "empty"],
        ["s40", "age"]
      ])
      yield* applyRetention({ maxAge: 30 * DAY, maxCount: undefined }, place)
      expect(readdirSync(join(tempDir, "chats"))).toHaveLength(5)
    })
  )

  it.effect("by number, the newest are kept, this one among them", () =>
    Effect.gen(function* () {
      const tempDir = yield* prepare
      const plan = yield* expiredSessions({ maxAge: undefined, maxCount: 2 }, { tempDir, now: NOW, current: "s50" })
      expect(
        plan
          .filter(({ reason }) => reason === "count")
          .map(({ session }) => session.id)
          .toSorted()
      ).toEqual(["s10", "s40"])
    })
  )
})

it.effect("every word has to stand in one message", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    writeSession(tempDir, { id: "a", startTime: at(2), question: "How do I migrate\nthe Database schema?" })
    writeSession(tempDir, { id: "b", startTime: at(1), question: "something", answer: "the database" })
    const found = yield* searchSessions(tempDir, ["database", "MIGRATE"])
    expect(found.map(({ index, lines, session }) => [index, session.id, lines])).toEqual([
      [1, "a", [{ type: "user", text: "the Database schema?" }]]
    ])
    expect((yield* searchSessions(tempDir, ["database"])).map(({ session }) => session.id)).toEqual(["a", "b"])
  })
)

it.effect("a check names what is wrong with each file", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    writeSession(tempDir, { id: "fine" })
    writeSession(tempDir, { id: "other", name: "session-1-wrong.jsonl" })
    writeFileSync(join(tempDir, "chats/session-2-broken.jsonl"), "{")
    const checked = yield* verifySessions(tempDir, { projectHash: "hash" })
    expect(checked.map(({ id, problems }) => [id, problems])).toEqual([
      ["other", ["the name of the file belongs to another session"]],
      [undefined, ["is not a session"]],
      ["fine", []]
    ])
  })
)

describe("summaries", () => {
  test("the request is bounded", () => {
    const messages = Array.from({ length: 100 }, (_, index) => ({
      id: `${index}`,
      type: index % 2 === 0 ? ("user" as const) : ("gemini" as const),
      content: `${index} ${"x".repeat(2000)}`
    }))
    const text = summaryRequest(messages.map(forSummary))?.[0]?.parts[0]?.text ?? ""
    expect(text.length).toBeLessThan(20 * 520 + 200)
    expect(text).toContain("User: 0 ")
    expect(text).toContain("Assistant: 99 ")
    expect(text).not.toContain("User: 50 ")
    expect(summaryRequest([forSummary({ id: "1", type: "user", content: "/help" })])).toBeUndefined()
  })
  test.each([
    ['  "Fix the\nbuild" ', "Fix the build"],
    ["", undefined],
    ["x".repeat(200), "x".repeat(80)]
  ])("%j becomes %j", (answer, title) => expect(summaryOf(answer)).toBe(title))
})
