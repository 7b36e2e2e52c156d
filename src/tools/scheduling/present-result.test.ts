import { afterAll, expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { it } from "../../../test/kit/it.ts"
import type { Part } from "../../protocol/content.ts"
import { CallId } from "../../protocol/ids.ts"
import { presentResult } from "./present-result.ts"

const folder = mkdtempSync(join(tmpdir(), "present-"))
afterAll(() => rmSync(folder, { recursive: true }))

const present = (forModel: string | ReadonlyArray<Part>) =>
  presentResult(
    {
      call: { callId: CallId.make("x__1"), name: "mcp_s_x", args: {} },
      name: "mcp_s_x",
      durationMs: 1,
      end: { _tag: "Done", output: { forModel, display: { type: "text", text: "" } } },
      decision: undefined,
      denial: undefined,
      touched: []
    },
    {
      threshold: 1000,
      outputDir: Effect.succeed(Option.some(folder)),
      nestsMedia: false,
      secrets: [],
      contextFor: () => Effect.succeed("")
    }
  )

it.live("text in several parts is bounded together, media stays whole", () =>
  Effect.gen(function* () {
    const image: Part = { inlineData: { mimeType: "image/png", data: "A".repeat(5000) } }
    const texts = ["one\n".repeat(200), "two\n".repeat(200)]
    const { reply } = yield* present([{ text: texts[0] }, image, { text: texts[1] }])
    const [head, beside] = reply.parts
    const output = String(head?.functionResponse?.response?.output)
    expect(output.length).toBeLessThan(1500)
    expect(output).toContain("one")
    expect(output).toEndWith("two\n")
    expect(beside).toEqual(image)
    const [, file = ""] = /is in (\S+);/.exec(output) ?? []
    expect(readFileSync(file, "utf8")).toBe(texts.join("\n"))
  })
)

it.live("parts within the bound are left alone", () =>
  Effect.gen(function* () {
    const { reply } = yield* present([{ text: "a" }, { text: "b" }])
    expect(reply.parts[0]?.functionResponse?.response).toEqual({ output: "a\nb" })
  })
)
