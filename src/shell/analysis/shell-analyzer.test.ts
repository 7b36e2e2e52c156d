import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { itWith } from "../../../test/kit/it.ts"
import * as ShellAnalyzer from "./shell-analyzer.ts"

const it = itWith(ShellAnalyzer.layer)

describe("ShellAnalyzer", () => {
  it.live("loads the grammar and remembers results", () =>
    Effect.gen(function* () {
      const analyzer = yield* ShellAnalyzer.ShellAnalyzer
      const first = yield* analyzer.analyze("git status && ls")
      expect(first.commands.map((command) => command.name)).toEqual(["git", "ls"])
      expect(yield* analyzer.analyze("git status && ls")).toBe(first)
    })
  )

  it.live("forgets the oldest results", () =>
    Effect.gen(function* () {
      const analyzer = yield* ShellAnalyzer.ShellAnalyzer
      const first = yield* analyzer.analyze("echo 0")
      yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => `echo ${index + 1}`),
        analyzer.analyze
      )
      const again = yield* analyzer.analyze("echo 0")
      expect(again).not.toBe(first)
      expect(again).toEqual(first)
    })
  )

  it.live("decides huge texts at once", () =>
    Effect.gen(function* () {
      const analyzer = yield* ShellAnalyzer.ShellAnalyzer
      const kinds = (text: string) => Effect.map(analyzer.analyze(text), ({ opaque }) => opaque.map(({ kind }) => kind))
      expect(yield* kinds("x ".repeat(500_000))).toEqual(["too-long"])
      expect(yield* kinds(`${"(".repeat(10_000)}${")".repeat(10_000)}`)).toEqual(["too-complex"])
    })
  )
})
