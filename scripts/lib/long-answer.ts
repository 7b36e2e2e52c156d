/** A model that answers with much text, in pieces as small as a model's. */
export const PIECE = 200
/** Sent at once, as a fast network delivers them. */
const BATCH_BYTES = 60_000

/** `characters`: a multiple of `PIECE`. */
export const serveAnswer = (characters: number) => {
  const batches = batchesOf(answer(characters / PIECE))
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      await request.arrayBuffer()
      let next = 0
      const body = new ReadableStream({
        pull: (controller) => {
          const batch = batches[next++]
          if (batch === undefined) controller.close()
          else controller.enqueue(batch)
        }
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
  })
}

function* answer(count: number): Generator<string> {
  for (let index = 0; index < count; index++) {
    const candidate = { content: { parts: [{ text: pieceOf(index) }], role: "model" }, index: 0 }
    const chunk = {
      candidates: [index === count - 1 ? { ...candidate, finishReason: "STOP" } : candidate],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: index, totalTokenCount: index + 10 },
      modelVersion: "scripted"
    }
    yield `data: ${JSON.stringify(chunk)}\r\n\r\n`
  }
}

/** No piece is like another: a model that repeats itself is stopped. */
const pieceOf = (index: number): string => {
  const words: Array<string> = []
  for (let word = 0; word < PIECE / 8; word++) words.push(Bun.hash(`${index} ${word}`).toString(36).slice(0, 7))
  return `${words.join(" ")} `
}

const batchesOf = (events: Iterable<string>): ReadonlyArray<Uint8Array> => {
  const encoder = new TextEncoder()
  const batches: Array<Uint8Array> = []
  let batch = ""
  for (const event of events) {
    batch += event
    if (batch.length < BATCH_BYTES) continue
    batches.push(encoder.encode(batch))
    batch = ""
  }
  return batch === "" ? batches : [...batches, encoder.encode(batch)]
}
