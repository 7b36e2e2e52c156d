/**
 * What is known of a program: its options with their exact spelling, whether they take a value, and what they do; what
 * its operands are. One file a program (`programs/`), compared with the real one by a test.
 *
 * A table is a statement that nothing else happens: a program without one, or an option that is not in it, is not
 * understood, and a person is asked. Options are never abbreviated here, although many programs take any clear beginning.
 */

/**
 * What calling a program, or giving it an option, does.
 *
 * `reads`: prints what it was asked for, from the paths that it was given. `reaches`: reads more than the paths that were
 * named (follows links, a list of files in a file). `writes`: changes files or the state of the system. `runs`: starts
 * other programs, or loads code. `connects`: uses the network.
 */
export type ProgramEffect = "reads" | "reaches" | "writes" | "runs" | "connects"

/**
 * What becomes of a value. `text`: it is never opened. `file`: its content is read. `names`: it is looked at, and the
 * names in it are listed. `tree`: everything below it is read. `followed`: the same, and links in it are followed.
 * `output`: it is written. `revision`: git takes it for a path, or for a revision with a path behind a colon. `folder`:
 * the program works there, and reads all other paths from there.
 */
export type ValueKind = "text" | "file" | "names" | "tree" | "followed" | "output" | "revision" | "folder"

export interface OptionSpec {
  /**
   * `optional`: a value only where it is attached, as in `--color=always`. `next`: the next word, also in the middle of a
   * group of letters, which goes on behind it. A number: so many words follow. `command`: all words up to `;`, or up to a
   * `+` behind `{}`. `maybe`: the next word, if there is one.
   */
  readonly takes: "nothing" | "value" | "optional" | "next" | "maybe" | "command" | 2
  /** What the value is; of two, the last one. `text` where it is not said. */
  readonly value?: ValueKind
  /** `reads` where it is not said. */
  readonly effect?: ProgramEffect
  /** Values that mean what the table says; another one is not understood. */
  readonly only?: RegExp
}

export type OptionTable = Readonly<Record<string, OptionSpec>>

export interface OperandSpec {
  /** The first ones, in order. */
  readonly first?: ReadonlyArray<ValueKind>
  /** All others; `none`: there may be none. */
  readonly rest: ValueKind | "none"
  /** What it does with the working folder when no operand of `rest` is given; absent: nothing, it reads its input. */
  readonly otherwise?: "names" | "tree"
}

/** One effect, or several: fetching connects and writes. */
export type Nature = ProgramEffect | ReadonlyArray<ProgramEffect>

export interface ProgramTable {
  readonly name: string
  /** Why it is known to do no more than this; for people. */
  readonly reason: string
  /** What the program is for: a permission that names it covers so much, and no option that does more. */
  readonly nature?: Nature | ((call: ParsedCall) => Nature)
  /** Part of the shell: no program of this name is looked for. */
  readonly isBuiltin?: true
  /** The table knows only a part of the program: every other call is as if there were none. */
  readonly isOpenEnded?: true
  /** Programs that it starts by their names, being a script around them: they are looked up as it is itself. */
  readonly starts?: ReadonlyArray<string>
  /** Programs that it starts by their names where they are needed; none of them may be anything but the system's. */
  readonly mayStart?: ReadonlyArray<string>
  /**
   * `gnu`: options stand anywhere before `--`. `leading`: they end at the first operand. `words`: there are no options,
   * every word is an operand.
   */
  readonly options: OptionTable
  readonly style?: "gnu" | "leading" | "words"
  /** `-5` is a number, not a group of options. */
  readonly hasNumberOption?: true
  /** Long options may be written with one dash, and nothing is a group of letters: `find`. */
  readonly hasLongDashes?: true
  /** Letters are not grouped: `-ps` is an option of its own, and `-pr` none. */
  readonly hasLoneLetters?: true
  /** Words that begin with a dash and are operands all the same: `-1.5`. */
  readonly operandsLike?: RegExp
  readonly operands?: OperandSpec | ((call: ParsedCall) => OperandSpec)
  /** Options of its own end at the name of one of these; the rest is judged by that table. */
  readonly subcommands?: Readonly<Record<string, ProgramTable>>
  /** How its words are read where none of them is named: `git stash` is `git stash push`. */
  readonly withoutSubcommand?: ProgramTable
  /** The first word is a group of letters without a dash, and their values follow in order: `tar xfC a.tar sub`. */
  readonly hasOldGroup?: true
  /**
   * The words behind its options and so many operands are a command, which is judged by itself. With one of the options
   * `unless` they are not run.
   */
  readonly wraps?: {
    readonly operands: number
    readonly takesAssignments?: true
    readonly unless?: ReadonlyArray<string>
    /** What runs where no command is given; absent: nothing. */
    readonly otherwise?: string
    /** Words that are read from somewhere take the place of this mark in the command, or follow it: `xargs`. */
    readonly adds?: (call: ParsedCall) => { readonly mark: string | undefined }
  }
  /** In the environment of lines that only read it passes over closed names, unless one of these options is given. */
  readonly passesOverUnless?: ReadonlyArray<string>
  /** What the options alone cannot tell: why this call is not understood as the table says. */
  readonly refuses?: (call: ParsedCall, place: CallPlace) => CallRefusal | undefined
  /** What it prints holds no blanks and no `*`, `?`, `[`: it may stand unquoted in another command. */
  readonly printsPlainly?: true
}

export interface CallRefusal {
  readonly effect: ProgramEffect | "unknown"
  readonly why: string
}

/** Where a call is judged, as far as a table may want to know. */
export interface CallPlace {
  /** Every folder that it may work in; `undefined`: not known. */
  readonly folders: ReadonlyArray<string> | undefined
  readonly gitFolder: (folder: string) => GitFolder
  /** In the environment of lines that only read. */
  readonly isGuarded?: boolean
}

/** What is known of the repository that git finds from a folder. */
export interface GitFolder {
  readonly isFound: boolean
  /** Why git that only reads would do more there. */
  readonly readingDoubt?: string
  /** Why nobody can have meant this repository, whatever git is permitted to do. */
  readonly actingDoubt?: string
  /** Why git that opens every file of the index may read others; it takes a while to tell. */
  readonly searchDoubt?: () => string | undefined
  /** Why git may show what may not be read; `isPassedOver`: in an environment where it does not show such files. */
  readonly contentDoubt?: (isPassedOver: boolean) => string | undefined
  /** Why one of these names of objects is the content of a file that may not be read. */
  readonly namesClosed?: (ids: ReadonlyArray<string>) => string | undefined
  /** Passwords or tokens stand in the addresses and headers of its configuration. */
  readonly holdsCredentials?: true
}

/** A word as far as it is known before the line runs. */
export interface CallWord {
  /** The whole of it, or how it begins. */
  readonly text: string
  readonly isExact: boolean
  /** One of several names that a pattern stands for: which of them comes first depends on the language of the shell. */
  readonly isUnordered?: true
}

export interface ParsedCall {
  readonly table: ProgramTable
  readonly options: ReadonlyArray<{ readonly name: string; readonly spec: OptionSpec; readonly value?: CallWord }>
  readonly operands: ReadonlyArray<CallWord>
}

export const has = (call: ParsedCall, ...names: ReadonlyArray<string>): boolean =>
  call.options.some(({ name }) => names.includes(name))

export const optionValue = (call: ParsedCall, ...names: ReadonlyArray<string>): CallWord | undefined =>
  call.options.findLast(({ name }) => names.includes(name))?.value

export const natureOf = (call: ParsedCall): ReadonlyArray<ProgramEffect> => {
  const { nature = "reads" } = call.table
  const found = typeof nature === "function" ? nature(call) : nature
  return typeof found === "string" ? [found] : found
}

/** Options that take nothing: `"-a -l --all"`. */
export const flags = (names: string, more: Omit<OptionSpec, "takes"> = {}): OptionTable =>
  each(names, { takes: "nothing", ...more })

/** Options that take a value: attached, behind `=`, or as the next word. */
export const valued = (names: string, more: Omit<OptionSpec, "takes"> = {}): OptionTable =>
  each(names, { takes: "value", ...more })

/** Options whose value is the next word, whatever is attached; of a number also what is attached. */
export const spaced = (names: string, more: Omit<OptionSpec, "takes"> = {}): OptionTable =>
  each(names, { takes: "next", ...more })

/** Options whose value, if there is one, is attached. */
export const optional = (names: string, more: Omit<OptionSpec, "takes"> = {}): OptionTable =>
  each(names, { takes: "optional", ...more })

/** Options with their opposites, none of which takes anything: `--all` and `--no-all`. */
export const switches = (names: string, more: Omit<OptionSpec, "takes"> = {}): OptionTable => ({
  ...flags(names, more),
  ...flags(names.replaceAll("--", "--no-"), more)
})

const each = (names: string, spec: OptionSpec): OptionTable =>
  Object.fromEntries(names.split(/\s+/).flatMap((name) => (name === "" ? [] : [[name, spec]])))
