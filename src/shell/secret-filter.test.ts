import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import { SecretFilter } from "./secret-filter.ts"

const SECRETS = [
  { name: "SHORT", value: "abcabcab" },
  { name: "LONG", value: "abcabcabcd" },
  { name: "KEY", value: "line one\nline two" },
  { name: "TINY", value: "abc" }
]

const filtered = (pieces: ReadonlyArray<string>, secrets = SECRETS): string => {
  const filter = new SecretFilter(secrets)
  return Buffer.concat([...pieces.map((piece) => filter.push(Buffer.from(piece))), filter.end()]).toString()
}

test.each([
  [["x abcabcab y"], "x [REDACTED:SHORT] y"],
  [["x abcab", "cab y"], "x [REDACTED:SHORT] y"],
  [["x abcabcab", "cd y"], "x [REDACTED:LONG] y"],
  [["x abcabcab", "cx y"], "x [REDACTED:SHORT]cx y"],
  [["line one\n", "line two"], "[REDACTED:KEY]"],
  [['{"k":"line one\\n', 'line two"}'], '{"k":"[REDACTED:KEY]"}'],
  [["abcabca"], "abcabca"],
  [["abc", "", "abc"], "abcabc"]
])("%j is written as %j", (pieces, expected) => expect(filtered(pieces)).toBe(expected))

test("however the bytes are cut, the same is written, and no credential", () => {
  const text = FastCheck.array(FastCheck.constantFrom("a", "b", "c", "d", "abcabcab", "line one\n", "line two", "é"), {
    maxLength: 40
  }).map((parts) => parts.join(""))
  FastCheck.assert(
    FastCheck.property(text, FastCheck.array(FastCheck.nat(60)), (whole, cuts) => {
      const bytes = Buffer.from(whole)
      const places = [0, ...cuts.filter((cut) => cut <= bytes.length).toSorted((a, b) => a - b), bytes.length]
      const filter = new SecretFilter(SECRETS)
      const pieces = places.slice(1).map((end, index) => Buffer.from(filter.push(bytes.subarray(places[index], end))))
      const written = Buffer.concat([...pieces, filter.end()]).toString()
      expect(written).toBe(filtered([whole]))
      for (const { name, value } of SECRETS) if (name !== "TINY") expect(written).not.toContain(value)
    })
  )
})

test("without credentials the bytes are passed on as they are", () => {
  const bytes = new Uint8Array([1, 2, 3])
  expect(new SecretFilter([]).push(bytes)).toBe(bytes)
})
