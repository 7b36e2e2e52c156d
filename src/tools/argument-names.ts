/**
 * Arguments under names that models know from elsewhere, brought to ours before hooks, rules and people see the call: a rule
 * about `dir_path` must hold for `directory` too. Where both are given ours counts. What a tool does not know at all is
 * named in its answer, since a model that is not told takes its wish for fulfilled.
 */
import { Effect, Predicate } from "effect"
import { type PreparedCall, ToolFailure } from "./tool.ts"

type Arguments = Readonly<Record<string, unknown>>

const PATH = { path: "file_path", absolute_path: "file_path", filePath: "file_path" }

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  read_file: PATH,
  write_file: { ...PATH, create_backup: "createBackup" },
  replace: { ...PATH, replace_all: "allow_multiple" },
  list_directory: { path: "dir_path" },
  glob: { path: "dir_path" },
  grep_search: { path: "dir_path" },
  run_shell_command: { directory: "dir_path", run_in_background: "is_background" }
}

export const presentArguments = (tool: string, args: Arguments): Effect.Effect<Arguments, ToolFailure> => {
  const named = renamed(args, Object.hasOwn(NAMES, tool) ? (NAMES[tool] ?? {}) : {})
  return tool === "read_file" ? linesOf(named) : Effect.succeed(named)
}

const renamed = (args: Arguments, names: Readonly<Record<string, string>>): Arguments => {
  const foreign = Object.keys(args).filter((key) => Object.hasOwn(names, key))
  if (foreign.length === 0) return args
  const result: Record<string, unknown> = { ...args }
  for (const key of foreign) {
    const own = names[key]
    if (own === undefined || Object.hasOwn(result, own)) continue
    result[own] = result[key]
    delete result[key]
  }
  return result
}

/** `offset` lines are skipped, `limit` lines are read. */
const linesOf = ({ limit, offset, ...args }: Arguments): Effect.Effect<Arguments, ToolFailure> => {
  if (offset === undefined && limit === undefined) return Effect.succeed(args)
  if (args.start_line !== undefined || args.end_line !== undefined)
    return invalid("Give start_line and end_line, or offset and limit, not both.")
  if (offset !== undefined && !isWhole(offset, 0)) return invalid("offset must be a whole number from 0 on.")
  if (limit !== undefined && !isWhole(limit, 1)) return invalid("limit must be a whole number from 1 on.")
  const skipped = offset ?? 0
  return Effect.succeed({
    ...args,
    start_line: skipped + 1,
    ...(limit === undefined ? {} : { end_line: skipped + limit })
  })
}

const isWhole = (value: unknown, least: number): value is number =>
  Predicate.isNumber(value) && Number.isSafeInteger(value) && value >= least

const invalid = (message: string) => new ToolFailure({ type: "invalid_tool_params", message })

const MAX_NAMED = 10

/** For the model, behind the answer; nothing where every argument was read, or somebody else reads them. */
export const ignoredArguments = (args: Arguments, { args: used }: PreparedCall): ReadonlyArray<string> => {
  const ignored = used === undefined ? [] : Object.keys(args).filter((key) => isIgnored(key, args, used))
  if (ignored.length === 0) return []
  const names = ignored.slice(0, MAX_NAMED).map((key) => JSON.stringify(key.slice(0, 80)))
  const more = ignored.length > MAX_NAMED ? ` and ${ignored.length - MAX_NAMED} more` : ""
  return [
    `Ignored, because this tool has no such ${ignored.length === 1 ? "argument" : "arguments"}: ${names.join(", ")}${more}.`
  ]
}

const isIgnored = (key: string, args: Arguments, used: Arguments): boolean =>
  key !== "wait_for_previous" && args[key] !== undefined && !Object.hasOwn(used, key)
