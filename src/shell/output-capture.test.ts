/** What is kept, spilled and shown of an output that arrives in arbitrary pieces. */
import { afterAll, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FastCheck as fc } from "effect"
import { formatBytes, OutputCapture } from "./output-capture.ts"

const folder = mkdtempSync(join(tmpdir(), "capture-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
const capture = (
  options: { readonly keptBytes?: number; readonly spillBytes?: number; readonly isTerminal?: boolean } = {}
) => {
  count += 1
  return new OutputCapture({ isTerminal: false, spillFile: join(folder, `spill-${count}`), now: () => 0, ...options })
}

const MB = 1024 * 1024

test("the file holds the beginning, memory the end, and together they lose nothing below the file's limit", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 40 }), (chunks) => {
      const output = capture({ keptBytes: 100, spillBytes: 400 })
      for (const chunk of chunks) output.push(chunk)
      output.close()
      const whole = Buffer.concat(chunks)
      expect(Buffer.from(output.heldBytes())).toEqual(Buffer.from(whole.subarray(Math.max(0, whole.length - 100))))
      if (whole.length <= 100) expect(output.spilled).toBeUndefined()
      else expect(readFileSync(output.spilled?.file ?? "")).toEqual(Buffer.from(whole.subarray(0, 400)))
    }),
    { numRuns: 60 }
  )
})

test("the text names what is missing and where the beginning is", () => {
  const output = capture({ keptBytes: 8 * MB })
  output.push(Buffer.from(`first\n${"x".repeat(5 * MB)}`))
  output.push(Buffer.from(`${"y".repeat(5 * MB)}\nlast\n`))
  output.close()
  const text = output.finalText()
  expect(text).toStartWith("yyy")
  expect(text).toEndWith(
    `\nlast\n[GEMINI_CLI_WARNING: the output is longer than 8MB: 10.0 MB. Only its last 1.0 MB are shown; the first 10.0 MB are in ${output.spilled?.file}.]`
  )
})

test("a folder that cannot be written costs the beginning, nothing else", () => {
  const output = new OutputCapture({ isTerminal: false, spillFile: "/dev/null/x", now: () => 0, keptBytes: 10 })
  output.push(Buffer.from("0123456789abcdef"))
  expect(output.finalText()).toStartWith("6789abcdef\n")
  expect(output.finalText()).toContain("the rest is lost")
})

test("a short output touches no disk", () => {
  const output = capture()
  output.push(Buffer.from("  hello \n"))
  expect(output.finalText()).toBe("hello")
  expect(existsSync(join(folder, `spill-${count}`))).toBe(false)
})

test("a NUL among the first bytes of a pipe makes it binary, a later one does not", () => {
  const early = capture()
  early.push(Buffer.from("abc"))
  early.push(Buffer.from("d\0e"))
  expect(early.isBinary).toBe(true)
  expect(early.liveText()).toBe("[Receiving binary output... 6 bytes received]")
  expect(early.finalText()).toBe("(binary output, 6 bytes, not shown)")
  const late = capture()
  late.push(Buffer.from(`${"a".repeat(600)}\0`))
  expect(late.isBinary).toBe(false)
})

test("a terminal may pad with a few NULs", () => {
  const padded = capture({ isTerminal: true })
  padded.push(Buffer.from(`${"a".repeat(100)}\0\0`))
  expect(padded.isBinary).toBe(false)
  const binary = capture({ isTerminal: true })
  binary.push(Buffer.from("\0\0\0abc"))
  expect(binary.isBinary).toBe(true)
})

test("live text is the end of the output, at most 100,000 characters", () => {
  const output = capture()
  output.push(Buffer.from(`${"€".repeat(300_000)}end`))
  expect(output.liveText()).toHaveLength(100_000)
  expect(output.liveText()).toEndWith("€end")
})

test("a half character at the end of the live text waits for its other half", () => {
  const output = capture()
  output.push(new TextEncoder().encode("a€").subarray(0, 2))
  expect(output.liveText()).toBe("a")
  output.push(new TextEncoder().encode("€").subarray(1))
  expect(output.liveText()).toBe("a€")
})

test("those who listen get every byte once", () => {
  const output = capture()
  const heard: Array<string> = []
  output.push(Buffer.from("before"))
  const stop = output.tee((bytes) => heard.push(Buffer.from(bytes).toString()))
  output.push(Buffer.from("one"))
  stop()
  output.push(Buffer.from("two"))
  expect(heard).toEqual(["one"])
})

test("sizes for people", () => {
  expect([0, 1023, 1024, 1536, 5 * MB, 3 * 1024 * MB].map(formatBytes)).toEqual([
    "0 bytes",
    "1023 bytes",
    "1.0 KB",
    "1.5 KB",
    "5.0 MB",
    "3.0 GB"
  ])
})
