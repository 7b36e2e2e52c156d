/**
 * Compares the reading of plain bash with bash itself: whatever a shell really calls must be among the calls that the
 * reading says are possible, with the same words, in one of the folders.
 */
import { realpathSync } from "node:fs"
import type { CallWord } from "../../../src/policy/reading/program-table.ts"
import { interpret } from "../../../src/policy/reading/read-line.ts"
import type { ReadingPlace, UnderstoodCommand } from "../../../src/policy/reading/reading.ts"
import { isPlain, readPlain } from "../../../src/shell/plain/read-plain.ts"
import { BashGrammar, type Vocabulary } from "./bash-grammar.ts"
import type { Chance } from "./chance.ts"
import {
  type Dialect,
  RECORDED_NAMES,
  type RecordedCall,
  type RecordedLine,
  type RecordingShell
} from "./recording-shell.ts"

const VOCABULARY: Vocabulary = {
  command: (chance) => chance.pick(RECORDED_NAMES),
  values: [
    ...[
      "a.txt",
      "b.txt",
      "src",
      "src/c.ts",
      "sp ace",
      "-n",
      "-e",
      "-exec",
      "--file=x",
      "--",
      "-",
      "x=1",
      "100",
      "2",
      ""
    ],
    ...[
      "l",
      "l/..",
      "deep/..",
      "..",
      ".",
      "=",
      ":",
      ",",
      "{",
      "}",
      "!",
      "[",
      "]",
      "[[",
      "]]",
      "if",
      "do",
      "done",
      "then"
    ],
    ...[
      "in",
      "time",
      "#",
      "#a",
      "a#b",
      "%s",
      "$x",
      "`",
      "\\",
      "'",
      '"',
      "a b",
      "a;b",
      "a\nb",
      "é",
      "~",
      "~/x",
      "*",
      "/usr/bin/ls"
    ],
    ...[
      "./ls",
      "fi",
      "case",
      "esac",
      "function",
      "coproc",
      "select",
      "{a,b}",
      "a=b",
      "-",
      "cd",
      "ls",
      "pwd",
      "b -delete"
    ]
  ],
  disorder: 3,
  targets: ["out", "src/out", "a.txt", "1", "2", "-", "&1", "#x", "sp out", "~/out", "$x"]
}

export const readerLine = (chance: Chance): string => new BashGrammar(chance, VOCABULARY).line()

export interface Misreading {
  readonly line: string
  readonly dialect: Dialect
  readonly what: string
}

/** `plain`: in how many lines there was something to compare. */
export const checkReading = async (
  lines: ReadonlyArray<string>,
  dialect: Dialect,
  shell: RecordingShell
): Promise<{ readonly plain: number; readonly misreadings: ReadonlyArray<Misreading> }> => {
  const place = placeOf(shell, dialect)
  const read = lines.flatMap((line) => {
    const script = readPlain(line, dialect)
    return isPlain(script) ? [{ line, commands: interpret(script, place) }] : []
  })
  const suspects = await misread(read, dialect, shell)
  const misreadings: Array<Misreading> = []
  // What runs in the background can end up in the record of the next line: each is looked at by itself.
  for (const suspect of suspects) misreadings.push(...(await misread([suspect], dialect, shell)))
  return { plain: read.length, misreadings }
}

interface ReadLine {
  readonly line: string
  readonly commands: ReadonlyArray<UnderstoodCommand>
}

const misread = async (
  read: ReadonlyArray<ReadLine>,
  dialect: Dialect,
  shell: RecordingShell
): Promise<ReadonlyArray<ReadLine & Misreading>> => {
  const recorded = await shell.run(
    read.map(({ line }) => line),
    dialect
  )
  return read.flatMap((one, index) => {
    const what = misreadIn(one.commands, recorded[index] ?? { calls: [], changesFiles: false })
    return what === undefined ? [] : [{ ...one, dialect, what }]
  })
}

const placeOf = (shell: RecordingShell, dialect: Dialect): ReadingPlace => ({
  folder: shell.work,
  home: shell.home,
  variables: shell.variables,
  dialect,
  isReadable: () => true,
  holdsClosed: () => false,
  programOrigin: () => "system",
  gitFolder: () => ({ isFound: false })
})

const misreadIn = (commands: ReadonlyArray<UnderstoodCommand>, recorded: RecordedLine): string | undefined => {
  for (const call of recorded.calls) {
    if (!commands.some((command) => foresees(command, call))) {
      return `called ${JSON.stringify(call.words)} in ${call.folder}`
    }
  }
  if (recorded.changesFiles && commands.every(({ redirections }) => redirections.length === 0)) return "changed files"
  return undefined
}

const foresees = ({ calls, doubts, words }: UnderstoodCommand, real: RecordedCall): boolean => {
  // An earlier command may have changed what names mean: that is said, and enough to ask.
  if (doubts.some(({ kind }) => kind === "state")) return true
  // What a file holds that the shell reads is not known, and its name is no program's.
  if (words[0]?.isExact === true && /^(?:\.|source)$/.test(words[0].text) && doubts.length > 0) return true
  if (calls === undefined) {
    const [name] = words
    return name === undefined || couldBe(name, real.words[0] ?? "")
  }
  return calls.some(
    (call) =>
      couldBeAll(call.words, real.words) &&
      (call.folders === undefined || call.folders.some((folder) => isSameFolder(folder, real.folder)))
  )
}

/** Names of a pattern may come in any order; nothing else stands between them. */
const couldBeAll = (known: ReadonlyArray<CallWord>, real: ReadonlyArray<string>): boolean => {
  const sorted = (words: ReadonlyArray<string>) =>
    words
      .map((word, index) => ({ word, isUnordered: known[index]?.isUnordered === true }))
      .filter((one) => one.isUnordered)
      .map(({ word }) => word)
      .toSorted()
      .join("\0")
  return (
    known.length === real.length &&
    known.every((word, index) => word.isUnordered === true || couldBe(word, real[index] ?? "")) &&
    sorted(known.map(({ text }) => text)) === sorted(real)
  )
}

/** Substitutions of processes are files with a number that the shell chooses. */
const couldBe = (known: CallWord, real: string): boolean =>
  known.isExact
    ? known.text === real || (/^\/dev\/fd\/\d+$/.test(known.text) && /^\/dev\/fd\/\d+$/.test(real))
    : real.startsWith(known.text)

const isSameFolder = (one: string, other: string): boolean => one === other || realOf(one) === realOf(other)

const realOf = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
