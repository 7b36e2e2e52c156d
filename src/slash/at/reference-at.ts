/** The reference that the cursor stands in, for completion. Pure. */
import { splitReferences } from "./references.ts"

export interface ReferenceAt {
  /** Where the path begins: behind the `@`. */
  readonly from: number
  /** The path as typed up to the cursor, without escapes. */
  readonly typed: string
}

export const referenceAt = (text: string, cursor: number): ReferenceAt | undefined => {
  const before = text.slice(0, cursor)
  // A sentence ends with a full stop, but a name that is being typed goes on.
  const pieces = splitReferences(`${before}\u0001`)
  const last = pieces.at(-1)
  if (last?._tag !== "Reference") return undefined
  const written = last.written.slice(0, -1)
  return { from: before.length - written.length, typed: written.replace(/["\\](?=.|$)/g, "") }
}
