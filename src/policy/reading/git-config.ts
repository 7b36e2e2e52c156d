/**
 * Reads a configuration file of git as git does: sections in any case, subsections as they are written, comments, quotes
 * and lines that go on. A file that is not exactly of this form is not read at all.
 */

export interface ConfigEntry {
  /** `section.key` or `section.subsection.key`; section and key in lower case. */
  readonly key: string
  readonly section: string
  readonly subsection: string | undefined
  readonly name: string
  /** `undefined`: a name alone, which means true. */
  readonly value: string | undefined
}

/** `undefined`: git may read it otherwise. */
export const readGitConfig = (text: string): ReadonlyArray<ConfigEntry> | undefined => {
  if (CONTROL.test(text.replaceAll("\r\n", "\n"))) return undefined
  try {
    return new Reader(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")).settings()
  } catch (cause) {
    if (cause instanceof Unreadable) return undefined
    throw cause
  }
}

/** Thrown inside the reader only. */
class Unreadable {}

/** Other control characters have had meanings of their own in some versions. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/

class Reader {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  settings(): ReadonlyArray<ConfigEntry> {
    const found: Array<ConfigEntry> = []
    let section: { readonly name: string; readonly subsection: string | undefined } | undefined
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? ""
      if (/\s/.test(char)) this.at++
      else if (char === "#" || char === ";") this.comment()
      else if (char === "[") section = this.section()
      else if (/[A-Za-z]/.test(char) && section !== undefined) {
        const name = this.take(/[A-Za-z0-9-]+/y).toLowerCase()
        const { name: of, subsection } = section
        const key = subsection === undefined ? `${of}.${name}` : `${of}.${subsection}.${name}`
        found.push({ key, section: of, subsection, name, value: this.assigned() })
      } else throw new Unreadable()
    }
    return found
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found === null) throw new Unreadable()
    this.at += found[0].length
    return found[0]
  }

  private comment(): void {
    const end = this.text.indexOf("\n", this.at)
    this.at = end === -1 ? this.text.length : end
  }

  private section(): { readonly name: string; readonly subsection: string | undefined } {
    this.at++
    const name = this.take(/[A-Za-z0-9.-]+/y).toLowerCase()
    const dot = name.indexOf(".")
    if (this.text[this.at] === "]") {
      this.at++
      // The old way of writing a subsection, which is in lower case as well.
      return dot === -1
        ? { name, subsection: undefined }
        : { name: name.slice(0, dot), subsection: name.slice(dot + 1) }
    }
    if (dot !== -1) throw new Unreadable()
    this.take(/[ \t]+"/y)
    const subsection = this.take(/(?:[^"\\\n]|\\[^\n])*/y).replace(/\\(.)/g, "$1")
    this.take(/"\]/y)
    return { name, subsection }
  }

  private assigned(): string | undefined {
    this.take(/[ \t]*/y)
    const next = this.text[this.at]
    if (next === undefined || next === "\n") return undefined
    if (next !== "=") throw new Unreadable()
    this.at++
    return this.value()
  }

  private value(): string {
    let value = ""
    /** Blanks count only if something follows them. */
    let blanks = ""
    let isQuoted = false
    for (let char = this.text[this.at]; ; char = this.text[this.at]) {
      if (char === undefined || char === "\n") {
        if (isQuoted) throw new Unreadable()
        return value
      }
      if (!isQuoted && (char === "#" || char === ";")) {
        this.comment()
        return value
      }
      if (!isQuoted && (char === " " || char === "\t")) {
        if (value !== "") blanks += char
        this.at++
        continue
      }
      this.at++
      value += blanks
      blanks = ""
      if (char === '"') {
        isQuoted = !isQuoted
        continue
      }
      if (char === "\\") {
        const escaped = this.text[this.at++]
        if (escaped === "\n") continue
        const meant = escaped === undefined ? undefined : ESCAPES[escaped]
        if (meant === undefined) throw new Unreadable()
        value += meant
      } else value += char
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", b: "\b", n: "\n", "\\": "\\", '"': '"' }

/** As git reads truth; `undefined`: it is none. */
export const gitBoolean = (value: string | undefined): boolean | undefined => {
  if (value === undefined || /^(?:true|yes|on|1)$/i.test(value)) return true
  return /^(?:|false|no|off|0)$/i.test(value) ? false : undefined
}
