/**
 * Resolves the quoting of one word by bash's rules: `r\m`, `'rm'` and `"rm"` are all `rm`.
 *
 * Works on the text alone, not on the grammar's children, and so is a second opinion on where the word ends: an
 * unquoted operator inside marks it as malformed. After the first command substitution or complex expansion nothing
 * more is read; the value is then known to be unknown.
 */
import type { Word } from "./shell-analysis.ts"

const SIMPLE_EXPANSION = /^\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}|([0-9@*#?!$-]))/
const COMPLEX_NAME = /^\$\{[#!]?([A-Za-z_][A-Za-z0-9_]*)/

export const resolveWord = (raw: string): Word => {
  const state: Scan = { raw, at: 0, value: "", dynamic: [], hasGlob: false, hasAnsiC: false, isMalformed: false }
  if (/^[<>]\(/.test(raw)) return finish({ ...state, value: raw, dynamic: ["<(…)"] })
  while (state.at < raw.length && scanUnquoted(state)) {}
  if (hasBraceExpansion(raw)) state.dynamic.push("{…}")
  return finish(state)
}

/** A word whose value is only known at run time, such as the arguments that `xargs` appends. */
export const unknownWord = (raw: string): Word =>
  finish({ raw, at: 0, value: raw, dynamic: [raw], hasGlob: false, hasAnsiC: false, isMalformed: false })

/** A word that stands for itself. */
export const literalWord = (value: string): Word =>
  finish({ raw: quote(value), at: 0, value, dynamic: [], hasGlob: false, hasAnsiC: false, isMalformed: false })

/** Quotes a value where bash would otherwise split or expand it. */
export const quote = (value: string): string =>
  /^[A-Za-z0-9_@%+=:,./~-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`

/** The words of a command as one line, single spaces between them: what text rules see beside the original. */
export const joinWords = (words: ReadonlyArray<Word>): string =>
  words.map((word) => (word.dynamic.length > 0 || word.hasGlob ? word.raw : quote(word.value))).join(" ")

interface Scan {
  readonly raw: string
  at: number
  value: string
  readonly dynamic: Array<string>
  hasGlob: boolean
  hasAnsiC: boolean
  isMalformed: boolean
}

const finish = (scan: Scan): Word => ({
  value: scan.value,
  raw: scan.raw,
  dynamic: scan.dynamic,
  hasGlob: scan.hasGlob,
  hasTilde: scan.raw.startsWith("~"),
  hasAnsiC: scan.hasAnsiC,
  isMalformed: scan.isMalformed
})

/** Each scan step returns false when the rest of the word is given up as unknown. */
const scanUnquoted = (scan: Scan): boolean => {
  const char = scan.raw[scan.at] ?? ""
  switch (char) {
    case "\\": {
      const next = scan.raw[scan.at + 1]
      if (next !== "\n") scan.value += next ?? "\\"
      scan.at += 2
      return true
    }
    case "'":
      return scanSingle(scan)
    case '"':
      scan.at++
      return scanDouble(scan)
    case "$":
      return scanDollar(scan, "unquoted")
    case "`":
      return giveUp(scan, "$(…)")
    case "(":
      // Extended globs such as `@(a|b)`.
      return giveUp(scan, "{…}")
    default:
      if (char === "*" || char === "?" || char === "[") scan.hasGlob = true
      if (/[ \t\n;&|<>)]/.test(char)) scan.isMalformed = true
      scan.value += char
      scan.at++
      return true
  }
}

const scanSingle = (scan: Scan): boolean => {
  const close = scan.raw.indexOf("'", scan.at + 1)
  if (close === -1) {
    scan.isMalformed = true
    return giveUp(scan, "'…")
  }
  scan.value += scan.raw.slice(scan.at + 1, close)
  scan.at = close + 1
  return true
}

const scanDouble = (scan: Scan): boolean => {
  while (scan.at < scan.raw.length) {
    const char = scan.raw[scan.at] ?? ""
    if (char === '"') {
      scan.at++
      return true
    }
    if (char === "`") return giveUp(scan, "$(…)")
    if (char === "$") {
      if (!scanDollar(scan, "double")) return false
      continue
    }
    const next = scan.raw[scan.at + 1] ?? ""
    if (char === "\\" && '$`"\\\n'.includes(next) && next !== "") {
      if (next !== "\n") scan.value += next
      scan.at += 2
      continue
    }
    scan.value += char
    scan.at++
  }
  scan.isMalformed = true
  return false
}

const scanDollar = (scan: Scan, where: "unquoted" | "double"): boolean => {
  const rest = scan.raw.slice(scan.at)
  if (where === "unquoted" && rest.startsWith("$'")) return scanAnsiC(scan)
  if (where === "unquoted" && rest.startsWith('$"')) {
    // Text to be translated: a message catalogue could replace it.
    scan.dynamic.push('$"…"')
    scan.at += 2
    return scanDouble(scan)
  }
  const simple = SIMPLE_EXPANSION.exec(rest)
  if (simple !== null) {
    scan.dynamic.push(simple[1] ?? simple[2] ?? simple[3] ?? "$")
    scan.value += simple[0]
    scan.at += simple[0].length
    return true
  }
  if (rest.startsWith("$(")) return giveUp(scan, "$(…)")
  if (rest.startsWith("${") || rest.startsWith("$[")) return giveUp(scan, COMPLEX_NAME.exec(rest)?.[1] ?? "$…")
  scan.value += "$"
  scan.at++
  return true
}

const scanAnsiC = (scan: Scan): boolean => {
  scan.hasAnsiC = true
  const body = /^\$'((?:[^'\\]|\\[\s\S])*)'/.exec(scan.raw.slice(scan.at))
  if (body === null) {
    scan.isMalformed = true
    return giveUp(scan, "$'…'")
  }
  scan.value += decodeAnsiC(body[1] ?? "")
  // What these become depends on the shell and its locale.
  if (/\\(?:x\{|x(?![0-9a-fA-F])|c|0{1,3}(?![0-7])|x0{1,2}(?![0-9a-fA-F]))/.test(body[1] ?? ""))
    scan.dynamic.push("$'…'")
  scan.at += body[0].length
  return true
}

const ANSI_ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/g
const ANSI_NAMED: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
}

const decodeAnsiC = (body: string): string =>
  body.replace(ANSI_ESCAPE, (_, hex, short, long, octal, control, named: string | undefined) => {
    const digits: string | undefined = hex ?? short ?? long
    if (digits !== undefined) return fromCodePoint(Number.parseInt(digits, 16))
    if (octal !== undefined) return fromCodePoint(Number.parseInt(octal, 8) & 0xff)
    if (control !== undefined) return fromCodePoint(control.charCodeAt(0) & 0x1f)
    return named === undefined ? "" : (ANSI_NAMED[named] ?? named)
  })

const fromCodePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd")

const giveUp = (scan: Scan, what: string): false => {
  scan.dynamic.push(what)
  scan.value += scan.raw.slice(scan.at)
  scan.at = scan.raw.length
  return false
}

/** `{a,b}` and `{1..3}` outside quotes. Quoted parts are cut out first; `{}` alone stands for itself. */
const hasBraceExpansion = (raw: string): boolean => {
  if (!raw.includes("{")) return false
  const bare = raw.replace(/\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\$\{[^}]*\}/g, "_")
  const inside = bare.slice(bare.indexOf("{") + 1, Math.max(0, bare.lastIndexOf("}")))
  return inside.includes(",") || inside.includes("..")
}
