import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { estimateParts } from "../../model/token-estimate.ts"
import type { Content } from "../../protocol/content.ts"
import { limitMessages } from "./mask.ts"

const LIMITS = { normalMaxTokens: 500, retainedMaxTokens: 2_000, retainedTokens: 4_000, headRatio: 0.25 }
const said = (role: "user" | "model", text: string): Content => ({ role, parts: [{ text }] })
const sizeOf = (content: Content | undefined) => (content === undefined ? 0 : estimateParts(content.parts))

describe("messages", () => {
  test("lose their middle once they are old, keep more of it while they are new, and all of it while they are answered", () => {
    const long = `begin ${"word ".repeat(4_000)} end`
    const contents = [
      said("user", long),
      said("model", long),
      said("user", "go on"),
      said("model", "x"),
      said("user", long)
    ]
    const [old, , short, , last] = limitMessages(contents, { ...LIMITS, retainedTokens: 1 })
    expect(sizeOf(old)).toBeLessThanOrEqual(500)
    expect(old?.parts[0]?.text).toMatch(/^begin .* characters left out.* end$/s)
    expect([short, last]).toEqual([contents[2], contents[4]])
    const recent = limitMessages(contents.slice(1), { ...LIMITS, retainedTokens: 100_000 })
    expect(sizeOf(recent[0])).toBeGreaterThan(1_000)
    expect(sizeOf(recent[0])).toBeLessThanOrEqual(2_000)
  })

  test("results of tools too; what the conversation rests on stays", () => {
    const long = "line\n".repeat(5_000)
    const contents: ReadonlyArray<Content> = [
      said("user", `<session_context>${long}`),
      { role: "user", parts: [{ functionResponse: { id: "1", name: "read_file", response: { output: long } } }] },
      { role: "user", parts: [{ functionResponse: { id: "2", name: "activate_skill", response: { output: long } } }] },
      said("user", "now")
    ]
    const [context, result, skill] = limitMessages(contents, LIMITS)
    expect([context, skill]).toEqual([contents[0], contents[2]])
    expect(sizeOf(result)).toBeLessThanOrEqual(500)
    expect(result?.parts[0]?.functionResponse).toMatchObject({ id: "1", name: "read_file" })
  })

  test("are limited once: a second look changes nothing, and what is short stays the same object", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("user" as const, "model" as const), fc.integer({ min: 0, max: 30_000 })), {
          maxLength: 12
        }),
        (shapes) => {
          const contents = shapes.map(([role, length]) => said(role, "abcd ".repeat(length / 5)))
          const once = limitMessages(contents, LIMITS)
          expect(limitMessages(once, LIMITS)).toBe(once)
          expect(once).toHaveLength(contents.length)
          for (const [index, content] of contents.entries()) {
            if (sizeOf(content) <= LIMITS.normalMaxTokens) expect(once[index]).toBe(content)
          }
        }
      )
    )
  })
})
