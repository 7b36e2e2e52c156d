/** Lines of an editor: what is refused, under which id, and that nothing is ever longer than the other side takes. */
import { expect, test } from "bun:test"
import type { AnyMessage } from "@agentclientprotocol/sdk"
import { fittingText, MAX_LINE_BYTES, stdioStream } from "./stdio-stream.ts"

/** What is understood and what is said of a text that comes in pieces. */
const read = async (pieces: ReadonlyArray<string>) => {
  const said: Array<{ id?: unknown; error?: { code: number } }> = []
  const { readable } = stdioStream({
    input: new Blob(pieces.map((piece) => new TextEncoder().encode(piece))).stream(),
    send: async (line) => void said.push(JSON.parse(line)),
    onSent: () => {},
    onEnd: async () => {}
  })
  const understood: Array<AnyMessage> = []
  for await (const message of readable) understood.push(message)
  return { understood, refused: said.map(({ error, id }) => [id, error?.code]) }
}

const long = "y".repeat(MAX_LINE_BYTES)
const good = { jsonrpc: "2.0", method: "x" } as const

test.each<[string, unknown]>([
  [`{"jsonrpc":"2.0","id":77,"method":"x","params":{"id":1,"a":"${long}"}}`, 77],
  [`{ "id" : "a\\"b" , "method":"x","params":"${long}"}`, 'a"b'],
  [`{"jsonrpc":"2.0","params":{"id":1},"id":5,"a":"${long}"}`, null],
  [`{"method":"x","params":"${long}","id":3}`, null],
  [`${long}y`, null]
])("a line that is too long is refused by its id, where that is known: %#", async (line, id) => {
  expect(await read([`${line}\n${JSON.stringify(good)}\n`])).toEqual({ understood: [good], refused: [[id, -32600]] })
})

test("what is no message is refused, blank lines are passed over, and a last line needs no end", async () => {
  const lines = ["this is no json", "", "[]", "7", "null", '{"jsonrpc":"2.0","id":null}', "  ", JSON.stringify(good)]
  expect(await read([lines.join("\n")])).toEqual({
    understood: [good],
    refused: [-32700, -32600, -32600, -32600, -32600].map((code) => [null, code])
  })
})

test("a message that is too long for a line gives up its longest texts", () => {
  const update = (text: string) => ({
    jsonrpc: "2.0",
    params: { path: "/a", text, more: ["é\u0000".repeat(4_000_000)] }
  })
  expect(JSON.parse(fittingText(update("short")))).toMatchObject({ params: { path: "/a", text: "short" } })
  const line = fittingText(update("x".repeat(40_000_000)))
  expect(Buffer.byteLength(line)).toBeLessThan(MAX_LINE_BYTES)
  expect(JSON.parse(line)).toMatchObject({ params: { path: "/a", text: expect.stringContaining("more characters]") } })
  const whole = update("x".repeat(1_000_000))
  expect(JSON.parse(fittingText({ ...whole, params: { text: whole.params.text } })).params.text).toHaveLength(1_000_000)
})
