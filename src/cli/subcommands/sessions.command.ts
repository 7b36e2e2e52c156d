/**
 * `gemini sessions`: look at recorded conversations, search, export, check, copy and delete them. Needs no credentials
 * and writes nothing but what it was asked to; only `summarize` talks to a model.
 */
import { resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, Effect, Either, Option } from "effect"
import { ExitCode } from "../../protocol/exit-code.ts"
import { deleteSession } from "../../session/browse/delete-session.ts"
import { copySession, exportText, formatOf } from "../../session/browse/export-session.ts"
import { applyRetention, expiredSessions, retentionOf, retentionSettings } from "../../session/browse/retention.ts"
import { chooseSession } from "../../session/browse/session-choice.ts"
import { listSessions, searchSessions } from "../../session/browse/session-list.ts"
import { deletedText, sessionsJson, sessionsText } from "../../session/browse/session-text.ts"
import { verifySessions } from "../../session/browse/verify-sessions.ts"
import { readWholeSession } from "../../session/record/session-reader.ts"
import { untitled } from "../../slash/session/summarize-sessions.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { print, printJson } from "./command-output.ts"
import { json } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const dryRun = Options.boolean("dry-run").pipe(Options.withDescription("Only say what would be deleted."))
const id = Args.text({ name: "id" })

const list = Command.make("list", { json }, (options) =>
  Effect.gen(function* () {
    const { tempDir } = yield* place
    const sessions = tempDir === undefined ? [] : yield* listSessions(tempDir)
    const now = yield* Clock.currentTimeMillis
    yield* options.json ? printJson(sessionsJson(sessions)) : print(sessionsText(sessions, { now }))
  })
).pipe(Command.withDescription("Those of this project."))

const show = Command.make("show", { id, json }, (options) =>
  Effect.gen(function* () {
    const session = yield* readChosen(options.id)
    yield* print(exportText(session, options.json ? "json" : "md"))
  })
).pipe(Command.withDescription("Print one."))

const search = Command.make("search", { words: Args.atLeast(Args.text({ name: "words" }), 1), json }, (options) =>
  Effect.gen(function* () {
    const { tempDir } = yield* place
    const matches = tempDir === undefined ? [] : yield* searchSessions(tempDir, options.words)
    if (options.json) {
      return yield* printJson(
        matches.map(({ index, lines, session }) => ({ index, id: session.id, title: session.title, lines }))
      )
    }
    if (matches.length === 0) return yield* print("No session says so.\n")
    for (const { index, lines, session } of matches) {
      yield* print(`${index}. ${session.title} [${session.id}]\n`)
      yield* print(lines.map(({ text, type }) => `   ${type}: ${text}\n`).join(""))
    }
  })
).pipe(Command.withDescription("Find what was said."))

const file = Args.text({ name: "file" }).pipe(Args.optional)

const exportOne = Command.make("export", { id, file, json }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const session = yield* readChosen(options.id)
    if (Option.isNone(options.file)) return yield* print(exportText(session, "json"))
    const format = formatOf(options.file.value)
    if (format === undefined) return yield* usageError(`${options.file.value} must end in .json, .jsonl or .md`)
    const target = resolve(context.cwd, options.file.value)
    yield* writeFileAtomic({ file: target, content: exportText(session, format), mode: 0o600 }).pipe(
      Effect.mapError(({ message }) => usageError(message))
    )
    yield* options.json ? printJson({ id: session.metadata.sessionId, file: target }) : print(`Written to ${target}\n`)
  })
).pipe(Command.withDescription("Write one to a .json, .jsonl or .md file, or print it as JSON."))

const remove = Command.make("delete", { id, json }, (options) =>
  Effect.gen(function* () {
    const { tempDir } = yield* place
    const session = yield* choose(options.id)
    const index = tempDir === undefined ? -1 : (yield* listSessions(tempDir)).findIndex((one) => one.id === session.id)
    if (tempDir !== undefined) {
      yield* Effect.mapError(deleteSession(tempDir, session), ({ message }) => usageError(message))
    }
    const now = yield* Clock.currentTimeMillis
    yield* options.json ? printJson({ deleted: session.id }) : print(deletedText(session, { index, now }))
  })
).pipe(Command.withDescription("Delete one, with everything that was kept for it."))

const verify = Command.make("verify", { id: Args.optional(id), json }, (options) =>
  Effect.gen(function* () {
    const { config, tempDir } = yield* place
    const only = Option.isSome(options.id) ? [(yield* choose(options.id.value)).file] : undefined
    const projectHash = config.storage.projectHash()
    const checked = tempDir === undefined ? [] : yield* verifySessions(tempDir, { only, projectHash })
    const faulty = checked.filter(({ problems }) => problems.length > 0)
    if (faulty.length > 0) yield* exitWith(ExitCode.general)
    if (options.json) return yield* printJson({ ok: faulty.length === 0, sessions: checked })
    yield* print(faulty.map(({ file: name, problems }) => `${name}: ${problems.join("; ")}\n`).join(""))
    yield* print(`${checked.length - faulty.length} of ${checked.length} sessions are sound.\n`)
  })
).pipe(Command.withDescription("Check the files; exit 1 when something is wrong."))

const summarize = Command.make("summarize", { id: Args.optional(id), json }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const { tempDir } = yield* place
    const sessions = tempDir === undefined ? [] : yield* listSessions(tempDir)
    const wanted = Option.isSome(options.id) ? [yield* choose(options.id.value)] : untitled(sessions)
    const titles = wanted.length === 0 ? [] : yield* (context.summarize ?? askNobody)(wanted)
    if (typeof titles === "number") return yield* exitWith(titles)
    if (titles.some(({ title }) => title === undefined)) yield* exitWith(ExitCode.general)
    if (options.json) return yield* printJson(titles)
    if (titles.length === 0) return yield* print("Every session has a title.\n")
    yield* print(titles.map(({ id: one, reason, title }) => `${title ?? `no title: ${reason}`} [${one}]\n`).join(""))
  })
).pipe(Command.withDescription("Ask a model for a title of one, or of the newest 20 without."))

const askNobody = () => Effect.fail(usageError("there is no model to ask"))

const fork = Command.make("fork", { id, json }, (options) =>
  Effect.gen(function* () {
    const { config, tempDir } = yield* place
    const session = yield* choose(options.id)
    const copy = yield* copySession({
      from: session.file,
      tempDir: tempDir ?? "",
      projectHash: config.storage.projectHash()
    }).pipe(Effect.mapError(({ message }) => usageError(message)))
    yield* options.json ? printJson(copy) : print(`${copy.id}\n`)
  })
).pipe(Command.withDescription("Copy one under a new id, which is printed."))

const prune = Command.make("prune", { dryRun, json }, (options) =>
  Effect.gen(function* () {
    const { config, tempDir } = yield* place
    const retention = retentionOf(retentionSettings(config.settings))
    if (Either.isLeft(retention)) return yield* usageError(retention.left.message)
    const now = yield* Clock.currentTimeMillis
    const work = options.dryRun ? expiredSessions : applyRetention
    const expired =
      tempDir === undefined || retention.right === undefined ? [] : yield* work(retention.right, { tempDir, now })
    if (options.json) {
      return yield* printJson(expired.map(({ reason, session }) => ({ id: session.id, title: session.title, reason })))
    }
    const done = options.dryRun ? "Would delete" : "Deleted"
    const reasons = { age: "too old", count: "more than maxCount", empty: "nothing was said" }
    yield* print(
      expired.length === 0
        ? "No session has to go.\n"
        : expired
            .map(({ reason, session }) => `${done} ${session.title} [${session.id}]: ${reasons[reason]}\n`)
            .join("")
    )
  })
).pipe(Command.withDescription("Delete what the settings of general.sessionRetention let go."))

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("sessions").pipe(
    Command.withDescription("Recorded conversations."),
    Command.withSubcommands([list, show, search, exportOne, remove, verify, summarize, fork, prune])
  ),
  ids: ["session"],
  idVerb: "show",
  examples: ["gemini sessions search migration plan", "gemini sessions export latest talk.md"]
})

const place = Effect.map(loadSettings({ tolerant: true }), (config) => ({
  config,
  tempDir: config.storage.knownProjectTempDir()
}))

/** Exit code 42, as for `--resume`. */
const choose = Effect.fnUntraced(function* (wanted: string) {
  const { tempDir } = yield* place
  return yield* Effect.mapError(
    chooseSession(tempDir, wanted),
    ({ message }) => new UsageError({ message, hint: "gemini sessions list shows them.", exitCode: ExitCode.input })
  )
})

const readChosen = Effect.fnUntraced(function* (wanted: string) {
  const { file: chosen } = yield* choose(wanted)
  return yield* Effect.mapError(readWholeSession(chosen), ({ message }) => usageError(message))
})
