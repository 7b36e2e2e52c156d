import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import { headAndTail } from "../shell-line.ts"
import { shellTurn } from "./shell-line-layer.ts"

const textOf = (command: string, end: Partial<Parameters<typeof shellTurn>[1]>): string | undefined =>
  shellTurn(command, { output: "", exitCode: 0, signal: undefined, isCancelled: false, ...end }).parts[0]?.text

test("command and output stand in fences that their text cannot leave", () => {
  expect(textOf("echo `x`", { output: "a\n```\nb\\c" })).toBe(
    [
      "I ran this shell command:",
      "```sh",
      "echo \\`x\\`",
      "```",
      "",
      "Its result:",
      "```",
      "a\n\\`\\`\\`\nb\\\\c",
      "```"
    ].join("\n")
  )
})

test.each([
  [{ exitCode: 3 }, "The command ended with exit code 3.\n(no output)"],
  [{ exitCode: undefined, signal: 9 }, "The command was ended by signal 9.\n(no output)"],
  [{ exitCode: undefined, isCancelled: true, output: "half" }, "The command was cancelled.\nhalf"]
])("%p", (end, expected) => {
  expect(textOf("x", end)).toContain(`\`\`\`\n${expected}\n\`\`\``)
})

test("a long output keeps its beginning and its end", () => {
  const text = textOf("x", { output: `first${"-".repeat(20_000)}last` }) ?? ""
  expect(text.length).toBeLessThan(10_300)
  expect(text).toMatch(/first-+\n\.\.\. \[10009 characters left out\] \.\.\.\n-+last/)
})

test("what is kept and what is said to be missing make up the whole", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.string({ unit: "grapheme", maxLength: 200 }),
      FastCheck.integer({ min: 4, max: 50 }),
      (text, limit) => {
        const cut = headAndTail(text, limit)
        const missing = /\n\.\.\. \[(\d+) characters left out\] \.\.\.\n/.exec(cut)
        expect(cut.length - (missing?.[0].length ?? 0) + Number(missing?.[1] ?? 0)).toBe(text.length)
        expect(cut.isWellFormed()).toBe(text.isWellFormed())
      }
    )
  )
})
