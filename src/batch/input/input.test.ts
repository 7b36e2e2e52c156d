import { describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, FastCheck } from "effect"
import { batchItem, effectiveKey, keyOf, rawItem, templateOf } from "./batch-item.ts"
import { csvRows } from "./input-source.ts"
import { LONGEST_LINE, linesOf } from "./line-reader.ts"
import { openInput } from "./open-input.ts"

const withFile = <A>(content: string | Uint8Array, use: (path: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "gemini-batch-test-"))
  try {
    const path = join(folder, "in")
    writeFileSync(path, content)
    return use(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const textsOf = (content: string | Uint8Array, wholeOnly = false) =>
  withFile(content, (path) => [...linesOf(path, { wholeOnly })])

describe("lines", () => {
  test("are what splitting the whole text gives, wherever the pieces end", () => {
    const line = FastCheck.oneof(
      FastCheck.string().map((text) => text.replaceAll("\n", "")),
      FastCheck.integer({ min: 262_100, max: 262_200 }).map((length) => "ä".repeat(length / 2)),
      FastCheck.constant("")
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(line, { maxLength: 8 }), FastCheck.boolean(), (lines, isEnded) => {
        const usable = lines.map((text) => Buffer.from(text).toString("utf8"))
        const text = usable.join("\n") + (isEnded && usable.length > 0 ? "\n" : "")
        const expected = text === "" ? [] : text.replace(/\n$/, "").split("\n")
        expect(textsOf(text).map((one) => one.text)).toEqual(expected)
        expect(textsOf(text).map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1))
      }),
      { numRuns: 60 }
    )
  })

  test("one that is not UTF-8 is at fault, and no other", () => {
    const bytes = Buffer.concat([Buffer.from("a\n"), Buffer.from([0xff, 0xfe]), Buffer.from("\n\ufffd\nb")])
    expect(textsOf(bytes).map(({ fault, text }) => fault ?? text)).toEqual([
      "a",
      "the line is not UTF-8 text",
      "\ufffd",
      "b"
    ])
  })

  test("one that is too long is at fault, and the next one is read", () => {
    const long = Buffer.alloc(LONGEST_LINE + 1, "x")
    expect(
      textsOf(Buffer.concat([Buffer.from("a\n"), long, Buffer.from("\nb\n")])).map(({ fault, text }) => fault ?? text)
    ).toEqual(["a", "the line is longer than 32 MiB", "b"])
  })

  test("the last one counts only where it was ended, if that is asked for", () => {
    expect(textsOf("a\nb", true).map(({ text }) => text)).toEqual(["a"])
  })
})

test("a pipe that does not end is given up, and what came of it taken from the disk", async () => {
  let pieces = 0
  const chunks = async function* () {
    for (; ; pieces++) yield Buffer.alloc(1024 * 1024, "x")
  }
  const spools = () => readdirSync(tmpdir()).filter((name) => name.startsWith("gemini-batch-")).length
  const before = spools()
  const opened = openInput(
    { input: { kind: "jsonl", name: "-" } },
    { cwd: tmpdir(), stdin: { isTerminal: false, chunks }, maxBytes: 1024 ** 3 / 64 }
  )
  const fault = await Effect.runPromise(Effect.flip(Effect.scoped(opened)))
  expect(fault).toMatchObject({ kind: "input", message: "standard input is longer than 0.015625 GiB" })
  expect(fault.hint).toContain("write so much into a file")
  expect({ pieces, spools: spools() }).toEqual({ pieces: 16, spools: before })
})

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

describe("CSV", () => {
  test("what is written in quotes is read as it was", () => {
    const cell = FastCheck.string().map((text) => text.replaceAll("\r\n", "\n").replaceAll("\r", ""))
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }),
        (rows) => {
          const text = rows.map((row) => row.map(quoted).join(",")).join("\r\n")
          const lines = text.split("\n").map((line, index) => ({ number: index + 1, text: line }))
          expect([...csvRows(lines)].map(({ cells }) => cells)).toEqual(rows)
        }
      )
    )
  })

  test.each([
    ['a,"b', "a field in quotes is never closed"],
    ['a"b"c,d', "a quote stands in a field that is not in quotes"],
    ['"a"b,c""', "something stands behind the closing quote of a field"]
  ])("%s is at fault", (text, fault) =>
    expect([...csvRows([{ number: 1, text }])].map((row) => row.fault)).toEqual([fault])
  )
})

const NAMES = { keyField: undefined, template: undefined, fileField: undefined }

describe("an item", () => {
  test.each([
    ['{"id":1}', "1"],
    ['{"id":"a b"}', "a b"],
    ["{}", "7"],
    ['"text"', "7"],
    ['{"id":{"a":1}}', 'a key is a text or a number, and "id" is an object'],
    ['{"id":""}', 'a key is a text or a number, and "id" is empty'],
    ['{"id":true}', 'a key is a text or a number, and "id" is boolean'],
    [`{"id":"${"k".repeat(10_000)}"}`, "k".repeat(10_000)]
  ])("%s", (text, expected) => {
    const raw = rawItem({ number: 7, text })
    expect(raw === undefined ? undefined : Either.merge(keyOf(raw, undefined))).toBe(expected)
  })

  test("keys that differ in their code points alone are two", () => {
    const keys = ["\u00e9", "e\u0301"].map((id) => effectiveKey({ line: 1, fields: { id } }, undefined))
    expect(new Set(keys).size).toBe(2)
  })

  test.each([
    ["[1]", "the line is neither an object nor a text"],
    ['{"id":1}', 'the item has no field "prompt" (or give a template: -p)'],
    ['{"prompt":" "}', "the prompt is empty"],
    ['{"prompt":5}', '"prompt" is no text']
  ])("%s cannot be asked", (text, fault) => {
    const raw = rawItem({ number: 1, text })
    expect(raw === undefined ? undefined : batchItem(raw, 0, NAMES).fault).toBe(fault)
  })
})

describe("a template", () => {
  test.each([
    ["{{a}} and {{ b.c }}", { a: "x", b: { c: [1] } }, "x and [1]"],
    ["{{a.b}}", { "a.b": "whole", a: { b: "inner" } }, "whole"],
    ["no place {x}", {}, "no place {x}"],
    ["{{__proto__}}", {}, "the template asks for {{__proto__}}, and the item has no such field"]
  ])("%s", (template, fields, expected) => expect(Either.merge(templateOf(template).fill(fields))).toBe(expected))

  test("what an item says is not looked into for places", () =>
    expect(Either.merge(templateOf("{{a}}{{b}}").fill({ a: "{{b}}", b: "$&" }))).toBe("{{b}}$&"))
})
