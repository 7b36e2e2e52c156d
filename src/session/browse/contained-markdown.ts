/**
 * Text of others inside a Markdown document of ours, so that it reads as it did and cannot pass for a part of the document:
 * headings of the first three levels and rules are ours alone, HTML is shown and does nothing, pictures are links, and a
 * code block that nobody closed ends with the text.
 *
 * Code blocks are written anew, at the margin and in fences that their content cannot close: then this program and
 * whoever shows the document agree on what is code, however lists and quotes around it are nested.
 */
export const containedMarkdown = (text: string): string => {
  const lines: Array<string> = []
  let code: CodeBlock | undefined
  for (const line of text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n").split("\n")) {
    if (code !== undefined) {
      if (!closes(line, code)) code.lines.push(line)
      else {
        lines.push(...fenced(code))
        code = undefined
      }
      continue
    }
    code = openingOf(line)
    if (code !== undefined) continue
    lines.push(...(line.length > LONGEST_LINE ? fenced({ language: "", lines: [line] }) : [plainLine(line)]))
  }
  return [...lines, ...(code === undefined ? [] : fenced(code))].join("\n")
}

/** Code in a fence that is longer than any in it. */
export const fencedCode = (language: string, code: string): string =>
  fenced({ language, lines: code.split("\n") }).join("\n")

interface Code {
  readonly language: string
  readonly lines: Array<string>
}

interface CodeBlock extends Code {
  /** Of the opening fence. */
  readonly sign: string
  readonly length: number
}

const openingOf = (line: string): CodeBlock | undefined => {
  const [, fence = "", info = ""] = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line) ?? []
  const [language = ""] = /^\s*[\w+#.-]*/.exec(info) ?? []
  return fence === ""
    ? undefined
    : { sign: fence.charAt(0), length: fence.length, language: language.trim(), lines: [] }
}

const closes = (line: string, { length, sign }: CodeBlock): boolean => {
  const fence = line.trim()
  return fence.length >= length && /^ {0,3}\S/.test(line) && fence === sign.repeat(fence.length)
}

const fenced = ({ language, lines }: Code): ReadonlyArray<string> => {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)))
  const fence = "`".repeat(longest + 1)
  return [fence + language, ...lines, fence]
}

/** Signs of lists and quotes, in which a heading or a rule may stand as well. */
const CONTAINERS = /^(?:\s|>|[*+-](?=\s)|\d{1,9}[.)](?=\s))*/

/** A longer line is no prose, and looking for code in it would take long. */
const LONGEST_LINE = 20_000

const OWN_LEVELS = 3
const LOWEST_LEVEL = 6

const plainLine = (line: string): string => {
  // A line of nothing but signs is a rule, or makes a heading of the line before it.
  if (/^[\s>]*(?:(?:-\s*)+|(?:=\s*)+|(?:_\s*)+|(?:\*\s*)+)$/.test(line) && /[-=_*]/.test(line))
    return line.replace(/[-=_*]/g, "\\$&")
  const [lead = ""] = CONTAINERS.exec(line) ?? []
  const rest = line.slice(lead.length)
  const [, level = ""] = /^(#{1,6})(?=\s|$)/.exec(rest) ?? []
  if (level !== "")
    return lead + "#".repeat(Math.min(LOWEST_LEVEL, level.length + OWN_LEVELS)) + inline(rest.slice(level.length))
  const isRule = /^(?:(?:-\s*){2,}|(?:_\s*){3,}|(?:\*\s*){3,}|=+\s*)$/.test(rest)
  return lead + (isRule ? rest.replace(/[-=_*]/g, "\\$&") : inline(rest))
}

/** Code inside the line stays; a tick that opens none in this line opens none at all. */
const inline = (text: string): string => {
  let result = ""
  let at = 0
  while (at < text.length) {
    const [ticks = ""] = /^`+/.exec(text.slice(at)) ?? []
    const end = ticks === "" ? -1 : closingTicks(text, at + ticks.length, ticks.length)
    if (ticks !== "" && end !== -1) {
      result += text.slice(at, end)
      at = end
    } else if (ticks !== "") {
      result += "\\`".repeat(ticks.length)
      at += ticks.length
    } else {
      // A backslash and what it escapes belong together.
      const [piece = text.slice(at)] = /^(?:\\.|[^`\\]+|\\$)/s.exec(text.slice(at)) ?? []
      result += harmless(piece)
      at += piece.length
    }
  }
  return result
}

/** Behind the next run of exactly so many ticks; -1 where there is none. */
const closingTicks = (text: string, from: number, count: number): number => {
  for (const { 0: run, index } of text.slice(from).matchAll(/`+/g))
    if (run.length === count) return from + index + count
  return -1
}

const harmless = (text: string): string =>
  text
    .replace(/^\\(?=<)/, "")
    .replace(/&(?=#?\w{1,32};)/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/!(?=\[)/g, "\\!")
    .replace(/~{3,}/g, (signs) => "\\~".repeat(signs.length))
