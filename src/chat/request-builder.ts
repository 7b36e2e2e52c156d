/**
 * The contents of one request after the other, for a history that mostly grows: what was worked out for its beginning is
 * kept, so that no turn of a long run costs more than the one before.
 */
import type { Content } from "../protocol/content.ts"
import { type Assembled, extended, isValid, NOTHING, saysSomething } from "./request-contents.ts"

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
