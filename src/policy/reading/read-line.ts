/** From the text of a line to what is understood of it. Loaded with the first shell command that is judged. */
import { kernelPath } from "../../files/real-path.ts"
import type { ShellProgram } from "../../shell/invocation.ts"
import type { PlainScript } from "../../shell/plain/plain-script.ts"
import { isPlain, readPlain } from "../../shell/plain/read-plain.ts"
import type { DecisionContext } from "../decision.ts"
import { isOpenReally } from "../paths.ts"
import { gitFolder } from "./git-repository.ts"
import { Play } from "./interpret.ts"
import type { GitFolder } from "./program-table.ts"
import { SUBCOMMAND_NAMES } from "./programs/git/git.ts"
import { type LineReading, leavesNames, type ReadingPlace, readsAlone, type UnderstoodCommand } from "./reading.ts"
import type { ShellState } from "./shell-state.ts"
import { type ProgramOrigin, programOrigin } from "./system-program.ts"

/** A line longer than this is nobody's everyday command. */
const MAX_CHARS = 20_000

export const readLine = (text: string, place: ReadingPlace): LineReading => {
  if (text.length > MAX_CHARS) return { _tag: "NotPlain", detail: "the line is very long" }
  // It has other quotes, some of which are letters to bash: what is understood here may be something else there.
  if (place.dialect === "powershell") return { _tag: "NotPlain", detail: "it is a line of PowerShell" }
  const read = readPlain(text, place.dialect)
  if (!isPlain(read)) return { _tag: "NotPlain", detail: `it is not plain: ${read.detail}` }
  const commands = interpret(read, place)
  return commands.length === 0
    ? { _tag: "NotPlain", detail: "there is no command in it" }
    : { _tag: "Understood", commands }
}

/** Exported for the fuzzer, which compares it with shells. */
export const interpret = (script: PlainScript, place: ReadingPlace): ReadonlyArray<UnderstoodCommand> => {
  const folders = [...new Set([place.folder, kernelPath("/", place.folder) ?? place.folder])]
  const start: ShellState = { folders, variables: new Map(), doubt: undefined, areNamesFixed: true }
  const commands = new Play(place, 0).whole(script, start)
  // Only a line that does nothing but read gets the environment that keeps programs from what may not be read.
  if (commands.every(readsAlone)) return commands
  const unguarded = { ...place, isGuarded: false }
  // Where one of them may make files, now or beside the others, a pattern can meet names that are not there yet.
  const areNamesFixed = commands.every(leavesNames)
  if (areNamesFixed && place.isGuarded !== true) return commands
  return new Play(unguarded, 0).whole(script, { ...start, areNamesFixed })
}

export interface ShellFacts {
  /** The environment that commands start from. */
  readonly variables: Readonly<Record<string, string>>
  readonly dialect: ShellProgram["dialect"]
}

/** What the line is read in: the folder, the workspace, and this machine as it is now. */
export const readingPlace = (
  folder: string,
  context: Omit<DecisionContext, "shell" | "reading">,
  { dialect, variables }: ShellFacts
): ReadingPlace => {
  const repositories = new Map<string, GitFolder>()
  const origins = new Map<string, ProgramOrigin>()
  return {
    folder,
    dialect,
    variables,
    home: context.home,
    // A file that every shell reads first may set the environment anew.
    isGuarded: variables.BASH_ENV === undefined,
    isReadable: (real) => isOpenReally(real, "read", context),
    holdsClosed: context.holdsClosed,
    programOrigin: (name) => {
      const found =
        origins.get(name) ?? programOrigin(name, { path: variables.PATH ?? "", roots: context.workspaceDirs })
      origins.set(name, found)
      return found
    },
    gitFolder: (at) => {
      const found = repositories.get(at) ?? gitFolder(at, variables, SUBCOMMAND_NAMES)
      repositories.set(at, found)
      return found
    }
  }
}
