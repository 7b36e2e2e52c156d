/**
 * Runs a custom command: its files are read, its shell commands checked by the policy and run, and what comes of it is
 * a prompt for the model. Everything is checked before anything runs.
 */
import { Duration, Effect } from "effect"
import { Environment } from "../../config/environment.ts"
import { Workspace } from "../../files/workspace.ts"
import { frameName } from "../../kernel/prompt-frames.ts"
import type { Policy } from "../../policy/policy.ts"
import type { Part } from "../../protocol/content.ts"
import { Shell } from "../../shell/shell.ts"
import type { ShellResult } from "../../shell/shell-command.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { type Attachments, readContents } from "../at/attach-files.ts"
import { resolvePath } from "../at/resolve-reference.ts"
import { type Command, type CommandResult, type CommandSource, type Invocation, print } from "../command.ts"
import { CommandError, failed } from "../command-error.ts"
import type { ExpansionNote } from "../prompt-expansion.ts"
import { headAndTail } from "../shell-line.ts"
import { checkCommands, SessionAllowlist } from "./check-commands.ts"
import {
  type CustomCommand,
  commandWith,
  filledIn,
  type TemplatePiece,
  type TemplateValues,
  takesArguments
} from "./template.ts"

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
  const values = new Map([["args", args]])
  const resolved = pieces.map((piece) =>
    piece._tag === "Shell" ? { ...piece, command: commandWith(piece.command, values, platform) } : piece
  )
  const verdict = yield* checkCommands(`/${name}`, commandsIn(resolved))
  const tail = args !== "" && !takesArguments(pieces) ? `\n\n${invocation.line}` : ""
  const go = submit(resolved, { values, line: invocation.line, tail })
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

/**
 * The prompt of a file that is run by its name, where nobody can be asked: a command that the policy does not allow fails
 * it before anything runs. `before` and `behind`: what stands around it.
 */
export const programPrompt = Effect.fn("CustomCommand.program")(function* (
  name: string,
  pieces: ReadonlyArray<TemplatePiece>,
  values: TemplateValues
) {
  const { platform } = yield* Environment
  const resolved = pieces.map((piece) =>
    piece._tag === "Shell" ? { ...piece, command: commandWith(piece.command, values, platform) } : piece
  )
  const verdict = yield* checkCommands(name, commandsIn(resolved))
  if (verdict._tag === "Ask") {
    return yield* new CommandError({
      kind: "denied",
      detail: `${name} wants to run ${verdict.ask.join(", ")}, and nobody can be asked.`,
      advice: "Allow it by a rule (--policy), by --allowed-tools, or by --approval-mode yolo."
    })
  }
  return yield* expanded(resolved, values)
})

const commandsIn = (pieces: ReadonlyArray<TemplatePiece>): ReadonlyArray<string> =>
  pieces.flatMap((piece) => (piece._tag === "Shell" ? [piece.command] : []))

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
  { line, tail, values }: { readonly values: TemplateValues; readonly line: string; readonly tail: string }
) {
  const { notes, parts } = yield* expanded(
    [...pieces, ...(tail === "" ? [] : [{ _tag: "Text", text: tail } as const])],
    values
  )
  return { _tag: "Submit", prompt: { text: line, parts }, notes } satisfies CommandResult as CommandResult
})

const expanded = Effect.fnUntraced(function* (pieces: CustomCommand["pieces"], values: TemplateValues) {
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
    if (piece._tag === "Arguments") addText(values.get(piece.name ?? "args") ?? "")
    if (piece._tag === "Shell") addText(yield* Effect.provide(injectShell(piece.command), context))
    if (piece._tag !== "File") continue
    const injected = yield* Effect.provide(injectFile(filledIn(piece.path, values), piece.written), context)
    notes.push(...injected.notes)
    for (const part of injected.parts) {
      if (part.text === undefined) parts.push(part)
      else addText(part.text)
    }
  }
  return { parts, notes } satisfies Injected as Injected
})

interface Injected {
  readonly parts: ReadonlyArray<Part>
  readonly notes: ReadonlyArray<ExpansionNote>
}

/**
 * The content of a file or folder. What cannot be read leaves its placeholder, and the person is told. `written`: the
 * placeholder as it stands in the prompt.
 */
const injectFile = Effect.fn("injectFile")(function* (path: string, written: string) {
  const resolution = yield* resolvePath(path)
  if (resolution._tag === "Nothing") {
    const isIgnored = resolution.why === "ignore files hide it"
    return {
      parts: isIgnored ? [] : [{ text: written }],
      notes: [warning(`${written}: ${resolution.why ?? "there is no such file"}`)]
    } satisfies Injected as Injected
  }
  const contents = yield* readContents([resolution])
  const notes = contents.skipped.map((one) => warning(`@{${one.path}} was left out: ${one.reason}`))
  if (resolution._tag === "Files") return { parts: folderParts(resolution.shown, contents), notes }
  const [file] = contents.read
  return { parts: file === undefined ? [{ text: written }] : [file.part], notes }
})

const folderParts = (shown: string, { read }: Attachments): ReadonlyArray<Part> => [
  { text: `--- Files of ${frameName(shown)} ---\n` },
  ...read.flatMap(({ part, path }) => {
    const heading = `--- ${frameName(path)} ---\n`
    return part.text === undefined ? [{ text: heading }, part] : [{ text: `${heading}${part.text}\n` }]
  }),
  { text: `--- End of files of ${frameName(shown)} ---` }
]

const warning = (message: string): ExpansionNote => ({ severity: "warning", message })

/** Characters of one output. */
const MAX_OUTPUT = 100_000

/** The output of a shell command. A failed one says so behind its output and does not fail the prompt. */
const injectShell = Effect.fn("injectShell")(function* (command: string) {
  const workspace = yield* Workspace
  const shell = yield* Shell
  const { command: tree, result } = yield* shell
    .run({ command, cwd: workspace.targetDir }, () => Effect.void)
    .pipe(Effect.mapError(failed))
  // The prompt has its output; what was left behind has nobody to read it.
  if (result.backgroundPids.length > 0) yield* tree.end
  return [headAndTail(result.output, MAX_OUTPUT), ...endLines(command, result)].filter((text) => text !== "").join("\n")
})

const endLines = (command: string, { exitCode, signal, timedOut }: ShellResult): ReadonlyArray<string> => {
  if (timedOut !== undefined) {
    return [`[The command ${quoted(command)} was ended after ${Duration.format(timedOut.silence)} without output]`]
  }
  if (signal !== null) return [`[The command ${quoted(command)} was ended by signal ${signal}]`]
  return exitCode === 0 || exitCode === null
    ? []
    : [`[The command ${quoted(command)} ended with exit code ${exitCode}]`]
}

const quoted = (command: string): string => `'${command.replace(/\s+/g, " ")}'`
