/**
 * How a program with a table is called so that every option of it can be tried, what it reads of the system, and which
 * options of its help the table leaves out, with the reason. In the folder where they run stand `lines.txt`, `more.txt`,
 * `ids.txt` (numbers of processes), `a.out` (a program), `change.diff`, `sub/inner.txt`, the link `link`, and `repo`, a
 * repository of git with one commit.
 */

export interface ProgramSample {
  readonly operands?: string
  readonly input?: string
  /** Values of options where `1` is none, in the words that are put behind the option; `=` before it: attached. */
  readonly values?: Readonly<Record<string, string>>
  /** Words that an option needs beside it. */
  readonly beside?: Readonly<Record<string, string>>
  /** Cannot be tried by themselves. */
  readonly untried?: string
  /** What an option makes of the operands. */
  readonly insteadOfOperands?: Readonly<Record<string, string>>
  /** Whole calls, for programs whose words the table reads itself. */
  readonly lines?: ReadonlyArray<string>
  /** What the program answers where it found a difference, or nothing. */
  readonly exits?: ReadonlyArray<number>
  readonly reads?: ReadonlyArray<string>
  readonly writes?: RegExp
  /** How to ask for help; `none`: it has none. */
  readonly help?: string | "none"
  /** Its own way of reading words: the rules of `getopt` are not tried on it. */
  readonly hasOwnParser?: true
  /** In the help and not in the table: the reason, and the options. */
  readonly unlisted?: Readonly<Record<string, string>>
  /** In the table and not in the help. */
  readonly undocumented?: string
}

/** Programs of one release: what a newer one adds is no fault of the table, which does not know it and asks. */
export interface ProgramSuite {
  readonly release: string
  /** How to ask the first program for its release. */
  readonly asks?: string
  /** Not part of every machine: nothing is missed where it is not there. */
  readonly isRare?: true
  readonly programs: Readonly<Record<string, ProgramSample>>
}

export const TEXT: ProgramSample = { operands: "lines.txt" }
export const UNUSED = "nobody needs it in a line that runs unasked"
export const HELP = "a wrapper that runs nothing"

/** Of programs that not every machine has, in no certain release. */
export const rare = (programs: ProgramSuite["programs"]): ProgramSuite => ({ release: "", isRare: true, programs })
