import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { makePromptHistory } from "./prompt-history.ts"
import { makeShellHistory, parseShellHistory } from "./shell-history.ts"

const clean = Effect.succeed((text: string) => text.replaceAll("canary-123456", "[REDACTED:KEY]"))

const folder = tempFolder()

const entry = (sessionId: string, messageId: number, message: string) => ({
  sessionId,
  messageId,
  type: "user",
  message,
  timestamp: "2026-01-01T00:00:00.000Z"
})

describe("prompts", () => {
  it.live("are a list that anybody can read, numbered in their session", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "sub", "logs.json")
      const history = yield* makePromptHistory({ file: Effect.succeed(file), sessionId: "s1", clean })
      yield* history.add("one")
      yield* history.add("two\nlines")
      yield* history.add("  ")
      const list = JSON.parse(readFileSync(file, "utf8"))
      expect(list.map(({ timestamp: _, ...rest }: { timestamp: string }) => rest)).toEqual([
        { sessionId: "s1", messageId: 0, type: "user", message: "one" },
        { sessionId: "s1", messageId: 1, type: "user", message: "two\nlines" }
      ])
      expect(Date.parse(list[0].timestamp)).toBeGreaterThan(0)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })
  )

  it.live("of earlier sessions come first, repeats only once", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "logs.json")
      writeFileSync(
        file,
        JSON.stringify([entry("s0", 0, "a"), entry("s0", 1, "a"), entry("s1", 4, "b"), { other: true }], null, 2)
      )
      const history = yield* makePromptHistory({ file: Effect.succeed(file), sessionId: "s1", clean })
      yield* history.add("b")
      yield* history.add("a")
      expect(yield* history.entries).toEqual(["a", "b", "a"])
      const list = JSON.parse(readFileSync(file, "utf8"))
      expect(list).toHaveLength(6)
      expect([list[3], list[4].messageId, list[5].messageId]).toEqual([{ other: true }, 5, 6])
    })
  )

  it.live("go to an empty list as well, and what stands before them is not touched", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "logs.json")
      writeFileSync(file, "[]\n")
      const history = yield* makePromptHistory({ file: Effect.succeed(file), sessionId: "s1", clean })
      yield* history.add("one")
      const before = readFileSync(file, "utf8")
      yield* history.add("two")
      expect(readFileSync(file, "utf8").startsWith(before.slice(0, before.lastIndexOf("]") - 1))).toBe(true)
      expect(JSON.parse(readFileSync(file, "utf8"))).toHaveLength(2)
    })
  )

  for (const [name, content] of [
    ["no JSON", "not json ]"],
    ["cut off", '[{"sessionId": "s0"'],
    ["no list", "{}"]
  ]) {
    it.live(`a broken file (${name}) is put aside, not overwritten`, () =>
      Effect.gen(function* () {
        const place = yield* folder
        writeFileSync(join(place, "logs.json"), content ?? "")
        const history = yield* makePromptHistory({
          file: Effect.succeed(join(place, "logs.json")),
          sessionId: "s1",
          clean
        })
        expect(yield* history.entries).toEqual([])
        yield* history.add("one")
        yield* history.add("two")
        expect(JSON.parse(readFileSync(join(place, "logs.json"), "utf8"))).toHaveLength(2)
        const [aside, ...others] = readdirSync(place).filter((file) => file.endsWith(".bak"))
        expect(others).toEqual([])
        expect(readFileSync(join(place, aside ?? ""), "utf8")).toBe(content ?? "")
      })
    )
  }

  it.live("of two programs at once are all there", () =>
    Effect.gen(function* () {
      const file = Effect.succeed(join(yield* folder, "logs.json"))
      const histories = yield* Effect.all([
        makePromptHistory({ file, sessionId: "a", clean }),
        makePromptHistory({ file, sessionId: "b", clean })
      ])
      yield* Effect.forEach(
        histories.flatMap((history) => Array.from({ length: 10 }, (_, index) => history.add(`${index}`))),
        (adding) => adding,
        { concurrency: "unbounded" }
      )
      expect(JSON.parse(readFileSync(yield* file, "utf8"))).toHaveLength(20)
    })
  )

  it.live("are remembered for the session where nothing can be written", () =>
    Effect.gen(function* () {
      const history = yield* makePromptHistory({ file: Effect.fail("no home"), sessionId: "s1", clean })
      yield* history.add("one")
      expect(yield* history.entries).toEqual(["one"])
    })
  )
})

describe("shell commands", () => {
  it.live("are appended, the last hundred different ones count", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "shell_history")
      writeFileSync(file, Array.from({ length: 120 }, (_, index) => `echo ${index}\n`).join(""))
      const history = yield* makeShellHistory({ file: Effect.succeed(file), clean })
      yield* history.add("echo 50")
      yield* history.add("ls \\\n  -l")
      yield* history.add("for x in 1\ndo echo; done")
      const entries = yield* history.entries
      expect(entries).toHaveLength(100)
      expect(entries.slice(-3)).toEqual(["echo 50", "ls \\\n  -l", "for x in 1\ndo echo; done"])
      expect(readFileSync(file, "utf8").endsWith("echo 119\necho 50\nls \\\n  -l\n")).toBe(true)
    })
  )

  test("an odd backslash joins lines, an even one does not", () => {
    expect(parseShellHistory("a \\\nb\nc\\\\\nd\n\n")).toEqual(["a \\\nb", "c\\\\", "d"])
  })
})

it.live("credentials are kept by name only", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = join(yield* tempFolder(), "logs.json")
      const history = yield* makePromptHistory({ file: Effect.succeed(file), sessionId: "s1", clean })
      yield* history.add("use canary-123456")
      expect(readFileSync(file, "utf8")).toContain('"use [REDACTED:KEY]"')
      const commands = yield* makeShellHistory({ file: Effect.succeed(`${file}.sh`), clean })
      yield* commands.add("echo canary-123456")
      expect(readFileSync(`${file}.sh`, "utf8")).toBe("echo [REDACTED:KEY]\n")
    })
  )
)
