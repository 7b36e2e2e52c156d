/**
 * The head of a `SKILL.md`: YAML between two lines of `---`. Most heads are a few plain `key: value` lines, which are
 * read here; loading a YAML parser for two hundred of them would cost more than everything else at start.
 */
import { Either, Option } from "effect"

export interface SplitText {
  /** The lines between the marks; the first one is line 2 of the file. */
  readonly head: ReadonlyArray<string>
  readonly body: string
}

export interface HeadFault {
  readonly line: number
  readonly detail: string
}

export const splitFrontMatter = (text: string): Either.Either<SplitText, HeadFault> => {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/)
  if (!isMark(lines[0])) return Either.left({ line: 1, detail: "it does not begin with a line of ---" })
  const end = lines.findIndex((line, index) => index > 0 && isMark(line))
  if (end < 0) return Either.left({ line: 1, detail: "the --- at its beginning is not closed by another" })
  return Either.right({
    head: lines.slice(1, end),
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim()
  })
}

const isMark = (line: string | undefined): boolean => line !== undefined && /^---\s*$/.test(line)

export type Head = ReadonlyMap<string, string>

/** What YAML would make of lines that only hold plain words; `None` where a real parser has to look. */
export const plainHead = (lines: ReadonlyArray<string>): Option.Option<Head> => {
  const head = new Map<string, string>()
  for (const line of lines) {
    if (/^(?:#.*)?$/.test(line)) continue
    const [, key = "", value = ""] = /^([A-Za-z][A-Za-z0-9_-]*): +(\S.*)$/.exec(line) ?? []
    if (key === "" || head.has(key) || !isPlain(value)) return Option.none()
    head.set(key, value.trimEnd())
  }
  return Option.some(head)
}

/** Printable ASCII that begins with a letter, without anything that YAML reads in another way. */
export const isPlain = (value: string): boolean =>
  /^[A-Za-z][\x20-\x7e]*$/.test(value) &&
  !/:\s|:$|\s#/.test(value.trimEnd()) &&
  !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value.trimEnd())

/**
 * For heads that are no YAML, such as `description: Use this: now`. Everything behind the colon is the value, and
 * indented lines go on with it.
 */
export const tolerantHead = (lines: ReadonlyArray<string>): Head => {
  const head = new Map<string, string>()
  let key: string | undefined
  for (const line of lines) {
    const found = /^([A-Za-z][\w-]*):(.*)$/.exec(line)
    if (found !== null) {
      key = found[1] ?? ""
      if (head.has(key)) key = undefined
      else head.set(key, unquoted((found[2] ?? "").trim()))
    } else if (key !== undefined && /^\s+\S/.test(line)) {
      head.set(key, `${head.get(key) ?? ""} ${line.trim()}`.trim())
    } else key = undefined
  }
  return head
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
