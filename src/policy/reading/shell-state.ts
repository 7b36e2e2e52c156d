/**
 * What the shell knows at a point of a line: where it is, what its variables hold, and whether names still mean what they
 * say. A line has several such states where it branches; they are joined, so that every one that is possible is judged.
 */
import { programTable } from "./program-list.ts"
import type { CallWord } from "./program-table.ts"
import type { Doubt, ReadingPlace } from "./reading.ts"

/** Values that a variable may have. */
export type Values = ReadonlyArray<CallWord>

export const UNKNOWN: CallWord = { text: "", isExact: false }

export interface ShellState {
  /** Every folder that may be the working folder, as the shell names it; `undefined`: not known. */
  readonly folders: ReadonlyArray<string> | undefined
  readonly variables: ReadonlyMap<string, Values>
  /** What makes every later command doubtful: names may mean something else by now. */
  readonly doubt: Doubt | undefined
  /** No command of the line makes files: what a pattern matches now is what it will match. */
  readonly areNamesFixed: boolean
}

export const either = (one: ShellState, other: ShellState): ShellState => ({
  folders:
    one.folders === undefined || other.folders === undefined
      ? undefined
      : [...new Set([...one.folders, ...other.folders])],
  variables: eitherVariables(one.variables, other.variables),
  doubt: one.doubt ?? other.doubt,
  areNamesFixed: one.areNamesFixed
})

const eitherVariables = (
  one: ReadonlyMap<string, Values>,
  other: ReadonlyMap<string, Values>
): ReadonlyMap<string, Values> => {
  const both = new Map<string, Values>()
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const values = [...(one.get(name) ?? [UNKNOWN]), ...(other.get(name) ?? [UNKNOWN])]
    both.set(name, [...new Map(values.map((value) => [`${value.isExact} ${value.text}`, value])).values()])
  }
  return both
}

export const isSame = (one: ShellState, other: ShellState): boolean =>
  one.doubt?.why === other.doubt?.why &&
  one.folders?.length === other.folders?.length &&
  one.variables.size === other.variables.size &&
  [...one.variables].every(([name, values]) => other.variables.get(name)?.length === values.length)

/** Builtins that are no program: what they change is not followed. */
const CHANGES_SHELL = new Set([
  ...[".", "alias", "bind", "builtin", "caller", "complete", "compopt", "declare", "dirs", "disown", "enable", "eval"],
  ...["exec", "export", "fc", "getopts", "hash", "let", "local", "mapfile", "popd", "pushd", "read", "readarray"],
  ...[
    "readonly",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait"
  ]
])

/** The state behind a command: one that may change what names mean leaves nothing that is certain. */
export const changed = (state: ShellState, name: CallWord | undefined): ShellState => {
  const known = name?.isExact === true ? programTable(name.text) : undefined
  if (name?.isExact === true && (known !== undefined || !CHANGES_SHELL.has(name.text))) return state
  const shown = name?.isExact === true ? `\`${name.text}\`` : "a command that is not known"
  const why = `${shown} before it may change what names mean`
  return { ...state, folders: undefined, doubt: { kind: "state", why } }
}

/** Lower-case names that programs read all the same. */
const READ_BY_PROGRAMS = /^(?:npm_|https?_?proxy|ftp_?proxy|all_?proxy|no_?proxy)/

export const assignmentDoubt = (
  name: string,
  { variables }: ReadingPlace
): Extract<Doubt, { readonly kind: "environment" }> | undefined => {
  const isLocal = /^[a-z_][a-z0-9_]*$/.test(name) && name !== "_" && !READ_BY_PROGRAMS.test(name)
  // A name that was exported before is handed to every program that follows.
  return isLocal && variables[name] === undefined
    ? undefined
    : { kind: "environment", why: `the variable \`${name}\` is set for what follows` }
}
