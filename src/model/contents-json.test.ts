import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { Content } from "../protocol/content.ts"
import { ContentsJson } from "./contents-json.ts"

const anyContent: fc.Arbitrary<Content> = fc.record({
  role: fc.constantFrom("user", "model"),
  parts: fc.array(
    fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => ({ text })),
      fc.jsonValue().map((output) => ({ functionResponse: { name: "x", response: { output } } })),
      fc.constant({ text: undefined })
    ),
    { maxLength: 3 }
  )
})
const written = (json: ContentsJson, contents: ReadonlyArray<Content>, after = "}") =>
  Buffer.from(json.write(contents, { before: '{"é":', after })).toString()

const anyContents = fc.array(anyContent, { maxLength: 6 })

test("is what JSON.stringify writes, whatever is added, taken back or exchanged", () => {
  const anyChange = fc.record({ kept: fc.nat(12), added: anyContents, after: fc.string({ unit: "grapheme" }) })
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 8 }), (changes) => {
      const json = new ContentsJson()
      let contents: ReadonlyArray<Content> = []
      for (const { added, after, kept } of changes) {
        contents = [...contents.slice(0, kept), ...added]
        expect(written(json, contents, after)).toBe(`{"é":${JSON.stringify(contents)}${after}`)
      }
    })
  )
})

test("conversations that take turns do not mix", () => {
  const json = new ContentsJson()
  const message = (text: string): Content => ({ role: "user", parts: [{ text }] })
  const [one, other] = [[message("a")], [message("b")]]
  for (let turn = 0; turn < 3; turn++) {
    for (const contents of [one, other]) {
      contents.push(message(`turn ${turn}`))
      expect(written(json, [...contents])).toBe(`{"é":${JSON.stringify(contents)}}`)
    }
  }
})

test("a message that was written before is not looked at again", () => {
  let reads = 0
  const watched: Content = {
    role: "user",
    get parts() {
      reads++
      return []
    }
  }
  const json = new ContentsJson()
  written(json, [watched])
  const once = reads
  written(json, [watched, { role: "model", parts: [] }])
  expect(reads).toBe(once)
})
