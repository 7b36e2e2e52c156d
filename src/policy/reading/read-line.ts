/** From the text of a line to what is understood of it. Loaded with the first shell command that is judged. */

import type { ShellProgram } from "../../shell/invocation.ts"
import { isPlain, readPlain } from "../../shell/plain/read-plain.ts"
import type { DecisionContext } from "../decision.ts"
import { isOpenInWorkspace } from "../paths.ts"
import { gitFolder } from "./git-repository.ts"
import { interpret } from "./interpret.ts"
import type { GitFolder } from "./program-table.ts"
import { SUBCOMMAND_NAMES } from "./programs/git/git.ts"
import type { LineReading, ReadingPlace } from "./reading.ts"
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
    isReadable: (real) => isOpenInWorkspace(real, "read", context),
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
