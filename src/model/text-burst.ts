/**
 * A model that is faster than its readers sends hundreds of small pieces of text at once. They are taken as one chunk, so
 * that telling does not take longer than reading; a person sees no difference.
 */
import type { ModelChunk } from "./model-client.ts"
import { completed, isPlain, type PlainChunk } from "./plain-chunk.ts"

/** As many chunks may arrive with one read before their texts are joined. */
export const FEW = 16

export class TextBurst {
  private pieces: Array<string> = []
  private last: PlainChunk | undefined

  /** False: the value holds something that would be lost in a longer text. */
  takes(value: unknown): boolean {
    if (!isPlain(value)) return false
    const text = onlyText(value)
    if (text === undefined) return false
    this.pieces.push(text)
    this.last = value
    return true
  }

  /** What was taken since the last time. Counts and names of the last chunk hold for all of them. */
  end(): ReadonlyArray<ModelChunk> {
    const { last, pieces } = this
    if (last === undefined) return []
    this.pieces = []
    this.last = undefined
    return [{ ...completed(last), candidates: [{ content: { role: "model", parts: [{ text: pieces.join("") }] } }] }]
  }
}

const onlyText = ({ candidates }: PlainChunk): string | undefined => {
  if (candidates?.length !== 1) return undefined
  const [candidate] = candidates
  const parts = candidate?.content?.parts
  if (parts?.length !== 1 || candidate?.finishReason !== undefined) return undefined
  const [part] = parts
  // A thought, a signature, or what a newer API puts beside a text.
  for (const key in part) if (key !== "text") return undefined
  return part?.text
}
