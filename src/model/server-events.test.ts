import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import { makeEventSplitter } from "./server-events.ts"

const split = (pieces: ReadonlyArray<string>) => {
  const splitter = makeEventSplitter()
  const events = pieces.flatMap((piece) => splitter.push(piece))
  return { events, rest: splitter.rest() }
}

const rows: ReadonlyArray<readonly [name: string, body: string, events: ReadonlyArray<string>, rest: string]> = [
  ["two events", "data: a\n\ndata: b\n\n", ["a", "b"], ""],
  ["no space after the colon", "data:a\n\n", ["a"], ""],
  ["only one space is dropped", "data:  a\n\n", [" a"], ""],
  ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"], ""],
  ["CR alone", "data: a\r\rdata: b\r\r", ["a", "b"], ""],
  ["several data lines", "data: a\ndata: b\n\n", ["a\nb"], ""],
  ["comments, names and ids", ": ping\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", ["a"], ""],
  ["empty lines in between", "\n\n\ndata: a\n\n\n\n", ["a"], ""],
  ["no closing line", "data: a\n\ndata: b\n", ["a"], "b"],
  ["no line end at all", "data: a", [], "a"],
  ["empty data", "data:\n\n", [""], ""],
  ["nothing", "", [], ""]
]

for (const [name, body, events, rest] of rows) {
  test(name, () => expect(split([body])).toEqual({ events: [...events], rest }))
  test(`${name}, one character at a time`, () => expect(split([...body])).toEqual({ events: [...events], rest }))
}

test("where the body is cut does not matter", () => {
  const line = FastCheck.constantFrom("data: {}", "data:x", ": c", "", "data: ü€😀", "event: e")
  const ending = FastCheck.constantFrom("\n", "\r\n", "\r")
  FastCheck.assert(
    FastCheck.property(
      FastCheck.array(FastCheck.tuple(line, ending), { maxLength: 12 }),
      FastCheck.array(FastCheck.nat(200), { maxLength: 8 }),
      (linesWithEnds, cuts) => {
        const body = linesWithEnds.flat().join("")
        const positions = [...new Set([0, ...cuts.map((cut) => cut % (body.length + 1)), body.length])].sort(
          (a, b) => a - b
        )
        const pieces = positions.slice(1).map((position, index) => body.slice(positions[index], position))
        expect(split(pieces)).toEqual(split([body]))
      }
    )
  )
})
