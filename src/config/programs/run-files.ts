/**
 * The files of the project that a configured command runs: scripts that it calls or gives to an interpreter, and programs
 * that it hands to another one. Files that it only reads or writes are not part of it: they change all the time.
 *
 * The command is read word by word, which is enough for the commands that people write into settings. Where in doubt a
 * file counts.
 */
import { statSync } from "node:fs"
import { basename, resolve, sep } from "node:path"

/** Names that may stand in a command for places, with what they stand for. */
export type Places = Readonly<Record<string, string>>

/** Programs that run what their arguments name. */
const RUNNERS: ReadonlySet<string> = new Set(
  (
    "sh bash dash zsh ksh fish source node bun tsx deno python python2 python3 uv ruby perl php lua " +
    "pwsh powershell Rscript java go make just xargs"
  ).split(" ")
)
const ASSIGNMENT = /^\w+=/

/** A redirection of output with its target, a word, or what ends a command. */
const TOKEN =
  /\d*&?>>?[|&]?\s*(?:"[^"]*"|'[^']*'|[^\s;|&()<>"'])+|((?:"[^"]*"|'[^']*'|\\.|[^\s;|&()<>"'\\])+)|([;|&()\n]+)/g

/** `folder`: where the command runs; the project where nothing is said. */
export const runFiles = (command: string, places: Places, project: string, folder = project): ReadonlyArray<string> => {
  const files = simpleCommands(command).flatMap((words) => {
    const program = words.find((word) => !ASSIGNMENT.test(word)) ?? ""
    const runsFiles = program === "." || words.some((word) => RUNNERS.has(basename(bare(word))))
    return words.flatMap((word) =>
      namesIn(word)
        .map((name) => resolve(folder, withPlaces(name, places)))
        .filter((file) => isRun(file, { project, byName: runsFiles || word === program }))
    )
  })
  return [...new Set(files)]
}

/** Every reference replaced, whatever stands around it. */
const withPlaces = (word: string, places: Places): string =>
  Object.entries(places).reduce(
    (text, [name, value]) =>
      text.replaceAll(`\${${name}}`, value).replace(new RegExp(`\\$${name}(?!\\w)`, "g"), () => value),
    word
  )

const simpleCommands = (command: string): ReadonlyArray<ReadonlyArray<string>> => {
  const commands: Array<Array<string>> = [[]]
  for (const [, word, end] of command.matchAll(TOKEN)) {
    if (word !== undefined) commands.at(-1)?.push(word)
    else if (end !== undefined) commands.push([])
  }
  return commands
}

const bare = (word: string): string => word.replace(/["']/g, "")

/** The word itself, and the words of a command within it (`bash -c './check.sh && true'`). */
const namesIn = (word: string): ReadonlyArray<string> =>
  [bare(word), ...bare(word).split(/[\s;|&()<>]+/)].filter((name) => name !== "")

const isRun = (file: string, { byName, project }: { readonly project: string; readonly byName: boolean }): boolean => {
  if (!file.startsWith(`${project}${sep}`)) return false
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats?.isFile() === true && (byName || (stats.mode & 0o111) !== 0)
  } catch {
    return false
  }
}
