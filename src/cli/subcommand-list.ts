/**
 * The sub-commands, in the order of help. A new one is a file that exports `subcommand`, and a line here; what is made
 * from it follows with `bun scripts/generate.ts`.
 */
import type { Availability } from "./option-row.ts"
import type { Subcommand } from "./subcommand.ts"
import type { SubcommandRow } from "./subcommand-row.ts"

type Load = () => Promise<{ readonly subcommand: Subcommand }>

/** Loaded when they are run, or when pages are generated: `@effect/cli` is too heavy for every start. */
export const subcommandFiles: Readonly<Record<string, Load>> = {
  config: () => import("./subcommands/config.command.ts"),
  auth: () => import("./subcommands/auth.command.ts"),
  mcp: () => import("./subcommands/mcp.command.ts"),
  a2a: () => import("./subcommands/a2a.command.ts"),
  extensions: () => import("./subcommands/extensions/extensions.command.ts"),
  skills: () => import("./subcommands/skills.command.ts"),
  hooks: () => import("./subcommands/hooks.command.ts"),
  policy: () => import("./subcommands/policy.command.ts"),
  tools: () => import("./subcommands/tools.command.ts"),
  sessions: () => import("./subcommands/sessions.command.ts"),
  undo: () => import("./subcommands/undo.command.ts"),
  stats: () => import("./subcommands/stats.command.ts"),
  doctor: () => import("./subcommands/doctor/doctor.command.ts"),
  cache: () => import("./subcommands/cache.command.ts"),
  cassette: () => import("./subcommands/cassette.command.ts"),
  models: () => import("./subcommands/models.command.ts"),
  budget: () => import("./subcommands/budget.command.ts"),
  schema: () => import("./subcommands/schema.command.ts"),
  sandbox: () => import("./subcommands/sandbox.command.ts"),
  run: () => import("./subcommands/run.command.ts"),
  batch: () => import("./subcommands/batch.command.ts"),
  update: () => import("./subcommands/update/update.command.ts"),
  completion: () => import("./subcommands/completion.command.ts")
}

const missing = (
  name: string,
  since: Availability,
  { matching = "exact", verbs = [] }: Partial<Pick<SubcommandRow, "matching" | "verbs">> = {}
): SubcommandRow => ({
  name,
  since,
  matching,
  verbs,
  aliases: [],
  ids: [],
  idVerb: undefined,
  standsAlone: false
})

/** Known names that nothing runs: using one fails with one clear line. */
export const missingSubcommands: ReadonlyArray<SubcommandRow> = [missing("gemma", "never", { matching: "always" })]
