/** What a shell would offer at the cursor: programs for the first word, well-known sub-commands, files and folders. */
import { statSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { EnvironmentView } from "../../config/environment.ts"
import { namesIn } from "../../system/folder-names.ts"
import type { Candidate, Completion } from "../command.ts"

export interface ShellPlace {
  readonly folder: string
  readonly environment: Pick<EnvironmentView, "get" | "home">
}

const SUBCOMMANDS: Readonly<Record<string, string>> = {
  git: "add bisect blame branch checkout cherry-pick clean clone commit config diff fetch grep init log merge mv pull push rebase reflog remote reset restore revert rm show stash status submodule switch tag worktree",
  npm: "audit ci exec init install link ls outdated pack publish rebuild run start test uninstall update version view"
}
const MAX_CANDIDATES = 500

export const completeShell = (command: string, cursor: number, place: ShellPlace): Completion => {
  const before = command.slice(0, cursor)
  const word = /(?:\\.|[^\s;&|()<>])*$/.exec(before)?.[0] ?? ""
  const from = before.length - word.length
  const earlier = wordsBefore(before.slice(0, from))
  const isPath = /[/~.]/.test(word)
  const names = isPath ? [] : earlier.length === 0 ? programs(word, place) : subcommands(earlier, word)
  const candidates = names.length > 0 ? names : paths(word, place)
  return { from, candidates: candidates.slice(0, MAX_CANDIDATES) }
}

/** Words of the command at the cursor; what stands before a `|`, `;` or `&` is another one. */
const wordsBefore = (text: string): ReadonlyArray<string> =>
  (text.split(/[;&|(]/).at(-1) ?? "").split(/\s+/).filter((word) => word !== "" && !/^\w+=/.test(word))

const subcommands = (earlier: ReadonlyArray<string>, word: string): ReadonlyArray<Candidate> => {
  const [program = ""] = earlier
  if (earlier.length !== 1 || !Object.hasOwn(SUBCOMMANDS, program)) return []
  return named((SUBCOMMANDS[program] ?? "").split(" "), word)
}

const programs = (word: string, { environment }: ShellPlace): ReadonlyArray<Candidate> => {
  if (word === "") return []
  const folders = (environment.get("PATH") ?? "").split(delimiter).filter((folder) => folder !== "")
  return named([...new Set(folders.flatMap((folder) => namesIn(folder)))].toSorted(), word)
}

const named = (names: ReadonlyArray<string>, word: string): ReadonlyArray<Candidate> =>
  names.filter((name) => name.startsWith(word)).map((value) => ({ value }))

const paths = (word: string, { environment, folder }: ShellPlace): ReadonlyArray<Candidate> => {
  const typed = word.replace(/\\(.)/g, "$1")
  const split = typed.lastIndexOf("/") + 1
  const [parent, beginning] = [typed.slice(0, split), typed.slice(split)]
  const place = parent.startsWith("~/") ? join(environment.home ?? "/", parent.slice(2)) : parent
  const full = place.startsWith("/") ? place : join(folder, place)
  return namesIn(full)
    .filter((name) => name.startsWith(beginning) && (beginning.startsWith(".") || !name.startsWith(".")))
    .toSorted()
    .map((name) => ({
      value: `${parent}${name}`.replace(/[^\w./~+:@%,=-]/g, "\\$&") + (isFolder(join(full, name)) ? "/" : "")
    }))
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
