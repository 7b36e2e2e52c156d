/**
 * Runs a sub-command. What needs no parsing (help, completions, features to come, a missing or wrong verb) is answered
 * from generated text; only a command that really runs loads `@effect/cli`.
 */
import type * as Command from "@effect/cli/Command"
import { Effect } from "effect"
import { closestName } from "../kernel/closest-name.ts"
import { failureLine } from "../output/run-writer.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { StorageError } from "../system/storage-error.ts"
import { isAvailable, unavailable } from "./availability.ts"
import type { CliContext, CliContextView } from "./cli-context.ts"
import type { CommandExit } from "./command-exit.ts"
import { type Invocation, isSessionId, takesId } from "./match-subcommand.ts"
import { looksLikeOption } from "./parse-argv.ts"
import type { SubcommandRow } from "./subcommand-row.ts"
import { unknownOption } from "./unknown-option.ts"
import { surplusArgument, type UsageError, usageError } from "./usage-error.ts"

/** The exit code. Results go to `write`, diagnostics to `writeError`; standard input is never touched. */
export const runSubcommand = (invocation: Invocation, context: CliContextView): Effect.Effect<number> =>
  decide(invocation).pipe(
    Effect.flatMap((request) => carryOut(request, context)),
    Effect.catchTags({
      UsageError: ({ exitCode, hint, message }) =>
        Effect.as(context.writeError(`${failureLine({ type: "UsageError", message, hint })}\n`), exitCode),
      StorageError: ({ message }) =>
        Effect.as(context.writeError(`${failureLine({ type: "StorageError", message })}\n`), ExitCode.general)
    })
  )

type Request =
  | { readonly _tag: "Help" | "NoVerb"; readonly row: SubcommandRow }
  | { readonly _tag: "Run"; readonly row: SubcommandRow; readonly args: ReadonlyArray<string> }

const decide = ({ args, subcommand: row }: Invocation): Effect.Effect<Request, UsageError> => {
  if (!isAvailable(row.since)) return Effect.fail(unavailable(`gemini ${row.name}`, row.since))
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const options = args.slice(0, end)
  if (options.some((arg) => arg === "--help" || arg === "-h")) return Effect.succeed({ _tag: "Help", row })
  const own = options.filter((arg) => !/^(-d|--(no-)?debug)(=(true|false))?$/.test(arg))
  const request: Request = { _tag: "Run", row, args: [...own, ...args.slice(end)] }
  if (row.verbs.length === 0) return Effect.succeed(request)
  const typed = own.find((arg) => !looksLikeOption(arg))
  if (typed === undefined) return Effect.succeed(row.takesRun === true ? request : { _tag: "NoVerb", row })
  const verb = row.verbs.find(({ name }) => name === typed)
  if (verb === undefined && row.name === "sessions" && isSessionId(typed)) {
    return Effect.succeed({ ...request, args: ["show", ...request.args] })
  }
  if (verb === undefined && takesId(row, typed)) return Effect.succeed(request)
  if (verb === undefined) return Effect.fail(unknownVerb(row, typed))
  if (!isAvailable(verb.since)) return Effect.fail(unavailable(`gemini ${row.name} ${verb.name}`, verb.since))
  const unknown =
    verb.passesOptions === true ? undefined : unknownOption(own, [...(verb.options ?? []), ...(row.options ?? [])])
  return unknown === undefined
    ? Effect.succeed(request)
    : Effect.fail(usageError(`Unknown option ${unknown}`, `See gemini ${row.name} --help.`))
}

const carryOut = Effect.fnUntraced(function* (request: Request, context: CliContextView) {
  if (request._tag === "Run") return yield* runner(request.row)(request.args, context)
  const { subcommandHelp } = yield* Effect.promise(() => import("./generated/help.ts"))
  const page = subcommandHelp[request.row.name] ?? ""
  // Nothing was asked for, so the page is not a result.
  return request._tag === "Help"
    ? yield* Effect.as(context.write(page), ExitCode.success)
    : yield* Effect.as(context.writeError(page), ExitCode.general)
})

type Runner = (args: ReadonlyArray<string>, context: CliContextView) => Effect.Effect<number, UsageError | StorageError>

const runner = (row: SubcommandRow): Runner => {
  switch (row.name) {
    case "completion":
      return printCompletion
    case "config":
      return lazily(() => import("./subcommands/config.command.ts").then((module) => module.configCommand))
    case "hooks":
      return lazily(() => import("./subcommands/hooks.command.ts").then((module) => module.hooksCommand))
    case "extensions":
      return lazily(() =>
        import("./subcommands/extensions/extensions.command.ts").then((module) => module.extensionsCommand)
      )
    case "mcp":
      return runMcp
    case "policy":
      return lazily(() => import("./subcommands/policy.command.ts").then((module) => module.policyCommand))
    case "tools":
      return lazily(() => import("./subcommands/tools.command.ts").then((module) => module.toolsCommand))
    case "skills":
      return lazily(() => import("./subcommands/skills.command.ts").then((module) => module.skillsCommand))
    case "sessions":
      return lazily(() => import("./subcommands/sessions.command.ts").then((module) => module.sessionsCommand))
    case "stats":
      return lazily(() => import("./subcommands/stats.command.ts").then((module) => module.statsCommand))
    case "undo":
      return lazily(() => import("./subcommands/undo.command.ts").then((module) => module.undoCommand))
    default:
      return () => Effect.dieMessage(`gemini ${row.name} is marked as available, but nothing runs it`)
  }
}

/** Shells run this whenever they start, so it must not load a parser. */
const printCompletion: Runner = Effect.fnUntraced(function* ([shell = "", ...surplus], context) {
  if (surplus[0] !== undefined) return yield* surplusArgument("completion", surplus[0])
  const { completions } = yield* Effect.promise(() => import("./generated/completions.ts"))
  yield* context.write(completions[shell] ?? "")
  return ExitCode.success
})

const lazily = <Name extends string, E extends UsageError | StorageError, A>(
  load: () => Promise<Command.Command<Name, CliContext | CommandExit, E, A>>
): Runner =>
  Effect.fnUntraced(function* (args, context) {
    const [{ runEffectCommand }, command] = yield* Effect.promise(() =>
      Promise.all([import("./effect-command.live.ts"), load()])
    )
    return yield* runEffectCommand(command, args, context)
  })

/** Arguments of a server are not ours to parse, so `add` reads its command line by itself. */
const runMcp: Runner = Effect.fnUntraced(function* (args, context) {
  const verb = args.findIndex((arg) => !looksLikeOption(arg))
  if (args[verb] === "add") {
    const { addServer } = yield* Effect.promise(() => import("./subcommands/mcp-add.ts"))
    return yield* addServer(args.toSpliced(verb, 1), context)
  }
  return yield* lazily(() => import("./subcommands/mcp.command.ts").then(({ mcpCommand }) => mcpCommand))(args, context)
})

const unknownVerb = (row: SubcommandRow, typed: string): UsageError => {
  const names = row.verbs.filter(({ since }) => isAvailable(since)).map(({ name }) => name)
  const near = closestName(typed, names)
  const hint = near === undefined ? `Choose one of: ${names.join(", ")}.` : `Did you mean ${near}?`
  return usageError(`gemini ${row.name} has no command "${typed}"`, hint)
}
