/**
 * From the recorded history to the contents of a request that the API accepts: unusable model output is left out, roles
 * alternate, the calls of the turn under way carry a signature, ids are those of the API. Pure: the history itself keeps
 * everything.
 */
import type { Content, Part } from "../protocol/content.ts"
import { withApiIds } from "./call-id.ts"

/** Stands for a signature that the model did not give; the API knows this value and skips the check. */
export const SYNTHETIC_SIGNATURE = "skip_thought_signature_validator"

export const requestContents = (history: ReadonlyArray<Content>): ReadonlyArray<Content> =>
  extended(NOTHING, history).sent

/** What a history comes to, in the steps that another message builds on. */
interface Assembled {
  /** Usable messages, one for each change of role. */
  readonly merged: ReadonlyArray<Content>
  /** The same as the API takes them. */
  readonly sent: ReadonlyArray<Content>
  /** The last question of the user among them; -1 where there is none. */
  readonly question: number
}

const NOTHING: Assembled = { merged: [], sent: [], question: -1 }

/** With these messages behind. The first of them must not belong to what is there: neither a part of its last message, nor of a run. */
const extended = (known: Assembled, contents: ReadonlyArray<Content>): Assembled => {
  const added = mergeRoles(curate(contents))
  const merged = known.merged.length === 0 ? added : [...known.merged, ...added]
  const last = added.findLastIndex(isQuestion)
  if (last === -1) {
    const sent = added.map((content) => asSent(content, { isActive: known.question !== -1 }))
    return { merged, sent: known.sent.length === 0 ? sent : [...known.sent, ...sent], question: known.question }
  }
  const question = known.merged.length + last
  return { merged, sent: merged.map((content, index) => asSent(content, { isActive: index > question })), question }
}

/** From the last question of the user on, the first call of every model message needs a signature. Ids become the API's. */
const asSent = (content: Content, { isActive }: { readonly isActive: boolean }): Content =>
  withApiIds(isActive && content.role === "model" ? signFirstCall(content) : content)

/** Drops each run of model messages that holds an invalid one, and thought parts, which are never sent back. */
export const curate = (history: ReadonlyArray<Content>): ReadonlyArray<Content> => {
  const kept: Array<Content> = []
  let run: Array<Content> = []
  let isUsable = true
  const endRun = () => {
    if (isUsable) kept.push(...run)
    run = []
    isUsable = true
  }
  for (const content of history) {
    if (content.role === "model") {
      if (!isValid(content)) isUsable = false
      else if (saysSomething(content)) run.push(withoutThoughts(content))
    } else {
      endRun()
      kept.push(content)
    }
  }
  endRun()
  return kept
}

const isValid = (content: Content): boolean => content.parts.every(isValidPart)

/** Beyond thoughts. */
export const saysSomething = (content: Content): boolean => content.parts.some((part) => part.thought !== true)

/** Neighbours of one role become one message. */
export const mergeRoles = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> => {
  const merged: Array<Content> = []
  for (const content of contents) {
    const last = merged.at(-1)
    if (last?.role === content.role) merged[merged.length - 1] = { ...last, parts: [...last.parts, ...content.parts] }
    else merged.push(content)
  }
  return merged
}

export const isFunctionResponse = (content: Content): boolean =>
  content.parts.some((part) => part.functionResponse !== undefined)

const isQuestion = (content: Content): boolean =>
  content.role === "user" && !isFunctionResponse(content) && content.parts.some((part) => part.text !== undefined)

const signFirstCall = (content: Content): Content => {
  const first = content.parts.findIndex((part) => part.functionCall !== undefined)
  if (first === -1 || content.parts[first]?.thoughtSignature !== undefined) return content
  return {
    ...content,
    parts: content.parts.map((part, index) =>
      index === first ? { ...part, thoughtSignature: SYNTHETIC_SIGNATURE } : part
    )
  }
}

/** An empty object and a bare empty text are refused by the API; anything else that stands beside it makes it valid. */
export const isValidPart = (part: Part): boolean => {
  const keys = Object.entries(part).flatMap(([key, value]) => (value === undefined ? [] : [key]))
  if (keys.length === 0) return false
  const onlyText = keys.every((key) => key === "text" || key === "thought" || key === "callIndex")
  return !onlyText || part.thought === true || part.text !== ""
}

/** A call whose thoughts are gone has lost its signature with them. */
const withoutThoughts = (content: Content): Content =>
  content.parts.some((part) => part.thought === true)
    ? signFirstCall({ ...content, parts: content.parts.filter((part) => part.thought !== true) })
    : content

/**
 * The contents of one request after the other, for a history that mostly grows: what was worked out for its beginning is
 * kept, so that no turn of a long run costs more than the one before.
 */
export class RequestBuilder {
  /** The history of the last request, as far as nothing that follows can change what is sent for it. */
  #settled: ReadonlyArray<Content> = []
  #known: Assembled = NOTHING

  /** The same as `requestContents`; messages that were sent before are the very same objects. */
  build(history: ReadonlyArray<Content>): ReadonlyArray<Content> {
    // Words of the model right behind what is settled would have to become a part of it.
    const hasBorder = history[this.#settled.length]?.role !== "model"
    if (!hasBorder || !isPrefix(this.#settled, history)) {
      this.#settled = []
      this.#known = NOTHING
    }
    const rest = history.slice(this.#settled.length)
    const border = lastBorder(rest)
    this.#known = border === 0 ? this.#known : extended(this.#known, rest.slice(0, border))
    this.#settled = history.slice(0, this.#settled.length + border)
    return extended(this.#known, rest.slice(border)).sent
  }
}

/** Messages do not change: a history that was rewritten holds other ones. */
const isPrefix = (shorter: ReadonlyArray<Content>, longer: ReadonlyArray<Content>): boolean =>
  shorter.length <= longer.length && shorter.every((content, index) => content === longer[index])

/** The last place where a message of the user follows words of the model that are sent: nothing is merged across it. */
const lastBorder = (contents: ReadonlyArray<Content>): number =>
  Math.max(
    0,
    contents.findLastIndex(({ role }, index) => role === "user" && isSent(runBefore(contents, index)))
  )

const runBefore = (contents: ReadonlyArray<Content>, end: number): ReadonlyArray<Content> =>
  contents.slice(contents.findLastIndex(({ role }, index) => index < end && role === "user") + 1, end)

const isSent = (run: ReadonlyArray<Content>): boolean => run.every(isValid) && run.some(saysSomething)
