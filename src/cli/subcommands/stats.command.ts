/** `gemini stats`: what recorded sessions of this project, or of all, took. Reads files only; nothing is sent. */
import { join } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, Duration, Effect, Option } from "effect"
import { knownProjects } from "../../config/project-registry.ts"
import type { StorageView } from "../../config/storage.ts"
import { visibleText } from "../../kernel/visible-text.ts"
import { priceLookup } from "../../model/pricing.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { chooseSession } from "../../session/browse/session-choice.ts"
import { allSessions } from "../../session/browse/session-list.ts"
import { partsOf, textOf } from "../../session/record/message-content.ts"
import { isQuestion } from "../../session/record/model-history.ts"
import { readSession } from "../../session/record/session-reader.ts"
import { CliContext } from "../cli-context.ts"
import { type SessionUsage, sinceOf, type Totals, type UsageReport, usageReport } from "../stats/usage-report.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, text } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const session = text("session", "ID", "Only this session.")
const since = text("since", "TIME", "Only the last hours or days: 24h, 7d.")
const all = Options.boolean("all").pipe(Options.withAlias("a"), Options.withDescription("Sessions of all projects."))
const id = Args.text({ name: "session" }).pipe(Args.optional)

// The report for people: one block for each question, with bars where shares matter.

const BAR = 24
const MOST_FILES = 10

export const usageText = (report: UsageReport): string => {
  if (report.sessions === 0) {
    return `Nothing was recorded in ${report.projects === undefined ? "this project" : "any project"} in that time.\n`
  }
  return [overview(report), projects(report), models(report), tiers(report), tools(report), files(report), days(report)]
    .filter((block) => block !== "")
    .join("\n")
}

const overview = (report: UsageReport): string =>
  lines([
    [
      "Sessions",
      `${grouped(report.sessions)} (${counted(report.prompts, "prompt")}, ${counted(report.requests, "request")})`
    ],
    [
      "Tokens",
      `${grouped(report.total)} (${grouped(report.input)} in, ${grouped(report.output)} out, ${grouped(report.thoughts)} thoughts)`
    ],
    ["Cached", `${percent(report.cached, report.input)} of the input`],
    [
      "Cost",
      `${dollars(report.costUsd)}${report.unpriced.length === 0 ? "" : `, without ${report.unpriced.join(", ")}`}`
    ]
  ])

const models = ({ models: all }: UsageReport): string =>
  block(
    "Models",
    Object.entries(all).toSorted(([, a], [, b]) => b.total - a.total),
    ([, { total }]) => total,
    ([name, totals]) => [name, `${counted(totals.requests, "request")}, ${tokensAndCost(totals)}`]
  )

const projects = ({ projects: all = {} }: UsageReport): string =>
  block(
    "Projects",
    Object.entries(all).toSorted(([, a], [, b]) => b.total - a.total),
    ([, { total }]) => total,
    ([path, totals]) => [
      path,
      `${counted(totals.sessions, "session")}, ${counted(totals.prompts, "prompt")}, ${tokensAndCost(totals)}`
    ]
  )

/** Of no interest where everything was standard. */
const tiers = ({ tiers: all }: UsageReport): string =>
  block(
    "Service tiers",
    Object.keys(all).every((name) => name === "standard")
      ? []
      : Object.entries(all).toSorted(([, a], [, b]) => b.total - a.total),
    ([, { total }]) => total,
    ([name, totals]) => [name, `${counted(totals.requests, "request")}, ${tokensAndCost(totals)}`]
  )

const tools = ({ tools: all }: UsageReport): string =>
  block(
    "Tools",
    Object.entries(all).toSorted(([, a], [, b]) => b.calls - a.calls),
    ([, { calls }]) => calls,
    ([name, { calls, durationMs, succeeded }]) => [
      name,
      `${counted(calls, "call")}, ${percent(succeeded, calls)} succeeded, ${seconds(durationMs / calls)} each`
    ]
  )

const files = ({ files: all }: UsageReport): string => {
  const sorted = Object.entries(all).toSorted(([, a], [, b]) => b - a)
  const shown = block(
    "Files changed",
    sorted.slice(0, MOST_FILES),
    ([, changes]) => changes,
    ([file, changes]) => [file, counted(changes, "change")]
  )
  return sorted.length <= MOST_FILES ? shown : `${shown}  and ${sorted.length - MOST_FILES} more\n`
}

const days = ({ days: all }: UsageReport): string =>
  block(
    "Days",
    Object.entries(all),
    ([, { total }]) => total,
    ([day, totals]) => [day, `${counted(totals.prompts, "prompt")}, ${tokensAndCost(totals)}`]
  )

const tokensAndCost = ({ costUsd, total }: Totals): string => `${grouped(total)} tokens, ${dollars(costUsd)}`

const block = <A>(
  title: string,
  rows: ReadonlyArray<A>,
  sizeOf: (row: A) => number,
  wordsOf: (row: A) => readonly [name: string, words: string]
): string => {
  if (rows.length === 0) return ""
  const largest = Math.max(1, ...rows.map(sizeOf))
  const named = rows.map((row) => ({ bar: barOf(sizeOf(row) / largest), words: wordsOf(row) }))
  const width = Math.max(...named.map(({ words: [name] }) => visibleText(name).length))
  const text = named.map(({ bar, words: [name, words] }) => `  ${visibleText(name).padEnd(width)}  ${bar}  ${words}\n`)
  return `${title}\n${text.join("")}`
}

/** What is there at all shows. */
const barOf = (share: number): string => "█".repeat(Math.max(share > 0 ? 1 : 0, Math.round(share * BAR))).padEnd(BAR)

const lines = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.map(([name, value]) => `${name.padEnd(10)}${value}\n`).join("")

const counted = (count: number, thing: string): string => `${grouped(count)} ${thing}${count === 1 ? "" : "s"}`

const grouped = (value: number): string => value.toLocaleString("en-US")
const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`
const dollars = (value: number): string => `$${value.toFixed(value < 1 ? 4 : 2)}`
const seconds = (millis: number): string => `${(millis / 1_000).toFixed(1)} s`

const command = Command.make("stats", { json, all, session, since, id }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const wanted = Option.orElse(options.session, () => options.id)
    const config = yield* loadSettings({ tolerant: true })
    const { storage } = config
    const counting = {
      priceOf: priceLookup(config.settings.get("run.prices")),
      since: yield* beginning(options.since)
    }
    if (options.all && Option.isSome(wanted)) return yield* usageError("--all counts every session; name none with it")
    const report = options.all
      ? yield* reportOfAll(storage, counting)
      : usageReport(yield* usageIn(yield* filesOf(storage.knownProjectTempDir(), wanted)), counting)
    yield* context.write(options.json ? jsonDocument(report) : usageText(report))
  })
).pipe(Command.withDescription("Tokens, cost and times of past runs."))

export const subcommand = defineSubcommand({ matching: "exact", command, ids: ["session"] })

const reportOfAll = Effect.fnUntraced(function* (
  { tempDir, userDir }: Pick<StorageView, "tempDir" | "userDir">,
  counting: Parameters<typeof usageReport>[1]
) {
  const found = yield* Effect.forEach(knownProjects(userDir), ({ project, slug }) =>
    Effect.map(Effect.flatMap(recordedIn(join(tempDir, slug)), usageIn), (usage) => ({ project, usage }))
  )
  const projects = found.flatMap(({ project, usage }) => {
    const { cached, costUsd, input, output, prompts, requests, sessions, thoughts, total } = usageReport(
      usage,
      counting
    )
    const totals = { sessions, prompts, requests, input, cached, output, thoughts, total, costUsd }
    return sessions === 0 ? [] : [[project, totals] as const]
  })
  const usage = found.flatMap((one) => one.usage)
  return { ...usageReport(usage, counting), projects: Object.fromEntries(projects) }
})

const usageIn = (files: ReadonlyArray<string>) => Effect.map(Effect.forEach(files, usageOf), (found) => found.flat())

const recordedIn = (tempDir: string) => Effect.map(allSessions(tempDir), (entries) => entries.map(({ file }) => file))

const filesOf = Effect.fnUntraced(function* (tempDir: string | undefined, wanted: Option.Option<string>) {
  if (Option.isSome(wanted)) {
    const { file } = yield* Effect.mapError(
      chooseSession(tempDir, wanted.value),
      ({ message }) => new UsageError({ message, hint: "gemini sessions list shows them.", exitCode: ExitCode.input })
    )
    return [file]
  }
  return tempDir === undefined ? [] : yield* recordedIn(tempDir)
})

/** Texts are dropped while they are read. A file that cannot be read is no reason to say nothing about the others. */
const usageOf = (file: string): Effect.Effect<ReadonlyArray<SessionUsage>> =>
  readSession(file, ({ content, id, model, otherRequests, timestamp, tokens, toolCalls, type }) => ({
    id,
    ...(otherRequests === undefined ? {} : { otherRequests }),
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
