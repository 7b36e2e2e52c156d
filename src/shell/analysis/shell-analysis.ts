/**
 * What a shell command line would run, as far as it can be known without running it.
 *
 * The result is data: the policy judges it, `gemini policy test` prints it. It never claims more than it knows:
 * whatever the analysis cannot follow is listed as opaque, and nothing opaque is approved automatically.
 */

/** One word of a command with its quoting resolved. */
export interface Word {
  /** The text that the program would receive; expansions stand in it as they were written. */
  readonly value: string
  readonly raw: string
  /** What the value depends on at run time: variable names, `$(…)`, `<(…)` or `{…}`. Empty: the value is exact. */
  readonly dynamic: ReadonlyArray<string>
  /** Holds an unquoted `*`, `?` or `[`. */
  readonly hasGlob: boolean
  /** Begins with an unquoted `~`. */
  readonly hasTilde: boolean
  /** Written with `$'…'`, which can spell any character. */
  readonly hasAnsiC: boolean
  /** Holds an unquoted operator: the grammar and the shell would not agree on where the word ends. */
  readonly isMalformed: boolean
}

/**
 * `program`: does the work itself. `transparent`: runs the rest of its words unchanged (`timeout 5 …`).
 * `guarded`: runs the rest under other conditions (`sudo …`, `PATH=. …`), so permission for the rest is not enough.
 * `carrier`: its script was analysed instead and stands in the list by itself (`bash -c '…'`).
 */
export type FormRole = "program" | "transparent" | "guarded" | "carrier"

/** A command seen at one depth of wrapping: `sudo timeout 5 ls` has three forms. */
export interface CommandForm {
  readonly role: FormRole
  readonly words: ReadonlyArray<Word>
}

export type OpaqueKind =
  /** Decided before the grammar is loaded. */
  | "too-long"
  | "too-complex"
  | "parse-error"
  | "empty"
  /** The grammar and bash may read this text differently. */
  | "ambiguous"
  | "prompt-expansion"
  /** Arithmetic runs what is hidden in the variables that it names. */
  | "arithmetic"
  /** The name of the program is known only at run time. */
  | "dynamic-command"
  | "ansi-c-quoting"
  /** A wrapper whose options do not tell which command it runs. */
  | "unclear-wrapper"
  /** A function, alias or option changes what names mean. */
  | "redefinition"
  /** A variable that decides which programs run. Counts only where a rule forbids some commands. */
  | "environment"
  /** A shell or interpreter that reads its program from standard input. */
  | "stdin-script"
  /** An interpreter with code as its argument: the program is known, the code is not read. */
  | "code"

export interface Opaque {
  readonly kind: OpaqueKind
  /** One line for people. */
  readonly detail: string
}

export interface Redirection {
  readonly operator: string
  /** Absent for here-documents and closed descriptors. */
  readonly target: Word | undefined
  readonly text: string
  readonly access: "read" | "write" | "none"
  /** Only joins descriptors or discards output: `2>&1`, `>/dev/null`. */
  readonly isHarmless: boolean
}

export interface SimpleCommand {
  /** The innermost program as written; empty for a bare redirection. */
  readonly name: string
  /** Outermost first; the last is what does the work. Never empty. */
  readonly forms: ReadonlyArray<CommandForm>
  /** Where it stands in the text; for a nested script, where the command that carries it stands. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** How it is reached: `$(…)`, `bash -c`, `find -exec`, `function f`. */
  readonly via: ReadonlyArray<string>
  readonly redirections: ReadonlyArray<Redirection>
  readonly readsPipe: boolean
  /** Found inside an argument of the command before it, not written in the line itself. */
  readonly isNested: boolean
  readonly opaque: ReadonlyArray<Opaque>
}

export interface ShellAnalysis {
  readonly text: string
  readonly commands: ReadonlyArray<SimpleCommand>
  /** What makes the text as a whole unknowable. The opaque parts of single commands are listed with them. */
  readonly opaque: ReadonlyArray<Opaque>
  /** Texts of chains, pipelines, groups: rules written on text are tested on these too. */
  readonly compounds: ReadonlyArray<string>
  readonly functions: ReadonlyArray<string>
  readonly hasSubstitution: boolean
  readonly hasHereDocument: boolean
  readonly hasSubshell: boolean
  readonly hasBackground: boolean
  readonly hasForkBomb: boolean
}

export const opaqueAnalysis = (text: string, reason: Opaque): ShellAnalysis => ({
  text,
  commands: [],
  opaque: [reason],
  compounds: [],
  functions: [],
  hasSubstitution: false,
  hasHereDocument: false,
  hasSubshell: false,
  hasBackground: false,
  hasForkBomb: false
})

/** The words of the form that does the work. */
export const programWords = (command: SimpleCommand): ReadonlyArray<Word> =>
  command.forms[command.forms.length - 1]?.words ?? []

export const isOpaque = (analysis: ShellAnalysis): boolean =>
  analysis.opaque.length > 0 || analysis.commands.some((command) => command.opaque.length > 0)
