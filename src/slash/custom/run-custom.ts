/**
 * Runs a custom command: its files are read, its shell commands checked by the policy and run, and what comes of it is
 * a prompt for the model. Everything is checked before anything runs.
 */
import { Effect } from "effect"
import { Environment } from "../../config/environment.ts"
import type { Policy } from "../../policy/policy.ts"
import type { Part } from "../../protocol/content.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { type Command, type CommandResult, type CommandSource, type Invocation, print } from "../command.ts"
import { CommandError } from "../command-error.ts"
import type { ExpansionNote } from "../prompt-expansion.ts"
import { checkCommands, SessionAllowlist } from "./check-commands.ts"
import { injectFile } from "./inject-file.ts"
import { injectShell } from "./inject-shell.ts"
import { ARGUMENTS, type CustomCommand, commandWith, takesArguments } from "./template.ts"

export type CustomServices = Environment | Policy | LazyServices | SessionAllowlist

export const customCommand = (name: string, source: CommandSource, custom: CustomCommand): Command<CustomServices> => ({
  name,
  source,
  description: custom.description,
  usage: takesArguments(custom.pieces) ? "<arguments>" : "[arguments]",
  run: (invocation) => run(name, custom, invocation)
})

const run = Effect.fn("CustomCommand.run")(function* (name: string, { pieces }: CustomCommand, invocation: Invocation) {
  const { platform } = yield* Environment
  const services = yield* Effect.context<CustomServices>()
  const args = rawArguments(invocation)
  const resolved = pieces.map((piece) =>
    piece._tag === "Shell" ? { ...piece, command: commandWith(piece.command, args, platform) } : piece
  )
  const commands = resolved.flatMap((piece) => (piece._tag === "Shell" ? [piece.command] : []))
  const verdict = yield* checkCommands(name, commands)
  const go = submit(resolved, { args, line: invocation.line, appendsLine: args !== "" && !takesArguments(pieces) })
  if (verdict._tag === "Allowed") return yield* go
  if (!invocation.isInteractive) {
    return yield* new CommandError({ kind: "interactive", detail: `/${name} wants to run ${verdict.ask.join(", ")}.` })
  }
  return askFirst(name, verdict.ask, (keep) =>
    Effect.gen(function* () {
      const allowlist = yield* SessionAllowlist
      if (keep) yield* allowlist.add(verdict.ask)
      return yield* go
    }).pipe(Effect.provide(services))
  )
})

/** The line behind the name, untouched: a commit message keeps its spaces and line ends. */
const rawArguments = ({ args, line }: Invocation): string => {
  const rest = /^\/\S+\s?([\s\S]*)$/.exec(line)?.[1]?.trim() ?? ""
  return rest.replace(/\s+/g, " ") === args ? rest : args
}

const askFirst = (
  name: string,
  commands: ReadonlyArray<string>,
  go: (keep: boolean) => Effect.Effect<CommandResult, CommandError>
): CommandResult => ({
  _tag: "Ask",
  question: {
    text: [
      `/${name} wants to run:`,
      ...commands.map((command) => `  | ${command.replaceAll("\n", "\n  | ")}`),
      "Allow?"
    ].join("\n"),
    choices: [
      { value: "once", label: "Yes, once" },
      { value: "session", label: "Yes, and these commands for the whole session" },
      { value: "cancel", label: "No, cancel" }
    ],
    answer: (value) =>
      value === "cancel" ? Effect.succeed(print("Cancelled: nothing was run.")) : go(value === "session")
  }
})

const submit = Effect.fnUntraced(function* (
  pieces: CustomCommand["pieces"],
  { appendsLine, args, line }: { readonly args: string; readonly line: string; readonly appendsLine: boolean }
) {
  const { services } = yield* LazyServices
  const context = yield* services
  const parts: Array<Part> = []
  const notes: Array<ExpansionNote> = []
  const addText = (text: string) => {
    const last = parts.at(-1)
    if (last?.text === undefined) parts.push({ text })
    else parts[parts.length - 1] = { text: last.text + text }
  }
  for (const piece of pieces) {
    if (piece._tag === "Text") addText(piece.text)
    if (piece._tag === "Arguments") addText(args)
    if (piece._tag === "Shell") addText(yield* Effect.provide(injectShell(piece.command), context))
    if (piece._tag !== "File") continue
    const path = piece.path.replaceAll(ARGUMENTS, () => args)
    const injected = yield* Effect.provide(injectFile(path, piece.written), context)
    notes.push(...injected.notes)
    for (const part of injected.parts) {
      if (part.text === undefined) parts.push(part)
      else addText(part.text)
    }
  }
  if (appendsLine) addText(`\n\n${line}`)
  return { _tag: "Submit", prompt: { text: line, parts }, notes } satisfies CommandResult as CommandResult
})
