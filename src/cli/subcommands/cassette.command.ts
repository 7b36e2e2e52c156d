/** `gemini cassette`: looks into recordings of model calls, finds what should not stand there, and takes out what is old. */
import { resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { oneLine } from "../../kernel/one-line.ts"
import { cassetteFaults, pruned } from "../../model/cassette/cassette-check.ts"
import { type Cassette, type CassetteRecording, readCassette } from "../../model/cassette/cassette-file.ts"
import { requestText } from "../../model/cassette/cassette-miss.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { environmentSecrets } from "../../system/known-secrets.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { print, printJson, printResult } from "./command-output.ts"
import { json, text } from "./common-options.ts"

const file = Args.text({ name: "file" })

const show = Command.make(
  "show",
  {
    file,
    json,
    entry: text("entry", "N", "The whole of one entry, counted from 1.")
  },
  (options) =>
    Effect.gen(function* () {
      const cassette = yield* opened(options.file)
      const number = Option.getOrUndefined(options.entry)
      if (number === undefined) {
        const rows = cassette.recordings.map(summaryOf)
        return yield* printResult(options, rows.map(rowText).join("\n"), { ...cassette.head, entries: rows })
      }
      const recording = cassette.recordings[Number(number) - 1]
      if (recording === undefined) {
        const count = cassette.recordings.length
        return yield* usageError(`There is no entry ${number}`, `${options.file} has ${count === 1 ? "one" : count}.`)
      }
      if (options.json) return yield* printJson(wholeOf(recording))
      yield* print(`${requestText(recording.request)}=== answer\n${JSON.stringify(recording.response, null, 2)}\n`)
    })
).pipe(Command.withDescription("The recorded calls, or one of them."))

const verify = Command.make("verify", { files: Args.repeated(file), json }, (options) =>
  Effect.gen(function* () {
    const { cwd, env } = yield* CliContext
    if (options.files.length === 0) return yield* usageError("Which cassette?", "gemini cassette verify FILE...")
    const variables = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])))
    const known = environmentSecrets(variables)
    const found = options.files.flatMap((name) =>
      cassetteFaults(resolve(cwd, name), known).map((fault) => ({ file: name, ...fault }))
    )
    const lines = found.map(({ file, line, message }) =>
      line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`
    )
    yield* printResult(
      options,
      found.length === 0 ? "It is whole, and holds nothing that looks like a key." : lines.join("\n"),
      {
        ok: found.length === 0,
        faults: found
      }
    )
    if (found.length > 0) yield* exitWith(ExitCode.general)
  })
).pipe(Command.withDescription("Whether it is whole, and holds nothing that looks like a key (exit 1)."))

const prune = Command.make(
  "prune",
  {
    file,
    json,
    lastOnly: Options.boolean("last-only").pipe(Options.withDescription("Keep only what the last run recorded.")),
    dryRun: Options.boolean("dry-run").pipe(Options.withDescription("Only say what would be taken out."))
  },
  (options) =>
    Effect.gen(function* () {
      const { cwd } = yield* CliContext
      const cassette = yield* opened(options.file)
      const { all, kept, text } = pruned(cassette, options)
      const removed = all - kept
      const isChanged = removed > 0 || cassette.cutOff > 0
      if (isChanged && !options.dryRun) {
        yield* Effect.mapError(
          writeFileAtomic({ file: resolve(cwd, options.file), content: text, mode: 0o600 }),
          ({ message }) => usageError(message)
        )
      }
      const tail = cassette.cutOff > 0 ? ", and a line that was cut off" : ""
      const verb = options.dryRun ? "would be taken out" : "were taken out"
      yield* printResult(options, `${removed} of ${all} entries ${verb}${tail}.`, { all, removed, kept })
    })
).pipe(Command.withDescription("Take out entries that a later recording replaced."))

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("cassette", {}, () =>
    usageError("What about it?", "gemini cassette show|verify|prune FILE")
  ).pipe(
    Command.withDescription("Recordings of model calls, made by --record."),
    Command.withSubcommands([show, verify, prune])
  ),
  examples: ["gemini cassette show tests/tape.jsonl", "gemini cassette verify tests/*.jsonl"]
})

const opened = Effect.fnUntraced(function* (name: string) {
  const { cwd } = yield* CliContext
  return yield* Effect.mapError(
    readCassette(resolve(cwd, name)),
    ({ message }) => new UsageError({ message, hint: "gemini cassette verify says more.", exitCode: ExitCode.input })
  )
})

const LINE_LENGTH = 60

const summaryOf = (recording: CassetteRecording, index: number) => {
  const { error, gaps, request, response, sha256 } = recording
  return {
    entry: index + 1,
    recording: recording.recording,
    call: request.head.call,
    model: request.head.model,
    messages: request.contents.length,
    last: oneLine(lastText(request.contents), LINE_LENGTH),
    chunks: response.length,
    milliseconds: gaps.reduce((sum, gap) => sum + gap, 0),
    sha256,
    ...(error === undefined ? {} : { error: error.detail })
  }
}

const rowText = ({ call, chunks, entry, error, last, messages, milliseconds, model }: ReturnType<typeof summaryOf>) =>
  [
    String(entry).padStart(4),
    call.padEnd(8),
    model,
    `${messages} ${messages === 1 ? "message" : "messages"}`,
    `${chunks} ${chunks === 1 ? "chunk" : "chunks"} in ${milliseconds} ms`,
    error === undefined ? last : `failed: ${oneLine(error, LINE_LENGTH)}`
  ].join("  ")

/** What was said or found last. */
const lastText = (contents: Cassette["recordings"][number]["request"]["contents"]): string => {
  const message: unknown = JSON.parse(contents.at(-1) ?? "{}")
  const texts: Array<string> = []
  JSON.stringify(message, (key, value: unknown) => {
    if ((key === "text" || key === "output") && typeof value === "string") texts.push(value)
    return value
  })
  return texts.findLast((text) => text !== "") ?? ""
}

const wholeOf = ({ request, ...rest }: CassetteRecording) => ({
  ...rest,
  request: { ...request.head, contents: request.contents.map((line): unknown => JSON.parse(line)) }
})
