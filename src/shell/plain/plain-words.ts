/**
 * Words and redirections of a line. What stands inside a substitution is a script of its own, which only the reader of
 * whole lines can read.
 */
import type { PlainRedirection, PlainScript } from "./plain-script.ts"
import { PlainText } from "./plain-text.ts"
import { isMeta, type ReadWord, readWord } from "./read-word.ts"

const OPERATOR = /\d*(?:<<<|<<-|<<|<>|<&|>>|>\||>&|>|<)|&>>|&>/y
/** `{name}` glued to a redirection is no word: the shell puts the number of a descriptor into the variable. */
const NAMED_DESCRIPTOR = /\{[^\s{}]*\}[<>]/y

export abstract class PlainWords extends PlainText {
  protected readonly dialect: "bash" | "sh"

  constructor(text: string, dialect: "bash" | "sh") {
    super(text)
    this.dialect = dialect
  }

  /** The script of a substitution that begins at `at`, and where it ends. */
  protected abstract nested(at: number, close: ")" | "`"): { readonly script: PlainScript; readonly end: number }

  protected redirections(): ReadonlyArray<PlainRedirection> {
    const found: Array<PlainRedirection> = []
    for (;;) {
      this.blank()
      const redirection = this.redirection()
      if (redirection === undefined) return found
      found.push(redirection)
    }
  }

  protected redirection(): PlainRedirection | undefined {
    if (/[<>]/.test(this.text[this.at] ?? "") && this.text[this.at + 1] === "(") return undefined
    OPERATOR.lastIndex = this.at
    const operator = OPERATOR.exec(this.text)?.[0]
    if (operator === undefined) return undefined
    // Other shells take two digits for a word.
    if (/^\d{3}/.test(operator) || (this.dialect === "sh" && /^\d{2}/.test(operator))) {
      this.fail("a descriptor with a large number")
    }
    const start = this.at
    this.at += operator.length
    // Behind an operator `#` begins a comment even without a blank, and `-` ends the operator wherever it is glued to.
    const isGlued =
      this.text[this.at] === "#" || (/[<>]&$/.test(operator) && /^-[^\s;&|<>()]/.test(this.text.slice(this.at)))
    if (isGlued) this.fail("a redirection that is glued to something")
    this.blank()
    if (isMeta(this.text[this.at] ?? "\n")) this.fail("a redirection without a target")
    const read = this.word()
    const raw = this.text.slice(start, this.at)
    if (!/^\d*<<-?$/.test(operator)) return { operator, target: read.word, raw }
    const [only, ...more] = read.word.parts
    if (only?._tag !== "Text" || more.length > 0) this.fail("a here-document with a computed end")
    this.waiting.push({ delimiter: only.text, isLiteral: read.hasQuotes, dropsTabs: operator.endsWith("-") })
    return { operator, target: undefined, raw }
  }

  protected word(): ReadWord {
    NAMED_DESCRIPTOR.lastIndex = this.at
    if (NAMED_DESCRIPTOR.test(this.text)) this.fail("a descriptor with a name")
    if (/^[<>]\(/.test(this.text.slice(this.at, this.at + 2))) return this.processOutput()
    const read = readWord(this.text, this.at, (at, close) => this.nested(at, close))
    // Whether they expand there depends on which shell it is.
    if (this.dialect === "sh" && read.word.parts.some(({ _tag }) => _tag === "Words")) this.fail("braces that expand")
    if (read.end === this.at) this.fail(`an unexpected \`${this.text[this.at] ?? "end"}\``)
    this.at = read.end
    return read
  }

  private processOutput(): ReadWord {
    const start = this.at
    if (this.text[start] !== "<") this.fail("a command that is written to")
    const { end, script } = this.nested(start + 2, ")")
    this.at = end
    if (!isMeta(this.text[end] ?? " ")) this.fail("a substitution inside a word")
    return {
      word: { parts: [{ _tag: "ProcessOutput", script }], raw: this.text.slice(start, end) },
      end,
      hasQuotes: true
    }
  }
}
