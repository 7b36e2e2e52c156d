import { describe, expect, test } from "bun:test"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, FastCheck as fc } from "effect"
import { readWholeSession } from "./session-reader.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "session-reader-")))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const read = (content: string | Uint8Array) => {
  const file = join(folder, "session-x.jsonl")
  writeFileSync(file, content)
  return Effect.runSync(Effect.either(readWholeSession(file)))
}

const META = { sessionId: "s", projectHash: "h", startTime: "2026-01-01T00:00:00.000Z" }
const user = (id: string, text = id) => ({ id, timestamp: "t", type: "user", content: [{ text }] })
const lines = (...records: ReadonlyArray<unknown>) => records.map((record) => `${JSON.stringify(record)}\n`).join("")
const ids = (content: string) => Either.getOrThrow(read(content)).messages.map(({ id }) => id)
const texts = (content: string) => Either.getOrThrow(read(content)).messages.map(({ content: said }) => said)

describe("records are replayed in order", () => {
  test.each<[string, ReadonlyArray<unknown>, ReadonlyArray<string>]>([
    ["messages", [META, user("a"), user("b")], ["a", "b"]],
    ["rewinding drops a message and all after it", [META, user("a"), user("b"), user("c"), { $rewindTo: "b" }], ["a"]],
    ["rewinding to an unknown message drops all", [META, user("a"), { $rewindTo: "x" }, user("b")], ["b"]],
    ["what was rewound may come back, at the end", [META, user("a"), user("b"), { $rewindTo: "a" }, user("b")], ["b"]],
    [
      "a snapshot takes the place of all",
      [META, user("a"), { $set: { messages: [user("c")] } }, user("d")],
      ["c", "d"]
    ],
    [
      "a snapshot may come after other keys",
      [META, user("a"), { $set: { lastUpdated: "z", messages: [user("c")] } }],
      ["c"]
    ],
    [
      "rewinding reaches into a snapshot",
      [META, { $set: { messages: [user("a"), user("b")] } }, { $rewindTo: "b" }],
      ["a"]
    ],
    ["metadata may bring messages along", [{ ...META, messages: [user("a")] }, user("b")], ["a", "b"]],
    ["unknown records are passed over", [META, { strange: 1 }, [1], "x", user("a")], ["a"]],
    ["metadata may come late", [user("a"), META], ["a"]]
  ])("%s", (_, records, expected) => expect(ids(lines(...records))).toEqual([...expected]))

  test("a message with the same id takes the place of the first", () => {
    const content = lines(META, user("a", "old"), user("b"), user("a", "new"))
    expect(texts(content)).toEqual([[{ text: "new" }], [{ text: "b" }]])
  })

  test("also where the first stands in a snapshot", () => {
    const content = lines(META, { $set: { messages: [user("a", "old"), user("b")] } }, user("a", "new"))
    expect(texts(content)).toEqual([[{ text: "new" }], [{ text: "b" }]])
  })

  test("metadata is merged, field by field", () => {
    const content = lines(META, { $set: { summary: "one", kind: "nonsense" } }, { $set: { lastUpdated: "2026-02" } })
    expect(Either.getOrThrow(read(content)).metadata).toEqual({ ...META, summary: "one", lastUpdated: "2026-02" })
  })
})

describe("files of older versions", () => {
  test("one indented object is a session", () => {
    const { messages } = Either.getOrThrow(read(JSON.stringify({ ...META, messages: [user("a")] }, null, 2)))
    expect(messages.map(({ id }) => id)).toEqual(["a"])
  })

  test.each([
    ["an empty file", ""],
    ["another document", "{}"],
    ["text", "hello\nworld\n"],
    ["bytes", new Uint8Array([0, 255, 254, 10, 0, 1])]
  ])("%s is none", (_, content) => expect(Either.isLeft(read(content))).toBe(true))
})

describe("damage", () => {
  test("is reported by line, and costs that line only", () => {
    const content = `${lines(META, user("a"))}{"id":"b","typ\n${lines({ strange: 1 }, user("c"))}{"id":"d","ty`
    const { messages, problems } = Either.getOrThrow(read(content))
    expect(messages.map(({ id }) => id)).toEqual(["a", "c"])
    expect(problems).toEqual([
      { line: 3, kind: "bad-json" },
      { line: 4, kind: "unknown-record" },
      { line: 6, kind: "torn" }
    ])
  })

  test("the last record may be cut at any byte: all before it is there", () => {
    const before = lines(META, user("a", "erst"), { $set: { lastUpdated: "2026" } })
    const last = Buffer.from(lines({ ...user("b", "größer 😀"), toolCalls: [] }))
    for (let length = 0; length <= last.length; length++) {
      const { messages, problems } = Either.getOrThrow(
        read(Buffer.concat([Buffer.from(before), last.subarray(0, length)]))
      )
      const isWhole = length >= last.length - 1
      expect({ length, ids: messages.map(({ id }) => id) }).toEqual({ length, ids: isWhole ? ["a", "b"] : ["a"] })
      expect(problems.length).toBe(isWhole || length === 0 ? 0 : 1)
    }
  })

  test("an older version of a message counts where the newest is cut off", () => {
    const content = `${lines(META, user("a", "old"))}{"id":"a","timestamp":"t","type":"user","cont\n${lines(user("b"))}`
    expect(texts(content)).toEqual([[{ text: "old" }], [{ text: "b" }]])
  })

  test("keys of prototypes are keys like any other", () => {
    const hostile = `{"$set":{"__proto__":{"sessionId":"evil"},"constructor":1}}\n{"__proto__":{"id":"x"},"id":"__proto__","type":"user","content":"y"}\n`
    const { messages, metadata } = Either.getOrThrow(read(lines(META) + hostile))
    expect(metadata.sessionId).toBe("s")
    expect(messages.map(({ id }) => id)).toEqual(["__proto__"])
    expect(({} as { sessionId?: string }).sessionId).toBeUndefined()
  })

  test("a line that is too long is passed over", () => {
    const long = `{"id":"long","type":"user","content":"${"x".repeat(65 * 1024 * 1024)}"}\n`
    const { messages, problems } = Either.getOrThrow(read(lines(META, user("a")) + long + lines(user("b"))))
    expect(messages.map(({ id }) => id)).toEqual(["a", "b"])
    expect(problems).toEqual([{ line: 3, kind: "too-long" }])
  })
})

test("lines that cross the pieces in which a file is read stay whole", () => {
  const sizes = [1024 * 1024 - 10, 400, 1024 * 1024, 3, 2 * 1024 * 1024 + 7, 900]
  const records = sizes.map((size, index) => user(`m${index}`, "x".repeat(size)))
  expect(Either.getOrThrow(read(lines(META, ...records))).messages).toEqual(records as never)
})

test("two passes come to the same as one simple replay", () => {
  const id = fc.constantFrom("a", "b", "c", "d")
  const message = fc.record({ id, text: fc.string() }).map((one) => user(one.id, one.text))
  const record = fc.oneof(
    { weight: 6, arbitrary: message },
    { weight: 1, arbitrary: id.map(($rewindTo) => ({ $rewindTo })) },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(message, { selector: (one) => one.id }).map((messages) => ({ $set: { messages } }))
    },
    { weight: 1, arbitrary: fc.string().map((summary) => ({ $set: { summary } })) }
  )
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), (records) => {
      let state: Array<ReturnType<typeof user>> = []
      for (const one of records) {
        if ("$rewindTo" in one)
          state = state.slice(
            0,
            Math.max(
              0,
              state.findIndex((found) => found.id === one.$rewindTo)
            )
          )
        else if ("$set" in one) state = "messages" in one.$set ? [...one.$set.messages] : state
        else {
          const at = state.findIndex((found) => found.id === one.id)
          if (at === -1) state.push(one)
          else state[at] = one
        }
      }
      expect(Either.getOrThrow(read(lines(META, ...records))).messages).toEqual(state as never)
    }),
    { numRuns: 150 }
  )
})
