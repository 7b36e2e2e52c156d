/**
 * `gemini models`: the models that are known here, without asking anybody; `--online` asks the service which it offers, and
 * marks where the two differ.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import type { AuthPlan } from "../../auth/auth-plan.ts"
import { plannedAuth } from "../../auth/from-config.ts"
import type { LoadedConfig } from "../../config/load.ts"
import type { Price } from "../../config/setting-schema/model-config.ts"
import { lazy } from "../../kernel/lazy.ts"
import { compareModels, type KnownModel, knownModels } from "../../model/known-models.ts"
import { PRICES_AS_OF } from "../../model/price-table.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { describeModelError } from "../../retry/describe.ts"
import { off, Telemetry } from "../../telemetry/telemetry.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError } from "../usage-error.ts"
import { printResult } from "./command-output.ts"
import { json } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const online = Options.boolean("online").pipe(
  Options.withDescription("Ask the service which models it offers, and mark the differences.")
)

const models = Command.make("models", { json, online }, (options) =>
  Effect.gen(function* () {
    const config = yield* loadSettings()
    const plan = yield* Effect.option(plannedAuth(config))
    const authType = Option.match(plan, { onNone: () => "gemini-api-key" as const, onSome: ({ authType }) => authType })
    const known = knownModels(config.settings, authType)
    if (!options.online) {
      return yield* printResult(options, tableOf(known.map((model) => ({ ...model, note: "" }))), {
        auth_type: authType,
        prices_as_of: PRICES_AS_OF,
        models: known.map(documentOf)
      })
    }
    const compared = compareModels(known, yield* offeredTo(config))
    const differing = new Map(compared.differs.map(({ id, offered }) => [id, offered]))
    const rows = compared.known.map((model) => ({ ...model, note: noteOf(model.offered, differing.get(model.id)) }))
    const others = compared.unknown.map(({ id, window }) =>
      window === undefined ? `+ ${id}` : `+ ${id} (${grouped(window)} tokens)`
    )
    const more =
      others.length === 0 ? [] : ["", "Offered, and not known to this version (use them by their ids):", ...others]
    yield* printResult(options, [tableOf(rows), ...more].join("\n"), {
      auth_type: authType,
      prices_as_of: PRICES_AS_OF,
      models: compared.known.map((model) => ({ ...documentOf(model), offered: model.offered })),
      unknown: compared.unknown.map(({ id, maxOutput, window }) => ({
        id,
        window: window ?? null,
        max_output: maxOutput ?? null
      })),
      differs: compared.differs
    })
  })
).pipe(Command.withDescription("Known models: names, windows, prices, tiers and stand-ins."))

export const subcommand = defineSubcommand({
  matching: "exact",
  command: models,
  examples: ["gemini models", "gemini models --json | jq -r '.models[].id'", "gemini models --online"]
})

const offeredTo = Effect.fnUntraced(function* (config: LoadedConfig) {
  const plan: AuthPlan = yield* plannedAuth(config).pipe(
    Effect.mapError(({ detail, hint = "See gemini auth --help." }) => refused(detail, hint, ExitCode.authentication))
  )
  if (plan._tag === "CodeAssist") {
    return yield* refused(
      "the service behind a Google account has no list of models",
      "gemini models without --online says what is known here.",
      ExitCode.input
    )
  }
  // `@google/genai` comes with it.
  const { onlineModels } = yield* lazy(() => import("../../model/online-models.live.ts"))
  return yield* onlineModels(plan, config).pipe(
    Effect.provideService(Telemetry, off),
    Effect.mapError((error) => {
      const { completionReason, hint, message } = describeModelError(error)
      return refused(
        message,
        hint ?? "Try again.",
        completionReason === "auth" ? ExitCode.authentication : ExitCode.general
      )
    })
  )
})

const refused = (message: string, hint: string, exitCode: UsageError["exitCode"]): UsageError =>
  new UsageError({ message, hint, exitCode })

const noteOf = (isOffered: boolean, window: number | undefined): string => {
  if (!isOffered) return "not offered"
  return window === undefined ? "" : `window there ${grouped(window)}`
}

/** As in the documents of a run: names with underscores. */
const documentOf = ({ aliases, fallbacks, features, id, price, tiers, window }: KnownModel) => ({
  id,
  aliases,
  window,
  price_usd_per_million: price,
  tiers,
  features,
  fallbacks
})

const HEAD = ["MODEL", "NAMES", "WINDOW", "IN/OUT $ PER M", "TIERS", "FALLBACK", ""]

const tableOf = (rows: ReadonlyArray<KnownModel & { readonly note: string }>): string => {
  const cells = rows.map(({ aliases, fallbacks, id, note, price, tiers, window }) => [
    id,
    aliases.join(", ") || "-",
    grouped(window),
    priceText(price),
    tiers.join(", "),
    fallbacks.join(", ") || "-",
    note
  ])
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const lines = [HEAD, ...cells].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
  return [...lines, "", `Prices are estimates as of ${PRICES_AS_OF}; the setting run.prices beats them.`].join("\n")
}

const priceText = (price: Price | null): string => {
  if (price === null) return "unknown"
  const long = price.long === undefined ? "" : ` (${price.long.input}/${price.long.output} above 200k)`
  return `${price.input}/${price.output}${long}`
}

const grouped = (count: number): string => count.toLocaleString("en-US")
