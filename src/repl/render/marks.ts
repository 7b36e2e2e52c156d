/**
 * The marks with which lines of this program begin. Text of others that begins a line with one of them is moved aside by
 * a space, so that an answer cannot pass for a question, a prompt or the report of a tool.
 */
export interface Marks {
  readonly done: string
  readonly failed: string
  readonly refused: string
  readonly note: string
  readonly question: string
  /** Stands in front of every line of a tool's output and of everything that is asked about. */
  readonly gutter: string
  readonly bullet: string
  readonly rule: string
  readonly more: string
  readonly separator: string
}

export interface MarkStyle {
  readonly unicode: boolean
  readonly isSpoken?: boolean | undefined
}

export const marksFor = ({ isSpoken, unicode }: MarkStyle): Marks =>
  isSpoken === true ? SPOKEN : unicode ? UNICODE : ASCII

const UNICODE: Marks = {
  done: "✓",
  failed: "✗",
  refused: "⊘",
  note: "ℹ",
  question: "?",
  gutter: "│",
  bullet: "•",
  rule: "─",
  more: "…",
  separator: "·"
}

const ASCII: Marks = {
  done: "+",
  failed: "x",
  refused: "-",
  note: "i",
  question: "?",
  gutter: "|",
  bullet: "-",
  rule: "-",
  more: "...",
  separator: "-"
}

/** What a screen reader would spell out, in words. Text of others is told by its indentation alone. */
const SPOKEN: Marks = {
  ...ASCII,
  done: "done:",
  failed: "failed:",
  refused: "not done:",
  note: "note:",
  gutter: ""
}

/** `>` and `.` are the prompts of the line editor, `Allow?` that of an approval. */
const OWN = /^(?:[>.?!✓✗⊘ℹ│] |[>?!✓✗⊘ℹ│]$|Allow\?)/u

export const asidedText = (line: string): string => (OWN.test(line) ? ` ${line}` : line)

/** The same where the terminal wraps a line: a row begins with a full stop or a question mark more often by chance. */
export const continuesAsOurs = (row: string): boolean => CONTINUED.test(row)

const CONTINUED = /^(?:\? Allow|[>✓✗⊘ℹ│] |Allow\?)/u
