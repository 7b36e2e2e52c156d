/** From a reply to the bytes on the wire: server-sent events or one document, whole or in pieces. */
import type { AnswerChunk, Manner, Reply } from "./replies.ts"

export const bodyOf = (reply: Reply, isStream: boolean) => {
  if (reply._tag === "Raw") return { status: reply.status, headers: reply.headers ?? {}, body: bytesOf(reply.body) }
  const type = isStream ? "text/event-stream" : "application/json; charset=UTF-8"
  return {
    status: 200,
    headers: { "content-type": type, ...reply.headers },
    body: bytesOf(isStream ? eventsOf(reply.chunks) : JSON.stringify(merged(reply.chunks)))
  }
}

/** The API separates events by CR LF. */
export const eventsOf = (chunks: ReadonlyArray<unknown>): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("")

export const piecesOf = (body: Uint8Array, splitAt: Manner["splitAt"]): ReadonlyArray<Uint8Array> => {
  if (body.length === 0) return []
  if (splitAt === undefined) return slices(body, LARGE_PIECE)
  if (splitAt === "byte") return slices(body, 1)
  const cuts = [0, ...splitAt.filter((at) => at > 0 && at < body.length).toSorted((a, b) => a - b), body.length]
  return cuts.slice(1).map((end, index) => body.subarray(cuts[index], end))
}

/** Large bodies go in pieces of this many bytes, so that a slow reader is felt. */
const LARGE_PIECE = 256 * 1024

const slices = (body: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(body.length / size) }, (_, index) => body.subarray(index * size, (index + 1) * size))

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : body

interface Candidate {
  readonly content?: { readonly role?: string; readonly parts?: ReadonlyArray<unknown> }
}

/** One document that says what the chunks say: parts joined, everything else from the chunk that has it last. */
const merged = (chunks: ReadonlyArray<AnswerChunk>): AnswerChunk => {
  const candidates = chunks.flatMap((chunk) => (Array.isArray(chunk.candidates) ? chunk.candidates.slice(0, 1) : []))
  const parts = candidates.flatMap((candidate: Candidate) => candidate.content?.parts ?? [])
  const all = Object.assign({}, ...chunks)
  if (candidates.length === 0) return all
  return { ...all, candidates: [{ ...Object.assign({}, ...candidates), content: { role: "model", parts } }] }
}
