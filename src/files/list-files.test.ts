import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { recordsOf } from "./list-files.ts"

test("records come out whole, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat({ max: 7 })), (texts, cuts) => {
      const records = texts.map((text) => text.replaceAll("\n", ""))
      const bytes = Buffer.from(records.map((record) => `${record}\n`).join(""))
      const found: Array<string> = []
      const push = recordsOf(10, (record) => found.push(record) > 0)
      let at = 0
      for (const cut of cuts) {
        push(bytes.subarray(at, at + cut))
        at += cut
      }
      push(bytes.subarray(at))
      expect(found).toEqual(records)
    })
  )
})

test("a reader that has enough gets no more", () => {
  const found: Array<string> = []
  const push = recordsOf(10, (record) => found.push(record) < 2)
  expect(push(Buffer.from("a\nb\nc\n"))).toBe(false)
  expect(found).toEqual(["a", "b"])
})

test("a record beyond all bounds is dropped, the next one is not", () => {
  const found: Array<string> = []
  const push = recordsOf(10, (record) => found.push(record) > 0)
  const piece = Buffer.alloc(1024 * 1024, "x")
  push(Buffer.from("first\n"))
  for (let count = 0; count < 17; count++) push(piece)
  push(Buffer.from("end\nsecond\nthi"))
  push(Buffer.from("rd\n"))
  expect(found).toEqual(["first", "second", "third"])
})
