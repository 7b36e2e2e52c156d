/**
 * The text of a line: a place in it, what stands between its words (blanks, comments, continued lines, bodies of
 * here-documents, which begin behind the next line break wherever they were announced), its words and redirections.
 */

import type { PlainRedirection, PlainScript } from "./plain-script.ts"
import { isMeta, type ReadWord, readWord, Unplain } from "./read-word.ts"

interface HereDocument {
  readonly delimiter: string
  readonly isLiteral: boolean
  readonly dropsTabs: boolean
}

export class PlainText {
  protected at = 0
  /** Here-documents whose bodies begin behind the next line break. */
  protected readonly waiting: Array<HereDocument> = []
  protected readonly text: string

  constructor(text: string) {
    this.text = text
  }

  protected fail(detail: string): never {
    throw new Unplain(detail, this.at)
  }

  /** The next word, unquoted and whole, is this one. */
  protected isWord(word: string): boolean {
    this.blank()
    return this.text.startsWith(word, this.at) && isMeta(this.text[this.at + word.length] ?? "\n")
  }

  protected take(word: string): void {
    if (!this.isWord(word)) this.fail(`no \`${word}\` where one is expected`)
    this.at += word.length
    this.blank({ lines: word !== "!" && word !== "time" && word !== "-p" && !/^(?:fi|done|})$/.test(word) })
  }

  protected close(bracket: ")"): void {
    this.blank({ lines: true })
    if (this.text[this.at] !== bracket) this.fail(`no \`${bracket}\` where one is expected`)
    this.at++
  }

  /** Blanks, continued lines between words, comments; with `lines` line breaks as well. */
  protected blank(options: { readonly lines: boolean } = { lines: false }): void {
    for (;;) {
      const char = this.text[this.at]
      if (char === " " || char === "\t") this.at++
      else if (char === "\n" && (options.lines || this.waiting.length > 0)) {
        if (this.waiting.length > 0 && !options.lines) return
        this.at++
        this.documents()
      } else if (char === "\\" && this.text[this.at + 1] === "\n" && this.standsAlone()) this.at += 2
      else if (char === "#" && this.startsWord()) {
        const end = this.text.indexOf("\n", this.at)
        this.at = end === -1 ? this.text.length : end
      } else return
    }
  }

  /** A continued line joins what stands on both sides of it; between blanks there is nothing to join. */
  private standsAlone(): boolean {
    return /[ \t\n]/.test(this.text[this.at - 1] ?? " ") && /[ \t]/.test(this.text[this.at + 2] ?? "")
  }

  private startsWord(): boolean {
    return this.at === 0 || /[\s;&|()`]/.test(this.text[this.at - 1] ?? "")
  }

  private documents(): void {
    for (const { delimiter, dropsTabs, isLiteral } of this.waiting.splice(0)) {
      for (;;) {
        const end = this.text.indexOf("\n", this.at)
        const line = this.text.slice(this.at, end === -1 ? this.text.length : end)
        const isDelimiter = (dropsTabs ? line.replace(/^\t+/, "") : line) === delimiter
        if (!isDelimiter && end === -1) this.fail("a here-document without an end")
        if (!isDelimiter && !isLiteral && /[$`\\]/.test(line)) this.fail("a here-document with expansions")
        this.at = end === -1 ? this.text.length : end + 1
        if (isDelimiter) break
      }
    }
  }
}

const OPERATOR = /\d*(?:<<<|<<-|<<|<>|<&|>>|>\||>&|>|<)|&>>|&>/y

/** `{name}` glued to a redirection is no word: the shell puts the number of a descriptor into the variable. */
const NAMED_DESCRIPTOR = /\{[^\s{}]*\}[<>]/y

/**
 * Words and redirections of a line. What stands inside a substitution is a script of its own, which only the reader of
 * whole lines can read.
 */
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
