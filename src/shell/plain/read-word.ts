/**
 * Reads one word of plain bash. The rules are those of the manual, each confirmed against a real bash by the tests; what
 * bash would decode in a way that is not listed here ends the reading.
 */
import type { PlainScript, PlainWord, WordPart } from "./plain-script.ts"

/** Thrown inside the reader only; `readPlain` turns it into a value. */
export class Unplain {
  readonly detail: string
  readonly at: number
  constructor(detail: string, at: number) {
    this.detail = detail
    this.at = at
  }
}

/** Reads the script of a substitution that begins at `at` up to the closing character; gives the place behind it. */
export type ReadNested = (at: number, close: ")" | "`") => { readonly script: PlainScript; readonly end: number }

export interface ReadWord {
  readonly word: PlainWord
  readonly end: number
  /** Some of it was quoted: it is no reserved word, no assignment, no number of a descriptor. */
  readonly hasQuotes: boolean
}

/** Characters that end a word where they stand unquoted. */
export const isMeta = (char: string): boolean => /[\s;&|<>()]/.test(char)

/** Stands for what is quoted or expanded; no text of a command holds it. */
const OTHER = "\0"

const VARIABLE = /\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}|([#?$]))/y
/** Only digits and operators: a name in arithmetic can run what its variable holds. */
const SUM = /\$\(\(([0-9+\-*/%()<>=!&|^~?:, ]*)\)\)/y

export const readWord = (text: string, start: number, nested: ReadNested): ReadWord => {
  const scan = new WordScan(text, start, nested)
  while (scan.at < text.length && !isMeta(text[scan.at] ?? "")) scan.unquoted()
  return scan.result()
}

class WordScan {
  at: number
  private readonly parts: Array<WordPart> = []
  private hasQuotes = false
  /** The unquoted characters with everything else as `OTHER`: where braces and tildes are looked for. */
  private bare = ""
  private readonly text: string
  private readonly start: number
  private readonly nested: ReadNested

  constructor(text: string, start: number, nested: ReadNested) {
    this.text = text
    this.start = start
    this.at = start
    this.nested = nested
  }

  result(): ReadWord {
    const { at, bare, hasQuotes, parts, start, text } = this
    const words = hasQuotes || parts.length !== 1 ? undefined : bracedWords(bare)
    if (words !== undefined) {
      return { word: { parts: [{ _tag: "Words", texts: words }], raw: text.slice(start, at) }, end: at, hasQuotes }
    }
    const inside = bare.slice(bare.indexOf("{") + 1, Math.max(0, bare.lastIndexOf("}")))
    if (bare.includes("{") && (/,|\.\./.test(inside) || parts.some((part) => part._tag !== "Text"))) {
      throw new Unplain("braces that expand", start)
    }
    // After `=` and `:` bash expands a tilde in words that look like assignments.
    if (/[=:]~/.test(bare)) throw new Unplain("a `~` after `=` or `:`", start)
    if (bare.startsWith("~") && bare !== "~" && bare[1] !== "/" && bare[1] !== OTHER)
      throw new Unplain("the home folder of somebody", start)
    return { word: { parts, raw: text.slice(start, at) }, end: at, hasQuotes }
  }

  /** One unquoted character, or one quoted piece. */
  unquoted(): void {
    const char = this.text[this.at] ?? ""
    switch (char) {
      case "\\":
        this.escaped()
        return
      case "'":
        this.single()
        return
      case '"':
        this.double()
        return
      case "`":
        this.substitution("`", 1, false)
        return
      case "$":
        this.dollar(false)
        return
      case "*":
      case "?":
        this.bare += char
        this.parts.push({ _tag: "Wildcard", text: char })
        this.at++
        return
      case "[":
        // The command `[` alone is no pattern.
        if (this.at !== this.start || !/[\s]/.test(this.text[this.at + 1] ?? " ")) this.fail("a pattern with brackets")
        this.plain(char)
        return
      case "~":
        if (this.at === this.start && /[\s/;&|<>()]/.test(this.text[this.at + 1] ?? " ")) {
          this.bare += "~"
          this.parts.push({ _tag: "Home" })
          this.at++
          return
        }
        this.plain(char)
        return
      default:
        this.plain(char)
    }
  }

  private fail(detail: string): never {
    throw new Unplain(detail, this.at)
  }

  private plain(char: string): void {
    this.bare += char
    this.append(char)
    this.at++
  }

  private append(text: string): void {
    const last = this.parts.at(-1)
    if (last?._tag === "Text") this.parts[this.parts.length - 1] = { _tag: "Text", text: last.text + text }
    else this.parts.push({ _tag: "Text", text })
  }

  private escaped(): void {
    const next = this.text[this.at + 1]
    if (next === undefined || next === "\n") this.fail("a continued line inside a word")
    this.hasQuotes = true
    this.bare += OTHER
    this.append(next)
    this.at += 2
  }

  private single(): void {
    const close = this.text.indexOf("'", this.at + 1)
    if (close === -1) this.fail("a quote without an end")
    this.quotedText(this.text.slice(this.at + 1, close))
    this.at = close + 1
  }

  private quotedText(text: string): void {
    this.hasQuotes = true
    this.bare += OTHER
    this.append(text)
  }

  private double(): void {
    this.quotedText("")
    this.at++
    for (let char = this.text[this.at]; char !== '"'; char = this.text[this.at]) {
      if (char === undefined) this.fail("a quote without an end")
      if (char === "`") this.substitution("`", 1, true)
      else if (char === "$") this.dollar(true)
      else if (char === "\\") this.escapedInDouble()
      else {
        this.append(char)
        this.at++
      }
    }
    this.at++
  }

  private escapedInDouble(): void {
    const next = this.text[this.at + 1] ?? ""
    if (next === "\n") this.fail("a continued line inside a word")
    if (next !== "" && '$`"\\'.includes(next)) {
      this.append(next)
      this.at += 2
      return
    }
    this.append("\\")
    this.at++
  }

  private dollar(isQuoted: boolean): void {
    const { at, text } = this
    const next = text[at + 1] ?? ""
    if (next === "'" && !isQuoted) {
      this.ansiC()
      return
    }
    if (next === '"' && !isQuoted) this.fail("text that a catalogue of messages may replace")
    SUM.lastIndex = at
    const sum = SUM.exec(text)
    if (sum !== null) {
      this.bare += OTHER
      this.parts.push({ _tag: "Number" })
      this.at += sum[0].length
      return
    }
    if (text.startsWith("$((", at)) this.fail("arithmetic with names")
    if (next === "(") {
      this.substitution(")", 2, isQuoted)
      return
    }
    VARIABLE.lastIndex = at
    const variable = VARIABLE.exec(text)
    if (variable !== null) {
      const name = variable[1] ?? variable[2] ?? variable[3] ?? ""
      this.bare += OTHER
      this.parts.push({ _tag: "Variable", name, isQuoted })
      this.at += variable[0].length
      return
    }
    if (/[\w{[@*!-]/.test(next)) this.fail("an expansion that is not plain")
    // A `$` before anything else stands for itself.
    if (isQuoted) this.append("$")
    else {
      this.bare += "$"
      this.append("$")
    }
    this.at++
  }

  private substitution(close: ")" | "`", skip: number, isQuoted: boolean): void {
    const { end, script } = this.nested(this.at + skip, close)
    this.bare += OTHER
    this.parts.push({ _tag: "Substitution", script, isQuoted })
    this.at = end
  }

  private ansiC(): void {
    const begin = this.at
    this.at += 2
    let decoded = ""
    for (let char = this.text[this.at]; char !== "'"; char = this.text[this.at]) {
      if (char === undefined) this.fail("a quote without an end")
      if (char !== "\\") {
        decoded += char
        this.at++
        continue
      }
      const found = ANSI_C.exec(this.text.slice(this.at, this.at + 5))
      const [whole = "", named, octal, hex] = found ?? []
      const code = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? "", 16)
      const value = named === undefined ? String.fromCharCode(code) : ANSI_NAMED[named]
      // Bytes above ASCII depend on the locale, and a NUL ends the word.
      if (found === null || value === undefined || (named === undefined && (code === 0 || code > 0x7e))) {
        this.at = begin
        this.fail("an escape whose meaning depends on the shell")
      }
      decoded += value
      this.at += whole.length
    }
    this.hasQuotes = true
    this.bare += OTHER
    this.append(decoded)
    this.at++
  }
}

/** One list of plain names: `a{b,c}d`. Ranges, lists in lists and empty names are not followed. */
const bracedWords = (bare: string): ReadonlyArray<string> | undefined => {
  const [, before = "", list = "", after = ""] = /^([\w./@%+-]*)\{([\w./@%+,-]+)\}([\w./@%+-]*)$/.exec(bare) ?? []
  const names = list.split(",")
  return names.length < 2 || names.includes("") || list.includes("..")
    ? undefined
    : names.map((name) => `${before}${name}${after}`)
}

/** `\x41{` would be another form, so hexadecimal digits are taken only where no brace can follow the `x`. */
const ANSI_C = /^\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2}))/
const ANSI_NAMED: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?"
}
