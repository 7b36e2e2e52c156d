/**
 * Conversations as JSON. A conversation is sent again with every turn and mostly grows: what was written before is
 * kept and only the new messages are written, so that a long run does not pay for its past again and again.
 */
import type { Content } from "../protocol/content.ts"

interface Written {
  readonly contents: ReadonlyArray<Content>
  /** All of them, without the bracket that ends the list. */
  readonly json: string
  /** Where each message ends in it. */
  readonly ends: ReadonlyArray<number>
}

export class ContentsJson {
  /** By the first message, which tells conversations apart: several may take turns. */
  readonly #written = new WeakMap<Content, Written>()

  /** The same as `JSON.stringify`. Messages are compared by identity: they do not change. */
  write(contents: ReadonlyArray<Content>): string {
    const [first] = contents
    if (first === undefined) return "[]"
    const written = continued(this.#written.get(first) ?? NOTHING, contents)
    this.#written.set(first, written)
    return `${written.json}]`
  }
}

const NOTHING: Written = { contents: [], json: "[", ends: [] }

const continued = (before: Written, contents: ReadonlyArray<Content>): Written => {
  const kept = commonLength(before.contents, contents)
  const ends = before.ends.slice(0, kept)
  let json = kept === 0 ? "[" : before.json.slice(0, ends.at(-1))
  for (const content of contents.slice(kept)) {
    json += `${ends.length === 0 ? "" : ","}${JSON.stringify(content)}`
    ends.push(json.length)
  }
  return { contents, json, ends }
}

const commonLength = (a: ReadonlyArray<Content>, b: ReadonlyArray<Content>): number => {
  const end = Math.min(a.length, b.length)
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index
  return end
}
