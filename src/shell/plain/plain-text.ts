/**
 * A place in the text of a line, and what stands between its words: blanks, comments, continued lines, and the bodies of
 * here-documents, which begin behind the next line break wherever they were announced.
 */
import { isMeta, Unplain } from "./read-word.ts"

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
