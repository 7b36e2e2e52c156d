/**
 * The third group of the bench: what sessions cost. Recording is measured in process, where nothing else grows with the
 * conversation; resuming and listing through the binary.
 */
import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Content } from "../../src/protocol/content.ts"
import { makeRecording, type TimedEntry } from "../../src/session/record/recording.ts"
import { sessionText } from "../../test/kit/session-files.ts"
import { EARLY_RECORD, LATE_RECORD, LIST, RESUME, RESUME_EDITS, SESSION_SIZE } from "./bench-rows.ts"
import { type Measured, measureAll, timed } from "./measure.ts"

export interface SessionBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

const ROUNDS = { timed: 7, weighed: 3 }

export const measureSessions = async ({ binary, env, onPart, scratch }: SessionBench): Promise<Measured> => {
  const [big, edits, many] = [join(scratch, "big"), join(scratch, "edits"), join(scratch, "many")]
  onPart("10,000 recorded turns")
  const recording = await measureRecording(join(scratch, "recording"))
  onPart("two sessions of 100 MB and 2,000 small ones")
  const size = writeBigSession(chatsOf(env, big, "big"))
  writeEdits(chatsOf(env, edits, "edits"))
  writeManySessions(chatsOf(env, many, "many"))
  const programs = await measureAll(
    [
      { name: RESUME, command: [binary, "-r", BIG, "-p", "hi", "-m", "scripted"], env, cwd: big },
      { name: RESUME_EDITS, command: [binary, "-r", BIG, "-p", "hi", "-m", "scripted"], env, cwd: edits },
      { name: LIST, command: [binary, "--list-sessions"], env, cwd: many }
    ],
    ROUNDS
  )
  return new Map([...recording, ...programs, [SESSION_SIZE, { ms: undefined, peakMiB: size / 1024 / 1024 }]])
}

const TURNS = 10_000
const WINDOW = 201

/** The disk belongs to others as well, who make single turns wait: a quarter of the turns were faster than this. */
export const quickOf = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)] ?? 0

const measureRecording = (tempDir: string): Promise<Measured> =>
  Effect.scoped(
    Effect.gen(function* () {
      const recording = yield* makeRecording(
        { sessionId: "bench", kind: "main" },
        {
          tempDir: Effect.succeed(tempDir),
          projectHash: () => "bench",
          secrets: Effect.succeed([{ name: "KEY", value: "a-key-that-is-nowhere" }]),
          warn: (line) => Effect.dieMessage(line)
        }
      )
      const times: Array<number> = []
      for (let turn = 0; turn < TURNS; turn++) {
        const [answer, results] = turnOf(turn)
        const start = Bun.nanoseconds()
        yield* recording.write([answer])
        yield* recording.write([results])
        times.push((Bun.nanoseconds() - start) / 1e6)
      }
      yield* recording.close
      return new Map([
        [EARLY_RECORD, timed(quickOf(times.slice(0, WINDOW)))],
        [LATE_RECORD, timed(quickOf(times.slice(-WINDOW)))]
      ])
    })
  ).pipe(Effect.runPromise)

const added = (content: Content): TimedEntry => ({ _tag: "History", change: { _tag: "Added", content }, at: 0 })

/** An answer with a call, and its result of 4 KB. */
const turnOf = (turn: number): readonly [answer: TimedEntry, results: TimedEntry] => {
  const id = `call-${turn}`
  return [
    added({ role: "model", parts: [{ text: `turn ${turn}` }, { functionCall: { id, name: "read_file", args: {} } }] }),
    added({
      role: "user",
      parts: [{ functionResponse: { id, name: "read_file", response: { output: "x".repeat(4096) } } }]
    })
  ]
}

export const BIG = "bench-big-session"
export const BIG_BYTES = 100 * 1024 * 1024
/** About what fits into half of a context window; then the history is compressed. */
const BETWEEN_SNAPSHOTS = 1024 * 1024

/** As long runs leave them: many turns, and now and then a snapshot from which the conversation goes on. */
export const writeBigSession = (folder: string, bytes = BIG_BYTES): number => {
  const file = join(folder, "session-2026-03-01T08-00-bench-bi.jsonl")
  const time = "2026-03-01T08:00:00.000Z"
  writeFileSync(file, sessionText({ id: BIG, startTime: time }))
  const message = (id: string, type: string, content: unknown) => ({ id, timestamp: time, type, content })
  for (let part = 0; statSync(file).size < bytes; part++) {
    const snapshot = [
      message(`s-${part}`, "user", [{ text: "snapshot ".repeat(500) }]),
      message(`a-${part}`, "gemini", "Go on.")
    ]
    const lines = [JSON.stringify({ $set: { messages: snapshot } })]
    for (let turn = 0, size = 0; size < BETWEEN_SNAPSHOTS; turn++) {
      const id = `call-${part}-${turn}`
      const answer = message(`g-${part}-${turn}`, "gemini", [{ functionCall: { id, name: "read_file", args: {} } }])
      const response = { functionResponse: { id, name: "read_file", response: { output: "line\n".repeat(800) } } }
      const added = [
        answer,
        { ...answer, toolCalls: [{ id, name: "read_file", args: {}, status: "success", result: [response] }] },
        message(`u-${part}-${turn}`, "user", [response]),
        { $set: { lastUpdated: time } }
      ].map((record) => JSON.stringify(record))
      size += added.join("").length
      lines.push(...added)
    }
    appendFileSync(file, `${[...lines, JSON.stringify(message(`e-${part}`, "gemini", "Done."))].join("\n")}\n`)
  }
  return statSync(file).size
}

/** What a person sees of a change is most of such a session, and none of it goes to the model: nothing had to be compressed. */
const EDIT_BYTES = 50 * 1024

const writeEdits = (folder: string): void => {
  const file = join(folder, "session-2026-03-01T08-00-bench-bi.jsonl")
  const timestamp = "2026-03-01T08:00:00.000Z"
  writeFileSync(file, sessionText({ id: BIG, startTime: timestamp }))
  const content = "const line = 1\n".repeat(EDIT_BYTES / 15)
  for (let turn = 0; statSync(file).size < BIG_BYTES; turn++) {
    const id = `call-${turn}`
    const call = { id, name: "write_file", args: { file_path: "a.ts" } }
    const result = [{ functionResponse: { id, name: "write_file", response: { output: "written" } } }]
    const answer = { id: `g-${turn}`, timestamp, type: "gemini", content: [{ functionCall: call }] }
    const display = { fileName: "a.ts", filePath: "/a.ts", originalContent: content, newContent: `${content}${turn}\n` }
    const records = [
      answer,
      { ...answer, toolCalls: [{ ...call, status: "success", result, resultDisplay: display }] },
      { id: `u-${turn}`, timestamp, type: "user", content: result },
      { $set: { lastUpdated: timestamp } }
    ]
    appendFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""))
  }
  appendFileSync(file, `${JSON.stringify({ id: "end", timestamp, type: "gemini", content: "Done." })}\n`)
}

const writeManySessions = (folder: string): void => {
  for (let index = 0; index < 2000; index++) {
    const id = `${String(index).padStart(8, "0")}-session`
    const minute = String(index % 60).padStart(2, "0")
    const startTime = `2026-03-${String(1 + (index % 28)).padStart(2, "0")}T08:${minute}:00.000Z`
    const answer = "word ".repeat(4000)
    writeFileSync(join(folder, `session-${index}-${id.slice(0, 8)}.jsonl`), sessionText({ id, startTime, answer }))
  }
}

/** The folder of a project that is known already. */
export const chatsOf = (env: Readonly<Record<string, string>>, cwd: string, slug: string): string => {
  mkdirSync(cwd, { recursive: true })
  for (const kind of ["tmp", "history"]) {
    const folder = join(env.HOME ?? "", ".gemini", kind, slug)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, ".project_root"), cwd)
  }
  const chats = join(env.HOME ?? "", ".gemini/tmp", slug, "chats")
  mkdirSync(chats, { recursive: true })
  return chats
}
