/**
 * All slash commands of a session: built in, of higher rooms, of skills, MCP prompts and files. It finds the command
 * that a line names, runs it, and knows what a line could become (completion).
 */
import { Context, Effect, Layer, Ref } from "effect"
import { closestNames } from "../kernel/closest-name.ts"
import { jsonText } from "../kernel/readable-text.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { type Command, type CommandCompletion, type CommandResult, type Invocation, print } from "./command.ts"
import { CommandError } from "./command-error.ts"
import { looksLikeText, type Match, matchCommand } from "./command-match.ts"
import { resolveNames } from "./command-names.ts"
import { completeLine } from "./complete-line.ts"
import { textTable } from "./text-table.ts"

export class CommandRegistry extends Context.Tag("agent/slash/CommandRegistry")<
  CommandRegistry,
  {
    /** All of them, hidden ones included, in order. */
    readonly commands: Effect.Effect<ReadonlyArray<Command>>
    /** The command that a line names; `undefined` when it names none. For the question whether it may run now. */
    readonly find: (line: string) => Effect.Effect<Command | undefined>
    /**
     * Carries out a line that `isSlashLine` accepts. A line that only looks like a command (a path) comes back as
     * `SubmitTyped`; an unknown command is an error with the nearest names.
     */
    readonly run: (
      line: string,
      options: { readonly isInteractive: boolean }
    ) => Effect.Effect<CommandResult, CommandError>
    /** For a line that starts with `/`: names, sub-commands and their arguments. */
    readonly complete: (text: string, cursor: number) => Effect.Effect<CommandCompletion>
    /** Reads the commands of files and servers again. The texts say what was found, renamed or broken. */
    readonly reload: Effect.Effect<ReadonlyArray<string>>
    /** What was renamed or broken when the commands were read last. */
    readonly notices: Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/** Commands of files, servers and skills, and what is to be said about them. */
export interface DiscoveredCommands {
  readonly commands: ReadonlyArray<Command>
  readonly notices: ReadonlyArray<string>
}

export interface CommandRegistryOptions {
  /** Given the registry itself, because `/help` lists it. */
  readonly builtins: (registry: CommandRegistry["Type"]) => ReadonlyArray<Command>
  /** Read at the first need, and when the person asks for it. */
  readonly discover: Effect.Effect<DiscoveredCommands>
  /** Ids of extensions by name, for telemetry. */
  readonly extensionIds?: ReadonlyMap<string, string>
}

export const layer = ({ builtins, discover, extensionIds }: CommandRegistryOptions): Layer.Layer<CommandRegistry> =>
  Layer.effect(
    CommandRegistry,
    Effect.gen(function* () {
      const known = yield* Ref.make<DiscoveredCommands | undefined>(undefined)

      const read = Effect.gen(function* () {
        const found = yield* discover
        const named = resolveNames(builtins(registry), found.commands)
        const all: DiscoveredCommands = { commands: named.commands, notices: [...found.notices, ...named.notices] }
        yield* Ref.set(known, all)
        return all
      })
      const all = Effect.flatMap(Ref.get(known), (now) => (now === undefined ? read : Effect.succeed(now)))
      const commands = Effect.map(all, (now) => now.commands)

      const registry: CommandRegistry["Type"] = {
        commands,
        find: (line) =>
          Effect.map(commands, (present) => {
            const match = matchCommand(present, line)
            return match._tag === "Found" ? match.command : undefined
          }),
        run: Effect.fn("CommandRegistry.run")(function* (line, { isInteractive }) {
          const present = yield* all
          const match = matchCommand(present.commands, line)
          if (match._tag === "Unknown") return yield* unknown(present, match.word, line)
          const result = yield* told(match, extensionIds, carryOut(match, { line: line.trim(), isInteractive }))
          return match.wantsJson ? asJson(result) : result
        }),
        complete: (text, cursor) => Effect.flatMap(commands, (present) => completeLine(present, text, cursor)),
        reload: Effect.map(read, ({ notices }) => notices),
        notices: Effect.map(all, ({ notices }) => notices)
      }
      return registry
    })
  )

type Found = Extract<Match, { readonly _tag: "Found" }>

const carryOut = Effect.fnUntraced(function* (match: Found, given: Omit<Invocation, "args">) {
  yield* checkArguments(match)
  const { args, command } = match
  return command.run === undefined ? print(commandHelp(command, match.path)) : yield* command.run({ args, ...given })
})

/** Telemetry hears which command it was, and whether it could be carried out. */
const told = <E>(
  { command: { source }, path }: Found,
  extensionIds: CommandRegistryOptions["extensionIds"],
  run: Effect.Effect<CommandResult, E>
): Effect.Effect<CommandResult, E> => {
  const [command = "", ...subcommands] = path.split(" ")
  const subcommand = subcommands.length === 0 ? undefined : subcommands.join(" ")
  const extension = source._tag === "Extension" || source._tag === "Skill" ? source.extension : undefined
  const tell = (status: "success" | "error") =>
    Effect.flatMap(Telemetry, ({ log }) =>
      log({
        name: "gemini_cli.slash_command",
        body: `Slash command: ${command}.`,
        attributes: { command, subcommand, status, extension_id: extensionIds?.get(extension ?? "") }
      })
    )
  return run.pipe(
    Effect.tap(() => tell("success")),
    Effect.tapError(() => tell("error"))
  )
}

const unknown = (
  { commands, notices }: DiscoveredCommands,
  word: string,
  line: string
): Effect.Effect<CommandResult, CommandError> => {
  if (word === "" || looksLikeText(line)) return Effect.succeed({ _tag: "SubmitTyped", text: line })
  const broken = notices.find((notice) => notice.includes(`/${word.replaceAll(":", "/")}.toml:`))
  if (broken !== undefined) return new CommandError({ kind: "failed", detail: `/${word} cannot be used: ${broken}` })
  const names = commands.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name)
  const begun = names.filter((name) => name.startsWith(word))
  const near = (begun.length === 0 ? closestNames(word, names) : begun).map((name) => `/${name}`)
  const advice = near.length === 0 ? "/help lists them." : `Did you mean ${near.join(" or ")}?`
  return new CommandError({ kind: "unknown", detail: `There is no command /${word}.`, advice })
}

/** Words that a command without arguments does not know are ignored, unless one was meant as a sub-command. */
const checkArguments = ({ args, command, path }: Found): Effect.Effect<void, CommandError> => {
  const subs = (command.subcommands ?? []).filter(({ isHidden }) => isHidden !== true).map(({ name }) => name)
  if (args === "" || command.usage !== undefined || subs.length === 0) return Effect.void
  const [word] = args.split(" ")
  const detail = `/${path} has no sub-command ${word}.`
  return new CommandError({ kind: "usage", detail, advice: `It has: ${subs.join(", ")}.` })
}

/** The same answer for programs, where the command has one. */
const asJson = (result: CommandResult): CommandResult =>
  result._tag === "Print" ? { ...print(jsonText(result.data ?? { text: result.text }, 2)), format: "data" } : result

/** `//` and `/*` begin a comment that somebody pasted, not a command. */
export const isSlashLine = (line: string): boolean => /^\/(?![/*])/.test(line.trimStart())

/**
 * Help as people read it: one command with all that may follow it, or a line for each of many. Pure.
 * `path`: the words that lead to the command.
 */
export const commandHelp = (command: Command, path: string): string => {
  const { aliases = [], description, run, subcommands = [], usage } = command
  const own = run === undefined ? [] : [[line(path, usage), description]]
  const subs = subcommands.filter(isShown).map((sub) => [line(`${path} ${sub.name}`, sub.usage), sub.description])
  return [
    ...(run === undefined ? [description] : []),
    textTable([...own, ...subs], "  "),
    ...(aliases.length === 0 ? [] : [`Also called ${aliases.map((alias) => `/${alias}`).join(", ")}.`])
  ].join("\n")
}

/** Longer ones would leave no room for the words beside them; `/help <command>` has them. */
const MAX_USAGE_LENGTH = 12

export const commandList = (commands: ReadonlyArray<Command>): string =>
  textTable(
    commands
      .filter(isShown)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ aliases = [], description, name, subcommands = [], usage }) => [
        line(name, usage !== undefined && usage.length > MAX_USAGE_LENGTH ? "..." : usage),
        [
          description,
          ...(subcommands.some(isShown)
            ? [
                `[${subcommands
                  .filter(isShown)
                  .map((sub) => sub.name)
                  .join(", ")}]`
              ]
            : []),
          ...(aliases.length === 0 ? [] : [`(also ${aliases.map((alias) => `/${alias}`).join(", ")})`])
        ].join(" ")
      ]),
    "  "
  )

const isShown = ({ isHidden }: Command): boolean => isHidden !== true

const line = (path: string, usage: string | undefined): string => [`/${path}`, usage].filter(Boolean).join(" ")
