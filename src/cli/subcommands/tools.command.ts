/**
 * `gemini tools`: what the model is told of the tools it may call, and why it is not told of the others. Declarations
 * and their order come from the registry of a run, under the same settings and policy.
 */

import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Layer, Option, Schema } from "effect"
import { invokeAgentEntry } from "../../agents/generated/invoke-agent.ts"
import { typeFromEnvironment } from "../../auth/select-auth.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { nonBlank } from "../../kernel/non-blank.ts"
import { oneLine } from "../../kernel/one-line.ts"
import { jsonText } from "../../kernel/readable-text.ts"
import { idIn } from "../../model/model-tables.ts"
import * as PlanMode from "../../policy/plan-mode.ts"
import { Policy } from "../../policy/policy.ts"
import { type ApprovalMode, AuthType } from "../../protocol/modes.ts"
import { lazyBuiltins, lazyTool } from "../../tools/catalogue.ts"
import { isOffered } from "../../tools/declaration.ts"
import { discoverTools, discoveryFromSettings, UNCALLED } from "../../tools/discovered-tool.ts"
import { discoveryGuard } from "../../tools/discovery-guard.ts"
import * as Registry from "../../tools/registry.ts"
import { skillTool } from "../../tools/skill-tool.ts"
import type { Tool, ToolKind } from "../../tools/tool.ts"
import { exclusionsOf, leftOutBecause, toolSettings } from "../../tools/tool-selection.ts"
import { CliContext } from "../cli-context.ts"
import { defineSubcommand } from "../subcommand.ts"
import { jsonDocument } from "./command-output.ts"
import { json, text } from "./common-options.ts"
import { type RunFlags, type RunView, reportProblems, runFlags, viewRun } from "./run-view.ts"
import { usedSkills } from "./skills-settings.ts"
import { unknownTool } from "./unknown-tool.ts"

const model = Options.withAlias(text("model", "NAME", "As this model is told."), "m")

const list = Command.make("list", { json, model, ...runFlags }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const rows = yield* toolRows(options)
    yield* context.write(options.json ? jsonDocument(rows.map(toolJson)) : toolsText(rows))
  })
).pipe(Command.withDescription("All tools: offered or hidden, and why. JSON has the whole declarations."))

const show = Command.make("show", { name: Args.text({ name: "name" }), json, model, ...runFlags }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const rows = yield* toolRows(options)
    const row = rows.find(({ names }) => names.includes(options.name))
    if (row === undefined) {
      return yield* unknownTool(
        options.name,
        rows.map(({ name }) => name)
      )
    }
    yield* context.write(options.json ? jsonDocument(toolJson(row)) : toolText(row))
  })
).pipe(Command.withDescription("The declaration of one."))

interface ToolRow {
  readonly name: string
  /** Also older ones. */
  readonly names: ReadonlyArray<string>
  readonly kind: ToolKind
  readonly description: string
  readonly parameters: unknown
  /** Why it is hidden where a person can be asked; `undefined` when it is offered. */
  readonly interactive: string | undefined
  /** The same for runs with `-p`. */
  readonly headless: string | undefined
}

interface RowOffer {
  readonly mode: ApprovalMode
  readonly modelId: string
  /** Why the policy hides a tool, by its name. */
  readonly reasons: ReadonlyMap<string, string>
  readonly declarations: { readonly has: (name: string) => boolean }
}

/** Tools as `gemini tools` prints them: a line each, or JSON with the whole declaration. Pure. */
const hiddenBecause = (name: string, offer: RowOffer): string | undefined => {
  if (offer.declarations.has(name)) return undefined
  if (!isOffered(name, offer.mode)) return `it has no place in approval mode ${offer.mode}`
  const rule = offer.reasons.get(name)
  return rule === undefined ? `${offer.modelId} is not told of it` : `denied by policy: ${rule}`
}

const toolJson = ({ description, headless, interactive, kind, name, parameters }: ToolRow) => ({
  name,
  kind,
  description,
  offered: { interactive: interactive === undefined, headless: headless === undefined },
  hidden_because: interactive ?? headless ?? null,
  parameters: parameters ?? null
})

/** All that the model is told of one tool. */
const toolText = (row: ToolRow): string => {
  const why = row.interactive ?? row.headless
  const description = row.description.replace(CONTROLS_BUT_NEWLINE, " ").trim()
  return [
    `${row.name} (${row.kind}): ${stateOf(row)}${why === undefined ? "" : `, ${why}`}`,
    description,
    jsonText(row.parameters ?? {}, 2),
    ""
  ].join("\n")
}

const CONTROLS_BUT_NEWLINE = /(?!\n)\p{Cc}/gu

/** Name, kind, where it is offered; then what it does, or why it is hidden. */
const toolsText = (rows: ReadonlyArray<ToolRow>): string => {
  if (rows.length === 0) return "No tools.\n"
  const width = Math.max(...rows.map(({ name }) => name.length))
  return rows
    .map((row) => {
      const last = row.interactive !== undefined && row.headless !== undefined ? row.interactive : firstLine(row)
      return `${row.name.padEnd(width)}  ${row.kind.padEnd(11)}  ${stateOf(row).padEnd(9)}  ${last}\n`
    })
    .join("")
}

const stateOf = ({ headless, interactive }: ToolRow): string => {
  if (interactive === undefined) return headless === undefined ? "offered" : "not in -p"
  return headless === undefined ? "only -p" : "hidden"
}

const LONGEST_LINE = 100

/** Texts of discovered tools are not ours: what would act on the terminal is taken out. */
const firstLine = ({ description }: ToolRow): string => {
  const [sentence = ""] = oneLine(description, description.length).split(/(?<=[.!?])\s/)
  return oneLine(sentence, LONGEST_LINE)
}

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("tools").pipe(
    Command.withDescription("The tools that the model is offered."),
    Command.withSubcommands([list, show])
  )
})

const toolRows = Effect.fnUntraced(function* (options: RunFlags & { readonly model: Option.Option<string> }) {
  const view = yield* viewRun(options)
  const nothing = Effect.dieMessage("tools are listed, not called")
  const builtins = [...lazyBuiltins(nothing), lazyTool(invokeAgentEntry, nothing, nothing)]
  const joined = [skillTool(yield* usedSkills(view.config), nothing)]
  const discovered = yield* discoveredTools(view.config)
  const offer = offeredTools({ builtins, discovered, joined, modelId: modelOf(view.config, options.model), view })
  const interactive = yield* Effect.provide(offer, view.policy({ isInteractive: true }))
  const headless = yield* offer.pipe(Effect.tap(reportProblems), Effect.provide(view.policy({ isInteractive: false })))
  return [...offeredRows(interactive, headless), ...leftOutRows(builtins, interactive.all, view)]
})

interface OfferInput {
  readonly builtins: ReadonlyArray<Tool>
  readonly discovered: ReadonlyArray<Tool>
  readonly joined: ReadonlyArray<Registry.JoinedTool>
  readonly modelId: string
  readonly view: RunView
}

const offeredTools = ({ builtins, discovered, joined, modelId, view }: OfferInput) =>
  Effect.gen(function* () {
    const policy = yield* Policy
    const registry = yield* Registry.ToolRegistry
    yield* registry.register(null, discovered)
    const all = yield* registry.all
    const refused = new Set(yield* policy.hiddenTools(all))
    yield* registry.hide(refused)
    const reasons = new Map<string, string>()
    for (const tool of all) if (refused.has(tool.name)) reasons.set(tool.name, yield* refusalOf(tool))
    const declarations = new Map((yield* registry.declarations(modelId)).map((found) => [found.name, found]))
    return { all, reasons, declarations, modelId, mode: view.mode }
  }).pipe(
    Effect.provide(
      Registry.layer({ builtins, joined, settings: selectionOf(view) }).pipe(
        Layer.provide(PlanMode.layer({ initialMode: view.mode, plansDir: view.plansDir }))
      )
    )
  )

/**
 * A call without arguments meets the rule that hides the tool: it is the first one without conditions. Where that rule
 * allows, something stronger than rules is at work, and the reason says what.
 */
const refusalOf = Effect.fnUntraced(function* ({ aliases, kind, name }: Tool) {
  const policy = yield* Policy
  const { reason, rule } = yield* policy.decide({ name, aliases, kind, args: {} })
  return rule === undefined || rule.text.startsWith("allow ") ? reason : `${rule.text} [${rule.source}]`
})

type Offer = Effect.Effect.Success<ReturnType<typeof offeredTools>>

const offeredRows = (interactive: Offer, headless: Offer): ReadonlyArray<ToolRow> =>
  interactive.all.map((tool) => {
    const declaration = interactive.declarations.get(tool.name) ?? headless.declarations.get(tool.name)
    return {
      ...identityOf(tool),
      description: declaration?.description ?? tool.description,
      parameters: declaration?.parametersJsonSchema ?? tool.jsonSchema,
      interactive: hiddenBecause(tool.name, interactive),
      headless: hiddenBecause(tool.name, headless)
    }
  })

/** A tool of which another form is there is not missing. */
const leftOutRows = (
  builtins: ReadonlyArray<Tool>,
  present: ReadonlyArray<Tool>,
  view: RunView
): ReadonlyArray<ToolRow> => {
  const names = new Set(present.map(({ name }) => name))
  const selection = selectionOf(view)
  return builtins.flatMap((tool) => {
    const why = leftOutBecause(tool, selection)
    if (why === undefined || names.has(tool.name)) return []
    names.add(tool.name)
    const { description, jsonSchema: parameters } = tool
    return [{ ...identityOf(tool), description, parameters, interactive: why, headless: why }]
  })
}

const selectionOf = ({ config, extensions }: RunView) => ({
  ...toolSettings(config.settings),
  excludedBy: exclusionsOf(extensions)
})

const identityOf = ({ aliases, classNames, kind, name }: Tool) => ({
  name,
  names: [name, ...aliases, ...classNames],
  kind
})

/** As a run would name it; which account is used is taken from settings and variables, without looking for a key. */
const modelOf = ({ environment, settings }: LoadedConfig, asked: Option.Option<string>): string => {
  const wanted = [Option.getOrUndefined(asked), environment.get("GEMINI_MODEL"), settings.get("model.name")]
  const name = wanted.map(nonBlank).find((text) => text !== undefined)
  const selected = settings.get("security.auth.selectedType")
  const account = isAuthType(selected) ? selected : typeFromEnvironment(environment.variables)
  return idIn(settings, name ?? "auto", account ?? "gemini-api-key")
}

const isAuthType = Schema.is(AuthType)

/** The user's own command lists them, as at the start of every run. */
const discoveredTools = Effect.fnUntraced(function* (config: LoadedConfig) {
  const context = yield* CliContext
  const options = discoveryFromSettings(config)
  if (options === undefined && config.settings.get("tools.discoveryCommand") !== undefined) {
    yield* context.writeError(`[WARNING] ${UNCALLED}\n`)
  }
  if (options === undefined) return []
  if (discoveryGuard(config).isPending) {
    yield* context.writeError(
      "[WARNING] tools of this project are not listed: you have not confirmed its commands; start gemini here to be asked\n"
    )
    return []
  }
  return yield* discoverTools(options).pipe(
    Effect.catchTag("DiscoveryError", (error) => Effect.as(context.writeError(`[WARNING] ${error.message}\n`), []))
  )
})
