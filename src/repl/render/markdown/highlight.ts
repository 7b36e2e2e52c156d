/**
 * Colours code line by line, as the lines arrive. A small scanner that knows comments, strings, numbers and keywords;
 * what it carries from one line to the next is only the comment or string that is still open.
 */

import type { Ink, Paint } from "../paint.ts"
import { diffInks } from "../tool-report.ts"

/** The next line of a block of code, painted. Lines must come in order. */
export type Highlighter = (line: string) => string

/** Longer lines are data more often than code, and not worth the time. */
const LONGEST_LINE = 2_000

export const highlighterFor = (language: string, paint: Paint): Highlighter => {
  if (language === "diff" || language === "patch") return (line) => paint(line, ...diffInks(line))
  const known = languageNamed(language)
  return known === undefined ? (line) => line : scannerFor(known, paint)
}

interface Open {
  readonly close: string
  readonly inks: ReadonlyArray<Ink>
  readonly escapes: boolean
}

const scannerFor = (language: Language, paint: Paint): Highlighter => {
  const words = language.keywords.split(" ")
  const keywords = new Set(language.ignoresCase === true ? words.flatMap((word) => [word, word.toUpperCase()]) : words)
  const token = tokenPattern(language)
  let open: Open | undefined

  return (line) => {
    if (line.length > LONGEST_LINE) return line
    let painted = ""
    let at = 0
    while (at < line.length) {
      if (open !== undefined) {
        const end = endOf(line, at, open)
        painted += paint(line.slice(at, end ?? line.length), ...open.inks)
        if (end === undefined) return painted
        at = end
        open = undefined
        continue
      }
      token.lastIndex = at
      const match = token.exec(line)
      if (match === null) return painted + line.slice(at)
      const [text] = match
      painted += line.slice(at, match.index)
      at = match.index
      const opened = openedBy(text, language)
      if (opened === undefined) {
        painted += paint(text, ...inksOf(text, keywords))
        at += text.length
      } else {
        // The opening mark belongs to what it opens.
        const end = endOf(line, at + text.length, opened)
        painted += paint(line.slice(at, end ?? line.length), ...opened.inks)
        open = end === undefined && goesOn(text, language) ? opened : undefined
        at = end ?? line.length
      }
    }
    return painted
  }
}

const inksOf = (text: string, keywords: ReadonlySet<string>): ReadonlyArray<Ink> => {
  if (keywords.has(text)) return ["magenta"]
  return /^\d/.test(text) ? ["yellow"] : []
}

/** Longer marks first, so that `"""` is not taken for an empty string. */
const tokenPattern = (language: Language): RegExp => {
  const marks = [
    ...language.lineComments,
    ...language.longQuotes,
    ...language.quotes,
    ...(language.blockComment === undefined ? [] : [language.blockComment[0]])
  ].toSorted((left, right) => right.length - left.length)
  const escaped = marks.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp([...escaped, "\\b\\d[\\w.]*", "[A-Za-z_]\\w*"].join("|"), "g")
}

const openedBy = (text: string, language: Language): Open | undefined => {
  if (language.lineComments.includes(text)) return { close: "\n", inks: ["dim"], escapes: false }
  if (language.blockComment?.[0] === text) return { close: language.blockComment[1], inks: ["dim"], escapes: false }
  return language.quotes.includes(text) || language.longQuotes.includes(text)
    ? { close: text, inks: ["green"], escapes: true }
    : undefined
}

const goesOn = (text: string, language: Language): boolean =>
  language.blockComment?.[0] === text || language.longQuotes.includes(text)

/** Where the open thing ends on this line; `undefined` when it does not. */
const endOf = (line: string, from: number, { close, escapes }: Open): number | undefined => {
  for (let at = from; at < line.length; at++) {
    if (escapes && line[at] === "\\") at++
    else if (line.startsWith(close, at)) return at + close.length
  }
  return undefined
}

interface Language {
  /** Separated by spaces. */
  readonly keywords: string
  readonly lineComments: ReadonlyArray<string>
  readonly blockComment?: readonly [open: string, close: string]
  /** End at the end of the line at the latest. */
  readonly quotes: ReadonlyArray<string>
  /** May go on over several lines. */
  readonly longQuotes: ReadonlyArray<string>
  readonly ignoresCase?: boolean
}

const C_COMMENTS = { lineComments: ["//"], blockComment: ["/*", "*/"] } as const

const PLAIN_QUOTES = { quotes: ['"', "'"], longQuotes: [] } as const

const script: Language = {
  ...C_COMMENTS,
  quotes: ['"', "'"],
  longQuotes: ["`"],
  keywords:
    "abstract as async await break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield"
}

const python: Language = {
  lineComments: ["#"],
  quotes: ['"', "'"],
  longQuotes: ['"""', "'''"],
  keywords:
    "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield"
}

const shell: Language = {
  lineComments: ["#"],
  quotes: [],
  longQuotes: ['"', "'"],
  keywords:
    "alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local read return set shift source sudo then trap unset until while"
}

const cLike: Language = {
  ...C_COMMENTS,
  ...PLAIN_QUOTES,
  keywords:
    "abstract auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for foreach fun goto if implements import include in inline int interface internal is let long namespace new null nullptr object operator override package private protected public return sealed short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when where while"
}

const go: Language = {
  ...C_COMMENTS,
  quotes: ['"', "'"],
  longQuotes: ["`"],
  keywords:
    "any bool break byte case chan const continue default defer else error false fallthrough float64 for func go goto if import int int64 interface map nil package range return rune select string struct switch true type var"
}

const rust: Language = {
  ...C_COMMENTS,
  quotes: ['"'],
  longQuotes: [],
  keywords:
    "as async await bool break char const continue crate dyn else enum extern f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u32 u64 u8 unsafe use usize where while"
}

const swift: Language = {
  ...C_COMMENTS,
  quotes: ['"'],
  longQuotes: ['"""'],
  keywords:
    "actor any as async await break case catch class continue default defer do else enum extension false fileprivate final for func guard if import in init inout internal is let nil open override private protocol public return self some static struct super switch throw throws true try typealias var where while"
}

const ruby: Language = {
  lineComments: ["#"],
  ...PLAIN_QUOTES,
  keywords:
    "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or private protected public raise redo require rescue retry return self super then true unless until when while yield"
}

const sql: Language = {
  lineComments: ["--"],
  blockComment: ["/*", "*/"],
  quotes: ["'", '"'],
  longQuotes: [],
  ignoresCase: true,
  keywords:
    "add all alter and as asc between by case check column constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right select set table then union unique update using values view when where with"
}

const data: Language = { lineComments: ["#"], ...PLAIN_QUOTES, keywords: "true false null yes no on off" }

const json: Language = { lineComments: ["//"], quotes: ['"'], longQuotes: [], keywords: "true false null" }

const css: Language = { ...C_COMMENTS, lineComments: [], ...PLAIN_QUOTES, keywords: "important media import supports" }

const markup: Language = {
  lineComments: [],
  blockComment: ["<!--", "-->"],
  quotes: ['"'],
  longQuotes: [],
  keywords: ""
}

const NAMES: ReadonlyArray<readonly [names: string, language: Language]> = [
  ["js javascript jsx mjs cjs ts typescript tsx mts cts", script],
  ["py python python3 starlark", python],
  ["sh bash zsh shell console fish dockerfile docker make makefile", shell],
  ["c h cpp c++ cc hpp java kotlin kt cs csharp c# scala dart php objc groovy proto", cLike],
  ["go golang", go],
  ["rs rust", rust],
  ["swift", swift],
  ["rb ruby elixir ex", ruby],
  ["sql postgres postgresql mysql sqlite", sql],
  ["yaml yml toml ini conf properties env hcl terraform tf", data],
  ["json jsonc json5", json],
  ["css scss less", css],
  ["html xml svg vue svelte", markup]
]

/**
 * What the highlighter has to know of a language: enough to tell comments, strings and keywords apart, nothing more.
 * Languages that look alike share an entry.
 */
const languageNamed = (name: string): Language | undefined => {
  const wanted = name.toLowerCase()
  return NAMES.find(([names]) => names.split(" ").includes(wanted))?.[1]
}
