/**
 * Notices when the model chants: says the same words over and over. Structure (code, lists, tables, headings) repeats by
 * nature and resets the count.
 *
 * Every character of an answer passes through here, and nearly all of them are no part of a chant. So text is only kept
 * while no stretch of it recurs; from where one does, it is searched.
 */
import { ChantSearch, KEPT_TEXT, RepeatFilter } from "./chant-search.ts"

/** A piece that is longer, as it comes when many arrive at once, is looked at in several: structure resets only what stands near it. */
const LONG_PIECE = 500

/**
 * Of a piece that is longer still only the end is looked at: all of it is here already, and what the model went on from
 * needs no stopping. A chant that fills the end of it is one that goes on.
 */
const BURST = 4 * KEPT_TEXT

export class ChantDetector {
  private readonly filter = new RepeatFilter()
  private search: ChantSearch | undefined
  /** Text that was not searched: at least as much of it as a chant can be long, where there is as much. */
  private older = ""
  private newer = ""
  private charactersSinceRepeat = Number.POSITIVE_INFINITY
  private isInCode = false

  /** True when the text so far, with this piece, is a chant. */
  sees(added: string): boolean {
    if (added.length <= BURST) return this.seesAll(added)
    const end = endStart(added)
    this.skip(added.slice(0, end))
    return this.seesAll(added.slice(end))
  }

  private seesAll(added: string): boolean {
    for (let start = 0; start < added.length; ) {
      const lineEnd = added.indexOf("\n", start + LONG_PIECE)
      const end = lineEnd === -1 ? added.length : lineEnd + 1
      if (this.seesPiece(end - start === added.length ? added : added.slice(start, end))) return true
      start = end
    }
    return false
  }

  private skip(text: string): void {
    this.countCode(text)
    this.forget()
  }

  /** The number of fences. */
  private countCode(text: string): number {
    const fences = countFences(text)
    if (fences % 2 === 1) this.isInCode = !this.isInCode
    return fences
  }

  private seesPiece(added: string): boolean {
    const wasInCode = this.isInCode
    const fences = this.countCode(added)
    if (fences > 0 || isStructure(added)) {
      this.forget()
      return false
    }
    return !wasInCode && this.seesText(added)
  }

  /** A tool call shows progress: what was said before it no longer counts. */
  forget(): void {
    this.filter.forget()
    this.search?.forget()
    this.older = ""
    this.newer = ""
    this.charactersSinceRepeat = Number.POSITIVE_INFINITY
  }

  private seesText(added: string): boolean {
    if (this.filter.sees(added)) this.charactersSinceRepeat = 0
    else this.charactersSinceRepeat += added.length
    if (this.charactersSinceRepeat > KEPT_TEXT) {
      this.keep(added)
      return false
    }
    const text = this.older + this.newer + added
    this.older = ""
    this.newer = ""
    this.search ??= new ChantSearch()
    const isChant = this.search.sees(text)
    if (isChant) this.forget()
    return isChant
  }

  private keep(added: string): void {
    this.newer += added
    if (this.newer.length < KEPT_TEXT) return
    this.older = this.newer
    this.newer = ""
    // Text was dropped: what was searched before it is not next to what is searched after it.
    this.search?.forget()
  }
}

/** Where the end of a burst begins: at a line, so that no fence is cut in two, unless none begins near enough. */
const endStart = (burst: string): number => {
  const latest = burst.length - KEPT_TEXT
  const earliest = latest - KEPT_TEXT
  const line = burst.slice(earliest, latest).lastIndexOf("\n")
  return line === -1 ? latest : earliest + line + 1
}

/** At the first character of a line that is not a space: table row or border, list, numbered list. */
const INDENTED = /^(?:\|.*\||[|+-]{3,}|[*+-]\s|\d+\.\s)/
/** At the very beginning of a line: heading, quotation. */
const FLUSH = /^(?:#{1,6}\s|>\s)/
const DIVIDER = /^[+\-_=*\u2500-\u257f]+$/

/** Parts of a text that repeat by nature: lists, tables, headings, quotations, dividers. */
const isStructure = (text: string): boolean => {
  let hasMark = false
  let start = 0
  do {
    const end = text.indexOf("\n", start)
    let at = start
    while (isSpace(text.charCodeAt(at))) at++
    if (isMark(text.charCodeAt(at))) {
      hasMark = true
      const line = text.slice(start, end === -1 ? text.length : end + 1)
      if (FLUSH.test(line) || INDENTED.test(line.trimStart())) return true
    }
    start = end + 1
  } while (start > 0)
  return hasMark && DIVIDER.test(text.trim())
}

const countFences = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("```"); at !== -1; at = text.indexOf("```", at + 3)) count++
  return count
}

/** All of this begins with one of `|+-*#>_=` or a digit, or with a character that is not ASCII. */
const isMark = (code: number): boolean => {
  if (code > 0x7f) return true
  if (code >= 0x30 && code <= 0x39) return true
  switch (code) {
    case 0x23:
    case 0x2a:
    case 0x2b:
    case 0x2d:
    case 0x3d:
    case 0x3e:
    case 0x5f:
    case 0x7c:
      return true
    default:
      return false
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09
