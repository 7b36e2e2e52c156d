/**
 * Messages of an editor on standard input and output, one JSON object a line. A line that is none is answered and passed
 * over; one that is too long is never held. What is written has left the program when the write returns, so that a slow
 * reader slows the model down.
 */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk"
import { Predicate } from "effect"
import { jsonText } from "../kernel/readable-text.ts"

/** As much as the SDK of the other side takes, and as much as is taken here. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024
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
    await send(`${fittingText(message)}\n`)
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
  const refuse: Refuse = (code, text, id) => write({ jsonrpc: "2.0", id: id ?? null, error: { code, message: text } })
  return {
    writable: new WritableStream<AnyMessage>({ write }),
    readable: streamOf(messages())
  }
}

/** What people are shown of a text that is too long for a line; a program has it elsewhere. */
const CUTS = [1024 * 1024, 16 * 1024, 256]

/** A message of any size in one line that the other side takes: its longest texts give way. */
export const fittingText = (message: unknown): string => {
  const whole = jsonText(message)
  if (isFitting(whole)) return whole
  for (const most of CUTS) {
    const text = JSON.stringify(message, (_, value: unknown) => (typeof value === "string" ? cut(value, most) : value))
    if (isFitting(text)) return jsonText(JSON.parse(text))
  }
  return whole
}

const isFitting = (line: string): boolean =>
  line.length * 3 <= MAX_LINE_BYTES || Buffer.byteLength(line) < MAX_LINE_BYTES

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n[${text.length - most} more characters]`

const streamOf = (messages: AsyncGenerator<AnyMessage>): ReadableStream<AnyMessage> =>
  new ReadableStream<AnyMessage>({
    pull: async (controller) => {
      const next = await messages.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    }
  })

type RequestId = string | number

type Refuse = (code: number, text: string, id?: RequestId) => Promise<void>

async function* messagesIn(input: ReadableStream<Uint8Array>, refuse: Refuse): AsyncGenerator<AnyMessage> {
  for await (const line of linesIn(input)) {
    if (typeof line !== "string") {
      await refuse(-32600, `Invalid request: a message may have ${MAX_LINE_BYTES} bytes`, idIn(line.begins))
      continue
    }
    if (line.trim() === "") continue
    const message = parsed(line)
    if (message === undefined) await refuse(-32700, "Parse error")
    else if (!isMessage(message)) await refuse(-32600, "Invalid request", idOf(message))
    // The connection checks the rest.
    else yield message as AnyMessage
  }
}

const isMessage = (value: unknown): boolean =>
  Predicate.isReadonlyRecord(value) &&
  value.jsonrpc === "2.0" &&
  (Object.hasOwn(value, "method")
    ? typeof value.method === "string"
    : ["result", "error"].some((key) => Object.hasOwn(value, key)))

/** Of what was meant as a request. */
const idOf = (value: unknown): RequestId | undefined =>
  Predicate.hasProperty(value, "method") && Predicate.hasProperty(value, "id") ? requestId(value.id) : undefined

const requestId = (id: unknown): RequestId | undefined =>
  typeof id === "string" || typeof id === "number" ? id : undefined

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Whoever waits for an answer to a message that was not held is told by its id, where that stands at the beginning. */
const idIn = (begins: string): RequestId | undefined => {
  const [, id] = /^\s*\{[^{}[\]]*?"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*,/.exec(begins) ?? []
  return id === undefined ? undefined : requestId(parsed(id))
}

interface TooLong {
  readonly begins: string
}

const BEGINNING_BYTES = 4096

async function* linesIn(input: ReadableStream<Uint8Array>): AsyncGenerator<string | TooLong> {
  let pieces: Array<Uint8Array> = []
  let length = 0
  const take = (piece: Uint8Array) => {
    const wasFitting = length <= MAX_LINE_BYTES
    length += piece.length
    if (length <= MAX_LINE_BYTES) pieces.push(piece)
    else if (wasFitting)
      pieces = [
        Buffer.concat([...pieces, piece])
          .subarray(0, BEGINNING_BYTES)
          .slice()
      ]
  }
  const line = (): string | TooLong => {
    const text = Buffer.concat(pieces).toString("utf8")
    const isWhole = length <= MAX_LINE_BYTES
    pieces = []
    length = 0
    return isWhole ? text : { begins: text }
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
