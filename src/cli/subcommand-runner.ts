/**
 * Runs a sub-command. What needs no parsing (help, completions, features to come, a missing or wrong verb) is answered
 * from generated text; only a command that really runs loads `@effect/cli`.
 */

import { Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import { failureLine } from "../output/run-writer.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { StorageError } from "../system/storage-error.ts"
import type { CliContextView } from "./cli-context.ts"
import { printCompletion } from "./completion-script.ts"
import { looksLikeOption } from "./parse-argv.ts"
import { subcommandFiles } from "./subcommand-list.ts"
import { isAvailable, type SubcommandInvocation, takesId, unavailable, unknownVerb } from "./subcommand-match.ts"
import type { SubcommandRow } from "./subcommand-row.ts"
import { type UsageError, usageHelp } from "./usage-error.ts"

/** The exit code. Results go to `write`, diagnostics to `writeError`; standard input is never touched. */
export const runSubcommand = (invocation: SubcommandInvocation, context: CliContextView): Effect.Effect<number> =>
  decide(invocation).pipe(
    Effect.flatMap((request) => carryOut(request, context)),
    Effect.catchTags({
      UsageError: (error) => {
        const { exitCode, hint, message } = error
        return Effect.as(
          context.writeError(`${failureLine({ type: "UsageError", message, hint, help: usageHelp(error) })}\n`),
          exitCode
        )
      },
      StorageError: ({ message }) =>
        Effect.as(
          context.writeError(`${failureLine({ type: "StorageError", message, help: "storage" })}\n`),
          ExitCode.general
        )
    })
  )

type Request =
  | { readonly _tag: "Help" | "NoVerb"; readonly row: SubcommandRow }
  | { readonly _tag: "Run"; readonly row: SubcommandRow; readonly args: ReadonlyArray<string> }

const decide = ({ args, subcommand: row }: SubcommandInvocation): Effect.Effect<Request, UsageError> => {
  if (!isAvailable(row.since)) return Effect.fail(unavailable(`gemini ${row.name}`, row.since))
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const options = args.slice(0, end)
  if (options.some((arg) => arg === "--help" || arg === "-h")) return Effect.succeed({ _tag: "Help", row })
  const own = options.filter((arg) => !/^(-d|--(no-)?debug)(=(true|false))?$/.test(arg))
  const request: Request = { _tag: "Run", row, args: [...own, ...args.slice(end)] }
  if (row.verbs.length === 0) return Effect.succeed(request)
  const typed = own.find((arg) => !looksLikeOption(arg))
  if (typed === undefined) return Effect.succeed(row.standsAlone ? request : { _tag: "NoVerb", row })
  // What is no verb is a file; options before it have values of their own.
  if (row.verbs.includes(typed) || row.ids.includes("file")) return Effect.succeed(request)
  if (!takesId(row, typed)) return Effect.fail(unknownVerb(row, typed))
  return Effect.succeed(row.idVerb === undefined ? request : { ...request, args: [row.idVerb, ...request.args] })
}

const carryOut = Effect.fnUntraced(function* (request: Request, context: CliContextView) {
  if (request._tag === "Run") return yield* run(request.row, request.args, context)
  const { subcommandHelp } = yield* lazy(() => import("./generated/help.ts"))
  const page = subcommandHelp[request.row.name] ?? ""
  // Nothing was asked for, so the page is not a result.
  return request._tag === "Help"
    ? yield* Effect.as(context.write(page), ExitCode.success)
    : yield* Effect.as(context.writeError(page), ExitCode.general)
})

const run = (
  { name, verbs }: SubcommandRow,
  args: ReadonlyArray<string>,
  context: CliContextView
): Effect.Effect<number, UsageError | StorageError> => {
  const [shell, ...others] = args
  if (name === "completion" && shell !== undefined && verbs.includes(shell) && others.length === 0) {
    return Effect.as(printCompletion(shell, context), ExitCode.success)
  }
  const load = subcommandFiles[name]
  return load === undefined
    ? Effect.dieMessage(`gemini ${name} is marked as available, but nothing runs it`)
    : Effect.flatMap(Effect.promise(load), ({ subcommand }) => subcommand.run(args, context))
}
