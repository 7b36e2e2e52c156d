/**
 * What one row of the option tables says. Parser, help, completions, man page and sub-commands all read these rows, so
 * a flag is described once.
 */

/**
 * The version from which the feature works. `later`: it is planned, and using it fails with one clear line until then.
 * `never`: known from the reference, and left out on purpose.
 */
export type Availability = "0.1" | "later" | "never"

type OptionGroup =
  | "Prompt"
  | "Model and output"
  | "Approval and trust"
  | "Limits"
  | "Workspace"
  | "Sessions"
  | "Extensions and servers"
  | "Testing"
  | "Other"

/**
 * `optional-string` stands alone or takes the word after it. `list` is split at commas and may be repeated, `texts` may be
 * repeated and stay as they are.
 */
type OptionType = "boolean" | "string" | "optional-string" | "list" | "texts" | "choice"

export interface OptionRow {
  /** Kebab case, without dashes. The camel case spelling is accepted too. */
  readonly long: string
  readonly short?: string
  /** Older names. */
  readonly aliases?: ReadonlyArray<string>
  readonly type: OptionType
  readonly choices?: ReadonlyArray<string>
  /** Older spellings of choices. */
  readonly spellings?: Readonly<Record<string, string>>
  /** Name of the value in help. On a boolean: `--x=VALUE` is accepted as well, always attached. */
  readonly value?: string
  readonly description: string
  /** The value where none is given, where that is a word. */
  readonly standard?: string
  /** `path`: a file or folder. `text`: a text, or `@` and a file. `data`: JSON, or a file that holds it. */
  readonly names?: "path" | "text" | "data"
  /** Works, but is left out of help and completions. */
  readonly hidden?: true
}

/** An option of a run. */
export interface RootOption extends OptionRow {
  /** Its heading in help. */
  readonly group: OptionGroup
  /** What `GEMINI_<NAME>` says counts where the option is not given (`max-turns`: `GEMINI_MAX_TURNS`). */
  readonly hasVariable?: true
  readonly since: Availability
}

/** `max-turns` as a property: `maxTurns`. */
export const propertyOf = (long: string): string =>
  long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
