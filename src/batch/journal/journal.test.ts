import { expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { NO_STATS, type ResultLine } from "../result-line.ts"
import { readJournal } from "./journal-reader.ts"
import { type DoneRecord, JOURNAL_VERSION, type PlanRecord } from "./journal-record.ts"
import { journalOf, openStore } from "./result-store.ts"
import { rewriteOutput } from "./rewrite-output.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gemini-journal-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const PLAN: PlanRecord = {
  t: "plan",
  journal: JOURNAL_VERSION,
  tool: "test",
  created: "2026-01-01T00:00:00Z",
  plan: { options: {}, input: { name: "in", fingerprint: "f", items: 4 }, format: "json", items: 4 }
}

const answer = (key: string): ResultLine => ({
  key,
  status: "success",
  response: `answer ${key}`,
  completion_reason: "success",
  stats: NO_STATS,
  model: "m",
  tier: "standard",
  attempt: 1
})

const KEYS = ["a", "ö", "c", "d"]

const written = (output: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* openStore({ output, format: "json", state: undefined })
      yield* store.note(PLAN)
      for (const key of KEYS) yield* store.append(answer(key), "h")
    })
  )

const keysIn = (output: string) =>
  Effect.gen(function* () {
    const done: Array<DoneRecord> = []
    const state = yield* readJournal(journalOf(output), output, (record) => done.push(record))
    return { state, keys: done.map(({ key }) => key) }
  })

it.live("a journal and an output that are cut at any byte give a beginning of what was done, and go on from it", () =>
  Effect.gen(function* () {
    const output = join(yield* folder, "out.jsonl")
    yield* written(output)
    const [out, journal] = [readFileSync(output), readFileSync(journalOf(output))]
    const planEnd = journal.indexOf("\n") + 1
    for (let cut = planEnd; cut <= journal.length; cut += 3) {
      writeFileSync(output, out)
      writeFileSync(journalOf(output), journal)
      truncateSync(journalOf(output), cut)
      // Without a sync that says otherwise the output may have lost its end as well.
      if (!journal.subarray(0, cut).includes('"synced"'))
        truncateSync(output, Math.floor((out.length * cut) / journal.length))
      const { keys, state } = yield* keysIn(output)
      expect(keys).toEqual(KEYS.slice(0, keys.length))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openStore({ output, format: "json", state })
          for (const key of KEYS.slice(keys.length)) yield* store.append(answer(key), "h")
        })
      )
      expect((yield* keysIn(output)).keys).toEqual(KEYS)
      const lines = readFileSync(output, "utf8").trimEnd().split("\n")
      expect(lines.map((line) => (JSON.parse(line) as ResultLine).key)).toEqual(KEYS)
    }
  })
)

it.live("an output that is written anew keeps what it is told to, in that order", () =>
  Effect.gen(function* () {
    const output = join(yield* folder, "out.jsonl")
    yield* written(output)
    const records: Array<DoneRecord> = []
    yield* readJournal(journalOf(output), output, (record) => records.push(record))
    const kept = records.filter(({ key }) => key !== "c").reverse()
    yield* rewriteOutput(output, PLAN, kept)
    expect((yield* keysIn(output)).keys).toEqual(["d", "ö", "a"])
    expect(readFileSync(output, "utf8").match(/answer ./g)).toEqual(["answer d", "answer ö", "answer a"])
  })
)

it.live("a journal of another form is refused, and so is a file that is none", () =>
  Effect.gen(function* () {
    const output = join(yield* folder, "out.jsonl")
    writeFileSync(journalOf(output), `${JSON.stringify({ ...PLAN, journal: 99 })}\n`)
    expect((yield* Effect.flip(keysIn(output))).message).toContain("in form 99")
    writeFileSync(journalOf(output), "hello\n")
    expect((yield* Effect.flip(keysIn(output))).message).toContain("not that of a journal")
  })
)

it.live("answers that were written while the disk was waited for are not taken for synced, and not cut off", () =>
  Effect.gen(function* () {
    const output = join(yield* folder, "out.jsonl")
    yield* written(output)
    const lines = readFileSync(journalOf(output), "utf8").trimEnd().split("\n")
    const done = lines.filter((line) => line.includes('"t":"done"'))
    const [first] = done.map((line) => JSON.parse(line) as DoneRecord)
    const late = [lines[0], ...done, JSON.stringify({ t: "synced", bytes: first?.length })]
    writeFileSync(journalOf(output), `${late.join("\n")}\n`)
    const whole = readFileSync(output)
    const { keys, state } = yield* keysIn(output)
    expect({ keys, bytes: state?.outputBytes }).toEqual({ keys: KEYS, bytes: whole.length })
    truncateSync(output, whole.length - 1)
    expect((yield* keysIn(output)).keys).toEqual(KEYS.slice(0, 3))
  })
)

it.live("a journal that was damaged before its last syncs is refused: nothing behind it is paid for again", () =>
  Effect.gen(function* () {
    const output = join(yield* folder, "out.jsonl")
    yield* Effect.scoped(
      Effect.gen(function* () {
        const store = yield* openStore({ output, format: "json", state: undefined })
        yield* store.note(PLAN)
        for (const key of KEYS) {
          yield* store.append(answer(key), "h")
          yield* store.sync
        }
      })
    )
    const lines = readFileSync(journalOf(output), "utf8").split("\n")
    const damage = (at: number) => {
      writeFileSync(journalOf(output), lines.map((line, index) => (index === at ? "\u0000\u0000" : line)).join("\n"))
      return Effect.either(keysIn(output))
    }
    const early = yield* damage(2)
    expect(early).toMatchObject({ left: { message: expect.stringContaining(`${journalOf(output)}:3 was changed`) } })
    // The end may have been lost with the machine.
    const late = yield* damage(lines.length - 3)
    expect(late).toMatchObject({ right: { keys: KEYS.slice(0, 3) } })
  })
)
