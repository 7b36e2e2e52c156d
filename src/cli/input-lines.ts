/**
 * Lines of standard input as they come, each bounded. Reading goes on only when the line before was taken: whoever writes
 * faster than prompts are answered waits.
 */
import { Either, ParseResult, Schema, Stream } from "effect"
import { messageOf } from "../kernel/cause-chain.ts"
import { InputLine } from "../protocol/input-line.ts"
import { InputError } from "./stdin-content.ts"

export type ReadLine =
  | { readonly _tag: "Line"; readonly line: InputLine }
  | { readonly _tag: "Fault"; readonly number: number; readonly detail: string }

/** A prompt with a picture in it fits; a line that never ends is not kept. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 10

const decode = Schema.decodeUnknownEither(InputLine)

export const inputLines = (input: ReadableStream<Uint8Array>): Stream.Stream<ReadLine, InputError> =>
  Stream.fromAsyncIterable(linesOf(input), (cause) => new InputError({ kind: "unreadable", detail: messageOf(cause) }))

async function* linesOf(input: ReadableStream<Uint8Array>): AsyncGenerator<ReadLine> {
  const reader = input.getReader()
  let pieces: Array<Uint8Array> = []
  let length = 0
  let isTooLong = false
  let number = 0
  const take = (): ReadLine | undefined => {
    number += 1
    const bytes = Buffer.concat(pieces)
    pieces = []
    length = 0
    if (isTooLong) {
      isTooLong = false
      return { _tag: "Fault", number, detail: `is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB` }
    }
    return readLine(bytes, number)
  }
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    for (let from = 0; from < value.length; ) {
      const end = value.indexOf(NEWLINE, from)
      const piece = value.subarray(from, end < 0 ? value.length : end)
      length += piece.length
      if (length > MAX_LINE_BYTES) {
        isTooLong = true
        pieces = []
      } else pieces.push(piece.slice())
      from = end < 0 ? value.length : end + 1
      if (end < 0) continue
      const line = take()
      if (line !== undefined) yield line
    }
  }
  const last = pieces.length > 0 || isTooLong ? take() : undefined
  if (last !== undefined) yield last
}

/** Blank lines are passed over. */
const readLine = (bytes: Uint8Array, number: number): ReadLine | undefined => {
  const fault = (detail: string): ReadLine => ({ _tag: "Fault", number, detail })
  const text = Either.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim())
  if (Either.isLeft(text)) return fault("is not UTF-8")
  if (text.right === "") return undefined
  const value = Either.try((): unknown => JSON.parse(text.right))
  if (Either.isLeft(value)) return fault("is not JSON")
  return Either.match(decode(value.right), {
    onLeft: (error) => fault(`does not fit gemini schema input-stream: ${firstIssue(error, value.right)}`),
    onRight: (line): ReadLine => ({ _tag: "Line", line })
  })
}

const firstIssue = (error: ParseResult.ParseError, value: unknown): string => {
  const type = typeof value === "object" && value !== null && "type" in value ? String(value.type) : undefined
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  if (type === undefined || issue === undefined) return "it has no type"
  return `${issue.path.length === 0 ? "type" : issue.path.map(String).join(".")}: ${issue.message.split("\n")[0]}`
}
