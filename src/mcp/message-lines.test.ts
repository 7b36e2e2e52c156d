import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import { messageLines } from "./message-lines.ts"

const read = (chunks: ReadonlyArray<Uint8Array>, limit?: number) => {
  const seen: Array<string> = []
  const take = messageLines(
    {
      onMessage: (line) => seen.push(`message ${line}`),
      onNoise: (line) => seen.push(`noise ${line}`),
      onTooLong: () => seen.push("too long")
    },
    limit
  )
  for (const chunk of chunks) take(chunk)
  return seen
}
const bytes = (text: string) => new TextEncoder().encode(text)

test("messages and noise are told apart", () => {
  expect(read([bytes('Server 1.0 ready\n\n  {"a":1}\r\n[info] x\n{"b"')])).toEqual([
    "noise Server 1.0 ready",
    'message {"a":1}',
    "noise [info] x"
  ])
})

test("a line that grows too long ends it all", () => {
  expect(read([bytes('{"a":1}\n{"long'), bytes("er than that"), bytes('"}\n{"b":2}\n')], 12)).toEqual([
    'message {"a":1}',
    "too long"
  ])
})

test("how the bytes arrive changes nothing", () =>
  FastCheck.assert(
    FastCheck.property(FastCheck.array(FastCheck.string()), FastCheck.integer({ min: 1, max: 7 }), (values, size) => {
      const whole = bytes(values.map((value) => `${JSON.stringify({ value })}\n`).join(""))
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
        whole.subarray(index * size, (index + 1) * size)
      )
      expect(read(chunks)).toEqual(values.map((value) => `message ${JSON.stringify({ value })}`))
    })
  ))
