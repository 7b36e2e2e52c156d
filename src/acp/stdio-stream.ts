/**
 * Messages of an editor on standard input and output, one JSON object a line. A line that is none is answered and passed
 * over; one that is too long is never held. What is written has left the program when the write returns, so that a slow
 * reader slows the model down.
 */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk"
import { Predicate } from "effect"
import { jsonText } from "../kernel/readable-text.ts"

/** As much as the SDK of the other side takes. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
const NEWLINE = 10

interface StdioOptions {
  readonly input: ReadableStream<Uint8Array>
  readonly send: (line: string) => Promise<void>
  /** A message is on its way. */
  readonly onSent: (message: AnyMessage) => void
  /** Nothing more comes. The connection stays open until this returns; `answered`: every request has its answer. */
  readonly onEnd: (answered: Promise<void>) => Promise<void>
}

export const stdioStream = ({ input, onEnd, onSent, send }: StdioOptions): Stream => {
  const open = new Set<unknown>()
  const answered = Promise.withResolvers<void>()
  let hasEnded = false
  const write = async (message: AnyMessage): Promise<void> => {
    await send(`${jsonText(message)}\n`)
    onSent(message)
    if (!("method" in message)) open.delete(message.id)
    if (hasEnded && open.size === 0) answered.resolve()
  }
  async function* messages(): AsyncGenerator<AnyMessage> {
    for await (const message of messagesIn(input, refuse)) {
      if ("method" in message && "id" in message) open.add(message.id)
      yield message
    }
    hasEnded = true
    if (open.size === 0) answered.resolve()
    await onEnd(answered.promise)
  }
  const refuse = (code: number, text: string) => write({ jsonrpc: "2.0", id: null, error: { code, message: text } })
  return {
    writable: new WritableStream<AnyMessage>({ write }),
    readable: streamOf(messages())
  }
}

const streamOf = (messages: AsyncGenerator<AnyMessage>): ReadableStream<AnyMessage> =>
  new ReadableStream<AnyMessage>({
    pull: async (controller) => {
      const next = await messages.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    }
  })

type Refuse = (code: number, text: string) => Promise<void>

async function* messagesIn(input: ReadableStream<Uint8Array>, refuse: Refuse): AsyncGenerator<AnyMessage> {
  for await (const line of linesIn(input)) {
    if (line === undefined) {
      await refuse(-32600, `Invalid request: a message may have ${MAX_LINE_BYTES} bytes`)
      continue
    }
    if (line.trim() === "") continue
    const message = parsed(line)
    if (message === undefined) await refuse(-32700, "Parse error")
    else if (!isMessage(message)) await refuse(-32600, "Invalid request")
    // The connection checks the rest.
    else yield message as AnyMessage
  }
}

const isMessage = (value: unknown): boolean =>
  Predicate.isReadonlyRecord(value) && ["method", "result", "error"].some((key) => Object.hasOwn(value, key))

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** `undefined` for a line that is too long. */
async function* linesIn(input: ReadableStream<Uint8Array>): AsyncGenerator<string | undefined> {
  let pieces: Array<Uint8Array> = []
  let length = 0
  const take = (piece: Uint8Array) => {
    length += piece.length
    if (length <= MAX_LINE_BYTES) pieces.push(piece)
    else pieces = []
  }
  const line = () => {
    const whole = length <= MAX_LINE_BYTES ? Buffer.concat(pieces).toString("utf8") : undefined
    pieces = []
    length = 0
    return whole
  }
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end))
      yield line()
      start = end + 1
    }
    take(chunk.subarray(start))
  }
  if (length > 0) yield line()
}
