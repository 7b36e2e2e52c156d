import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { type Content, type FunctionResponse, userText } from "../../protocol/content.ts"
import { type MaskingOptions, maskOldResults, maskText, planMasking } from "./mask.ts"
import { isMasked } from "./maskable.ts"

const options: MaskingOptions = {
  protectionThresholdTokens: 50_000,
  minPrunableThresholdTokens: 30_000,
  protectLatestTurn: true
}
/** About this many tokens. */
const result = (id: string, tokens: number, name = "grep_search"): Content => ({
  role: "user",
  parts: [{ functionResponse: { id, name, response: { output: "word".repeat(tokens) } } }]
})
const call: Content = { role: "model", parts: [{ functionCall: { name: "x" } }] }
const planned = (contents: ReadonlyArray<Content>, changed: Partial<MaskingOptions> = {}) =>
  planMasking(contents, { ...options, ...changed }).map(({ response }) => response.id)

describe("which results are masked", () => {
  test.each<[string, ReadonlyArray<Content>, Partial<MaskingOptions>, ReadonlyArray<string>]>([
    ["none of few", [result("a", 40_000), call], {}, []],
    ["none when too little is gained", [result("a", 20_000), result("b", 49_000), call], {}, []],
    [
      "the one that crosses the protected amount, and all older ones",
      [result("a", 20_000), result("b", 20_000), result("c", 40_000), call],
      {},
      ["b", "a"]
    ],
    ["not the last message", [result("a", 20_000), result("b", 90_000)], {}, []],
    [
      "unless it is not protected",
      [result("a", 20_000), result("b", 90_000)],
      { protectLatestTurn: false },
      ["b", "a"]
    ],
    [
      "never the word of the user",
      [result("a", 90_000, "ask_user"), result("b", 90_000, "activate_skill"), result("c", 90_000), call],
      {},
      ["c"]
    ],
    [
      "small ones are not worth it, however many",
      [...Array.from({ length: 900 }, (_, index) => result(`s${index}`, 100)), result("c", 49_000), call],
      {},
      []
    ],
    ["text is no result", [userText("word".repeat(90_000)), call], {}, []]
  ])("%s", (_, contents, changed, ids) => expect(planned(contents, changed)).toEqual([...ids]))
})

describe("what stands in their place", () => {
  const response = (name: string, output: string): FunctionResponse => ({ name, response: { output } })
  test("the first and last characters", () => {
    const text = maskText(response("grep_search", `${"a".repeat(400)}${"b".repeat(400)}`), "/tmp/x")
    expect(text).toContain(`${"a".repeat(250)}\n... [300 characters omitted] ...\n${"b".repeat(250)}`)
    expect(text).not.toContain("a".repeat(251))
    expect(text).toContain("/tmp/x")
  })
  test("of a shell command ten lines of each end, and how it ended", () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n")
    const text = maskText(response("run_shell_command", `Output: ${lines}\nExit Code: 3\nProcess Group PGID: 7`), "/f")
    expect(text).toContain("line 9\n... [30 lines omitted] ...\nline 40")
    expect(text).toContain("Exit Code: 3\nProcess Group PGID: 7")
  })
  test("it is known again", () => expect(isMasked({ output: maskText(response("x", "y"), "/f") })).toBe(true))
})

it.live("masked results are saved where only the owner reads them, and are not masked twice", () =>
  Effect.gen(function* () {
    const outputDir = join(yield* tempFolder(), "outputs")
    const contents = [userText("q"), result("grep_search__1", 60_000), result("grep_search__2", 60_000), call]
    const { contents: masked, savedTokens } = yield* maskOldResults(contents, { ...options, outputDir })
    expect(savedTokens).toBeGreaterThan(100_000)
    const files = readdirSync(outputDir).toSorted()
    expect(files).toEqual([
      expect.stringMatching(/^grep_search__1_[0-9a-z]{6}\.txt$/),
      expect.stringMatching(/^grep_search__2_[0-9a-z]{6}\.txt$/)
    ])
    expect(statSync(join(outputDir, files[0] ?? "")).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(join(outputDir, files[0] ?? ""), "utf8"))).toEqual({ output: "word".repeat(60_000) })
    expect(masked[1]?.parts[0]?.functionResponse).toMatchObject({ id: "grep_search__1", name: "grep_search" })
    const again = yield* maskOldResults(masked, { ...options, outputDir })
    expect(again).toEqual({ contents: masked, savedTokens: 0, maskedCount: 0, prunableTokens: 0 })
  })
)

it.effect("a result that cannot be saved stays", () =>
  Effect.gen(function* () {
    const contents = [result("a", 60_000), result("b", 60_000), call]
    const masking = yield* maskOldResults(contents, { ...options, outputDir: "/proc/none" })
    expect(masking).toEqual({ contents, savedTokens: 0, maskedCount: 0, prunableTokens: 0 })
  })
)
