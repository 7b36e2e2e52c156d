/** `gemini stats`: what recorded sessions of this project took. Reads files only; nothing is sent. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { Clock, Duration, Effect, Option } from "effect"
import { priceLookup } from "../../model/pricing.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { chooseSession } from "../../session/browse/session-choice.ts"
import { allSessions } from "../../session/browse/session-list.ts"
import { partsOf, textOf } from "../../session/record/message-content.ts"
import { isQuestion } from "../../session/record/model-history.ts"
import { readSession } from "../../session/record/session-reader.ts"
import { CliContext } from "../cli-context.ts"
import { type SessionUsage, sinceOf, usageReport } from "../stats/usage-report.ts"
import { usageText } from "../stats/usage-text.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, text } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const session = text("session", "ID", "Only this session.")
const since = text("since", "TIME", "Only the last hours or days: 24h, 7d.")
const id = Args.text({ name: "session" }).pipe(Args.optional)

const command = Command.make("stats", { json, session, since, id }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const wanted = Option.orElse(options.session, () => options.id)
    const config = yield* loadSettings({ tolerant: true })
    const tempDir = config.storage.knownProjectTempDir()
    const files = yield* filesOf(tempDir, wanted)
    const report = usageReport(yield* Effect.forEach(files, usageOf).pipe(Effect.map((found) => found.flat())), {
      priceOf: priceLookup(config.settings.get("run.prices")),
      since: yield* beginning(options.since)
    })
    yield* context.write(options.json ? jsonDocument(report) : usageText(report))
  })
).pipe(Command.withDescription("Tokens, cost and times of past runs."))

export const subcommand = defineSubcommand({ matching: "exact", command, ids: ["session"] })

const filesOf = Effect.fnUntraced(function* (tempDir: string | undefined, wanted: Option.Option<string>) {
  if (Option.isSome(wanted)) {
    const { file } = yield* Effect.mapError(
      chooseSession(tempDir, wanted.value),
      ({ message }) => new UsageError({ message, hint: "gemini sessions list shows them.", exitCode: ExitCode.input })
    )
    return [file]
  }
  return tempDir === undefined ? [] : (yield* allSessions(tempDir)).map(({ file }) => file)
})

/** Texts are dropped while they are read. A file that cannot be read is no reason to say nothing about the others. */
const usageOf = (file: string): Effect.Effect<ReadonlyArray<SessionUsage>> =>
  readSession(file, ({ content, id, model, timestamp, tokens, toolCalls, type }) => ({
    id,
    isPrompt: type === "user" && isQuestion(textOf(partsOf(content))),
    ...(model === undefined ? {} : { model }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(tokens === undefined ? {} : { tokens }),
    toolCalls: (toolCalls ?? []).map(({ args, durationMs, id: callId, name, status }) => ({
      id: callId,
      name,
      args: { file_path: args.file_path },
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(status === undefined ? {} : { status })
    }))
  })).pipe(
    Effect.map((read): ReadonlyArray<SessionUsage> => [read]),
    Effect.orElseSucceed((): ReadonlyArray<SessionUsage> => [])
  )

const beginning = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isNone(given)) return undefined
  const length = sinceOf(given.value)
  if (Option.isNone(length)) return yield* usageError(`--since cannot be "${given.value}"`, "Write it as 24h or 7d.")
  return (yield* Clock.currentTimeMillis) - Duration.toMillis(length.value)
})
