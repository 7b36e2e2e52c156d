/** `/help`: all commands, and the signs with which a line begins; with a name, all about one command. */
import { Effect } from "effect"
import { type Command, print, slash } from "../command.ts"
import { CommandError } from "../command-error.ts"
import { matchCommand } from "../command-match.ts"
import { CommandRegistry, commandHelp, commandList } from "../command-registry.ts"
import { completeWord } from "../complete-line.ts"

export const help = slash<CommandRegistry>({
  name: "help",
  description: "What can be typed here",
  usage: "[command]",
  isConcurrent: true,
  run: ({ args }) => (args === "" ? all : one(args)),
  complete: (typed) => Effect.map(shown, (commands) => completeWord(typed, commands.map(candidate)))
})

const shown = Effect.flatMap(CommandRegistry, ({ commands }) =>
  Effect.map(commands, (known) => known.filter(({ isHidden }) => isHidden !== true))
)

const candidate = ({ description, name }: Command) => ({ value: name, hint: description })

const all = Effect.map(shown, (commands) =>
  print(
    [
      "Type a prompt, or a line that begins with one of these:",
      "  /command   a command of the list below; a beginning of its name is enough",
      "  !command   run it in the shell; a lone ! switches to shell mode",
      "Anywhere in a prompt:",
      "  @path      attach a file or a folder; @file:10-20 only these lines",
      "/shortcuts shows the keys, /help <command> all about one. Commands that print something take --json.",
      "",
      commandList(commands)
    ].join("\n"),
    commands.map(facts)
  )
)

const facts = ({ aliases = [], description, name, subcommands = [], usage }: Command) => ({
  name,
  aliases,
  description,
  usage: usage ?? null,
  subcommands: subcommands.map((sub) => sub.name)
})

const one = Effect.fnUntraced(function* (named: string) {
  const { commands } = yield* CommandRegistry
  const match = matchCommand(yield* commands, `/${named.replace(/^\//, "")}`)
  if (match._tag === "Found") return print(commandHelp(match.command, match.path), facts(match.command))
  return yield* new CommandError({ kind: "unknown", detail: `There is no command /${match.word}.`, advice: "/help" })
})
