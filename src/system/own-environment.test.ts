/** Credentials leave the block of memory in which the system shows our variables; the rest stays as it is. */
import { expect, test } from "bun:test"
import { blockBegin, credentialSpans } from "./own-environment.ts"

test.each<[string, ReadonlyArray<string>]>([
  ["GEMINI_API_KEY=abcdefghij\0PATH=/bin\0", ["GEMINI_API_KEY=abcdefghij"]],
  ["A=1\0GOOGLE_API_KEY=x\0B=2", ["GOOGLE_API_KEY=x"]],
  ["A=1\0MINE=ghp_0123456789012345678901234567890123456789", ["MINE=ghp_0123456789012345678901234567890123456789"]],
  ["HTTPS_PROXY=http://me:secret@proxy:1\0\0\0X=y\0", ["HTTPS_PROXY=http://me:secret@proxy:1"]],
  ["N=\u00e4\u00f6\0MY_TOKEN=s3cr3t-\u00fc-value\0", ["MY_TOKEN=s3cr3t-\u00fc-value"]],
  ["=odd\0novalue\0GEMINI_API_KEY\0", []],
  ["PWD=/home/me\0SSH_AUTH_SOCK=/tmp/agent\0TERM=xterm", []],
  ["", []]
])("%j", (block, secrets) => {
  const spans = credentialSpans(block)
  expect(spans.map(({ at, length }) => block.slice(at, at + length))).toEqual([...secrets])
})

test("the block's place is found behind any name of a program", () => {
  const rest = Array.from({ length: 50 }, (_, index) => String(index + 3))
  expect(blockBegin(`12 (a) b) c) ${rest.join(" ")}\n`)).toBe(50)
  expect(blockBegin(`12 (x) ${rest.map((field) => (field === "50" ? "0" : field)).join(" ")}`)).toBeUndefined()
  expect(blockBegin("12 (x) S 1")).toBeUndefined()
})
