/** All sub-commands, in the order of help. */
import type { SubcommandRow } from "./subcommand-row.ts"
import { extensions, gemma, hooks, mcp, skills } from "./subcommand-table/extending.ts"
import { batch, completion, config, doctor, policy, sessions, stats, tools, undo } from "./subcommand-table/managing.ts"

export const subcommands: ReadonlyArray<SubcommandRow> = [
  config,
  mcp,
  extensions,
  skills,
  hooks,
  policy,
  tools,
  sessions,
  undo,
  stats,
  batch,
  doctor,
  completion,
  gemma
]
