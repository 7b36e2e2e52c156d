/**
 * Notices when the model chants: the same fifty characters, again and again, close together. A fold over the text of one
 * prompt. Structure (code, lists, tables, headings) repeats by nature and resets the count.
 */
export interface ChantState {
  readonly text: string
  /** Where each chunk of the text was seen, by its content. */
  readonly seen: ReadonlyMap<string, ReadonlyArray<number>>
  /** Up to here the text has been looked at. */
  readonly next: number
  readonly isInCode: boolean
}

export const silence: ChantState = { text: "", seen: new Map(), next: 0, isInCode: false }

const CHUNK = 50
const REPETITIONS = 10
const KEPT_TEXT = 5000
const MAX_AVERAGE_DISTANCE = CHUNK * 5
const MAX_PERIODS = 5

export const addText = (
  before: ChantState,
  added: string
): { readonly state: ChantState; readonly isLoop: boolean } => {
  const fences = added.match(/```/g)?.length ?? 0
  const isInCode = fences % 2 === 0 ? before.isInCode : !before.isInCode
  if (fences > 0 || isStructure(added)) return { state: { ...silence, isInCode }, isLoop: false }
  if (before.isInCode) return { state: before, isLoop: false }
  return scan(withText(before, added))
}

/** A tool call shows progress: what was said before it no longer counts. */
export const afterCall = (before: ChantState): ChantState => ({ ...silence, isInCode: before.isInCode })

const STRUCTURE = [
  /(^|\n)\s*\|.*\|/, // table row
  /(^|\n)\s*[|+-]{3,}/, // table border
  /(^|\n)\s*[*+-]\s/, // list
  /(^|\n)\s*\d+\.\s/, // numbered list
  /(^|\n)#{1,6}\s/, // heading
  /(^|\n)>\s/ // quotation
]
const DIVIDER = /^[+\-_=*\u2500-\u257f]+$/

const isStructure = (text: string): boolean => STRUCTURE.some((pattern) => pattern.test(text)) || DIVIDER.test(text.trim())

/** Old text is forgotten; what is remembered of it moves along. */
const withText = (before: ChantState, added: string): ChantState => {
  const text = before.text + added
  const cut = text.length - KEPT_TEXT
  if (cut <= 0) return { ...before, text }
  const seen = new Map<string, ReadonlyArray<number>>()
  for (const [chunk, places] of before.seen) {
    const left = places.map((place) => place - cut).filter((place) => place >= 0)
    if (left.length > 0) seen.set(chunk, left)
  }
  return { ...before, text: text.slice(cut), seen, next: Math.max(0, before.next - cut) }
}

const scan = (state: ChantState): { readonly state: ChantState; readonly isLoop: boolean } => {
  const seen = new Map(state.seen)
  let next = state.next
  for (; next + CHUNK <= state.text.length; next++) {
    const chunk = state.text.slice(next, next + CHUNK)
    const places = [...(seen.get(chunk) ?? []), next]
    seen.set(chunk, places)
    if (isChant(state.text, places)) return { state: { ...silence, isInCode: state.isInCode }, isLoop: true }
  }
  return { state: { ...state, seen, next }, isLoop: false }
}

const isChant = (text: string, places: ReadonlyArray<number>): boolean => {
  if (places.length < REPETITIONS) return false
  const recent = places.slice(-REPETITIONS)
  const [first = 0] = recent
  const average = ((recent.at(-1) ?? 0) - first) / (REPETITIONS - 1)
  if (average > MAX_AVERAGE_DISTANCE) return false
  const periods = new Set(recent.slice(1).map((place, index) => text.slice(recent[index], place)))
  return periods.size <= MAX_PERIODS
}
