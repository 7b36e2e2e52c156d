/** `gemini cache`: what `--cache` kept. */
import { join, resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { DateTime, Duration, Effect, Option } from "effect"
import { type CacheRow, removeRows, rowsIn, sealOf } from "../../cache/answer-cache.ts"
import { difference } from "../../cache/file-marks.ts"
import { oneLine } from "../../kernel/one-line.ts"
import { answerAfter } from "../../protocol/answer-text.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { printResult } from "./command-output.ts"
import { json, text } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const dir = text("dir", "DIR", "Where answers are kept (default: GEMINI_CACHE, else ~/.gemini/cache).")

/** The same place as that of a run. */
const rows = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const { cwd, env } = yield* CliContext
  const named = Option.getOrUndefined(given) ?? env.GEMINI_CACHE ?? ""
  const isPlace = named !== "" && !/^(?:true|false|0|1)$/i.test(named)
  const { userDir } = (yield* loadSettings({ tolerant: true })).storage
  const folder = isPlace ? resolve(cwd, named) : join(userDir, "cache")
  return { folder, rows: rowsIn({ folder, seal: sealOf(userDir, env.GEMINI_CACHE_KEY, { makesOne: false }) }) }
})

const summaryOf = ({ answer, bytes, key, modified }: CacheRow) => ({
  key,
  bytes,
  kept: answer?.kept ?? new Date(modified).toISOString(),
  ...(answer === undefined
    ? { damaged: true }
    : { model: answer.model, cwd: answer.cwd, prompt: answer.prompt, files: answer.files.length })
})

const list = Command.make("list", { dir, json }, (options) =>
  Effect.gen(function* () {
    const found = yield* rows(options.dir)
    const lines = found.rows.map((row) => {
      const { answer, key } = row
      const what =
        answer === undefined
          ? "damaged, not kept by you, or of another version"
          : `${answer.model}  ${oneLine(answer.prompt, 60)}`
      return `${key.slice(0, 12)}  ${summaryOf(row).kept.slice(0, 16)}  ${what}`
    })
    yield* printResult(options, lines.length === 0 ? `Nothing is kept in ${found.folder}.` : lines.join("\n"), {
      folder: found.folder,
      answers: found.rows.map(summaryOf)
    })
  })
).pipe(Command.withDescription("What is kept, the newest first."))

const show = Command.make("show", { key: Args.text({ name: "key" }), dir, json }, (options) =>
  Effect.gen(function* () {
    const found = (yield* rows(options.dir)).rows.filter(({ key }) => key.startsWith(options.key))
    const [row] = found
    if (row === undefined || found.length > 1 || options.key === "") {
      const what =
        row === undefined ? `Nothing is kept under "${options.key}"` : `"${options.key}" is the beginning of several`
      return yield* usageError(what, "See gemini cache list.")
    }
    const { answer } = row
    if (answer === undefined)
      return yield* usageError(
        `${row.file} is damaged, was not kept by you, or is of another version`,
        "It is never used."
      )
    const said = answer.events.reduce(answerAfter, "")
    const files = answer.files.map((mark) => {
      const how = difference(mark)
      return { path: mark.path, kind: mark.kind, ...(how === undefined ? {} : { changed: how }) }
    })
    const changed = files.filter((file) => "changed" in file)
    const state = changed.map(({ changed, path }) => `${path} ${changed}: the question would be asked again`)
    yield* printResult(
      options,
      [
        `${answer.model}, ${answer.kept}, in ${answer.cwd}`,
        `prompt: ${answer.prompt}`,
        `files:  ${
          files
            .filter(({ kind }) => kind === "file")
            .map(({ path }) => path)
            .join(", ") || "none"
        }`,
        ...state,
        "",
        said
      ].join("\n"),
      { ...summaryOf(row), response: said, files }
    )
  })
).pipe(Command.withDescription("One of them: its question, its files, its answer."))

const removal = Effect.fnUntraced(function* (found: ReadonlyArray<CacheRow>, options: { readonly json: boolean }) {
  const left = yield* removeRows(found)
  const removed = found.length - left
  const text = `${removed === 1 ? "One answer was" : `${removed} answers were`} removed.`
  yield* printResult(options, left === 0 ? text : `${text} ${left} could not be removed.`, { removed, left })
  if (left > 0) yield* exitWith(ExitCode.general)
})

const clear = Command.make("clear", { dir, json }, (options) =>
  Effect.flatMap(rows(options.dir), (found) => removal(found.rows, options))
).pipe(Command.withDescription("Remove all of them."))

const prune = Command.make(
  "prune",
  { older: text("older", "TIME", "Only those that are older: 30d, 12h."), dir, json },
  (options) =>
    Effect.gen(function* () {
      const typed = Option.getOrElse(options.older, () => "30d")
      const age = ageOf(typed)
      if (age === undefined) {
        return yield* new UsageError({
          message: `--older cannot be "${typed}"`,
          hint: "Write a time such as 30d, 12h, 90m.",
          exitCode: ExitCode.input
        })
      }
      const border = DateTime.toEpochMillis(yield* DateTime.now) - Duration.toMillis(age)
      const found = yield* rows(options.dir)
      yield* removal(
        found.rows.filter(({ modified }) => modified < border),
        options
      )
    })
).pipe(Command.withDescription("Remove old ones (default: older than 30d)."))

const ageOf = (typed: string): Duration.Duration | undefined => {
  const [, count = "", unit = "d"] = /^(\d{1,6})\s*([smhdw])?$/.exec(typed.trim()) ?? []
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit]
  return count === "" || seconds === undefined ? undefined : Duration.seconds(Number(count) * seconds)
}

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("cache", {}, () => usageError("What about it?", "gemini cache list|show|clear|prune")).pipe(
    Command.withDescription("Answers that --cache kept."),
    Command.withSubcommands([list, show, clear, prune])
  ),
  examples: ["gemini cache list", "gemini cache prune --older 30d"]
})
