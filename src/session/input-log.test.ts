import { expect } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { inputHistory, logInput } from "./input-log.ts"

const secrets = [{ name: "KEY", value: "canary-123456" }]
const add = (tempDir: string, sessionId: string, message: string) => logInput({ tempDir, sessionId, message, secrets })
const read = (tempDir: string) => JSON.parse(readFileSync(join(tempDir, "logs.json"), "utf8"))

it.live("inputs are counted for each session, and repeated ones shown once", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    for (const [session, text] of [
      ["a", "one"],
      ["b", "two"],
      ["a", "two"],
      ["a", "three canary-123456"],
      ["a", "  "]
    ] as const) {
      yield* add(tempDir, session, text)
    }
    expect(read(tempDir)).toEqual([
      { sessionId: "a", messageId: 0, type: "user", message: "one", timestamp: expect.any(String) },
      { sessionId: "b", messageId: 0, type: "user", message: "two", timestamp: expect.any(String) },
      { sessionId: "a", messageId: 1, type: "user", message: "two", timestamp: expect.any(String) },
      { sessionId: "a", messageId: 2, type: "user", message: "three [REDACTED:KEY]", timestamp: expect.any(String) }
    ])
    expect(inputHistory(tempDir)).toEqual(["one", "two", "three [REDACTED:KEY]"])
  })
)

for (const [content, reason] of [
  ["{", "malformed_json"],
  ['{"a":1}', "invalid_format"]
] as const) {
  it.live(`a file that is ${reason} is set aside`, () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder({ "logs.json": content })
      expect(inputHistory(tempDir)).toEqual([])
      yield* add(tempDir, "a", "one")
      expect(inputHistory(tempDir)).toEqual(["one"])
      const kept = readdirSync(tempDir).find((name) => name.endsWith(".bak")) ?? ""
      expect(kept).toMatch(new RegExp(`^logs\\.json\\.${reason}\\.\\d+\\.bak$`))
      expect(readFileSync(join(tempDir, kept), "utf8")).toBe(content)
    })
  )
}

it.live("entries of another form are passed over, and old ones go when there are too many", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const entry = (index: number) => ({
      sessionId: "s",
      messageId: index,
      type: "user",
      message: `${index}`,
      timestamp: "t"
    })
    writeFileSync(
      join(tempDir, "logs.json"),
      JSON.stringify([{ type: "x" }, ...Array.from({ length: 2000 }, (_, index) => entry(index))])
    )
    yield* add(tempDir, "s", "last")
    const inputs = inputHistory(tempDir)
    expect([inputs.length, inputs[0], inputs.at(-1)]).toEqual([2000, "1", "last"])
  })
)

it.live("several at once lose nothing", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    yield* Effect.forEach(
      Array.from({ length: 12 }, (_, index) => index),
      (index) => add(tempDir, `s${index}`, `text ${index}`),
      { concurrency: 12 }
    )
    expect(inputHistory(tempDir).toSorted()).toEqual(
      Array.from({ length: 12 }, (_, index) => `text ${index}`).toSorted()
    )
  })
)
