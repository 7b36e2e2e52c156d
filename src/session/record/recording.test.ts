import { expect } from "bun:test"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { NO_USAGE } from "../../protocol/usage.ts"
import { makeRecording, type TimedEntry } from "./recording.ts"
import type { SessionStart } from "./session-recorder.ts"

const START: SessionStart = { sessionId: "aaaaaaaa-1", kind: "main" }
const NOON = Date.parse("2026-03-01T12:00:00.000Z")

const said = (text: string, at: number): TimedEntry => ({
  _tag: "History",
  change: { _tag: "Added", content: { role: "user", parts: [{ text }] } },
  at
})

const recordingRoom = Effect.fnUntraced(function* (tempDir: Effect.Effect<string, { readonly message: string }>) {
  const warnings: Array<string> = []
  const options = {
    tempDir,
    projectHash: () => "hash",
    secrets: Effect.succeed([]),
    warn: (line: string) => Effect.sync(() => void warnings.push(line))
  }
  return { warnings, begin: (start: SessionStart) => makeRecording(start, options) }
})

const recordsIn = (file: string | undefined): ReadonlyArray<Record<string, unknown>> =>
  readFileSync(file ?? "", "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

it.live("the time of the last change does not go back when the clock does", () =>
  Effect.gen(function* () {
    const { begin } = yield* recordingRoom(Effect.succeed(yield* tempFolder()))
    const recording = yield* begin(START)
    yield* recording.write([said("one", NOON)])
    yield* recording.write([said("two", NOON - 3_600_000)])
    yield* recording.write([said("three", NOON + 1)])
    const changes = recordsIn(recording.file()).flatMap(({ $set }) => ($set === undefined ? [] : [$set]))
    const [noon, later] = ["2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.001Z"]
    expect(changes).toEqual([{ lastUpdated: noon }, { lastUpdated: noon }, { lastUpdated: later }])
    yield* recording.close
  })
)

it.live("two sessions of one minute whose ids begin alike have a file each", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const { begin, warnings } = yield* recordingRoom(Effect.succeed(tempDir))
    for (const sessionId of ["aaaaaaaa-1", "aaaaaaaa-2"]) {
      const recording = yield* begin({ sessionId, kind: "main" })
      yield* recording.write([said(sessionId, NOON)])
      yield* recording.close
    }
    const folder = join(tempDir, "chats")
    const ids = readdirSync(folder).map((name) => recordsIn(join(folder, name))[0]?.sessionId)
    expect(ids.toSorted()).toEqual(["aaaaaaaa-1", "aaaaaaaa-2"])
    expect(warnings).toEqual([])
  })
)

it.live("a file that somebody removed is begun anew, and is a session again; nothing is left of the old one", () =>
  Effect.gen(function* () {
    const tempDir = yield* tempFolder()
    const { begin } = yield* recordingRoom(Effect.succeed(tempDir))
    const recording = yield* begin(START)
    yield* recording.write([said("one", NOON)])
    rmSync(recording.file() ?? "")
    yield* recording.write([said("two", NOON + 60_000)])
    const file = recording.file() ?? ""
    expect(recordsIn(file)[0]).toMatchObject({ sessionId: START.sessionId, projectHash: "hash" })
    const present = readdirSync(join(tempDir, "chats"))
    expect(present.toSorted()).toEqual([basename(file), `${basename(file)}.lock`])
    yield* recording.close
  })
)

it.live("a place that cannot be written costs the recording, and one line", () =>
  Effect.gen(function* () {
    const { begin, warnings } = yield* recordingRoom(Effect.succeed("/dev/null/nowhere"))
    const recording = yield* begin(START)
    yield* recording.write([said("one", NOON)])
    yield* recording.write([said("two", NOON)])
    yield* recording.close
    expect(recording.file()).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining("is not recorded from here on")])
  })
)

it.live("what an answer took that nobody got is not told of the next one", () =>
  Effect.gen(function* () {
    const { begin } = yield* recordingRoom(Effect.succeed(yield* tempFolder()))
    const recording = yield* begin(START)
    const usage = { ...NO_USAGE, promptTokenCount: 7 }
    yield* recording.write([
      { _tag: "Event", event: { _tag: "RequestFinished", model: "m", role: "main", durationMs: 1, usage }, at: NOON },
      { _tag: "End", end: { _tag: "Failed", message: "a hook stopped it" }, at: NOON },
      { _tag: "History", change: { _tag: "Added", content: { role: "model", parts: [{ text: "hi" }] } }, at: NOON }
    ])
    const answers = recordsIn(recording.file()).filter(({ type }) => type === "gemini")
    expect(answers).toMatchObject([{ content: "hi", tokens: null }])
    yield* recording.close
  })
)
