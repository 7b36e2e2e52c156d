/**
 * `/help` and `/shortcuts`: all commands, the signs with which a line begins, and keys; with a name, all about one
 * command.
 */
import { Effect } from "effect"
import { type Command, print, slash } from "../command.ts"
import { CommandError } from "../command-error.ts"
import { matchCommand } from "../command-match.ts"
import { CommandRegistry, commandHelp, commandList } from "../command-registry.ts"
import { completeWord } from "../complete-line.ts"
import { textTable } from "../text-table.ts"

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

const KEYS: ReadonlyArray<readonly [string, string]> = [
  ["Enter", "send"],
  ["Ctrl-J, Alt-Enter, \\ Enter", "new line"],
  ["Tab", "complete; twice: list what fits"],
  ["Up, Down, Ctrl-P, Ctrl-N", "earlier and later lines"],
  ["Ctrl-R", "search in earlier lines"],
  ["Ctrl-A, Ctrl-E", "begin and end of the line"],
  ["Alt-B, Alt-F", "a word back, a word on"],
  ["Ctrl-W, Alt-D, Ctrl-U, Ctrl-K", "cut the word before, the word behind, all before, all behind"],
  ["Alt-Y", "put back what was cut; again: an older cut"],
  ["Ctrl-_", "undo"],
  ["Ctrl-G, Ctrl-X Ctrl-E", "go on in $VISUAL or $EDITOR"],
  ["Shift-Tab", "next approval mode: default, auto_edit, plan, yolo"],
  ["Ctrl-Y", "put back what was cut"],
  ["Ctrl-]", "type to the command that runs; there, leave it running in the background"],
  ["Ctrl-C", "cancel what runs; clear the line; twice: leave"],
  ["Esc", "cancel what runs"],
  ["Ctrl-D", "leave, on an empty line"],
  ["Ctrl-L", "clear the window"],
  ["Ctrl-Z", "stop the program; fg goes on"]
]

/** `/shortcuts`: the keys of the line editor. */
export const shortcuts = slash({
  name: "shortcuts",
  description: "Keys of the line editor",
  isConcurrent: true,
  run: () =>
    Effect.succeed(
      print(
        textTable(KEYS),
        KEYS.map(([keys, meaning]) => ({ keys, meaning }))
      )
    )
})
