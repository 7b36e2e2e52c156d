/** `/shortcuts`: the keys of the line editor. */
import { Effect } from "effect"
import { print, slash } from "../command.ts"
import { textTable } from "../text-table.ts"

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
