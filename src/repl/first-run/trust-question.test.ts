import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { CTRL_C, makeReplRoom } from "../../../test/kit/repl-room.ts"
import type { LineResult } from "../editor/line-editor.ts"
import { askTrust } from "./trust-question.ts"

const answerTo = (entered: LineResult | string) =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    yield* room.enter(entered)
    const contents = [
      { kind: "hooks", names: ["BeforeTool: ./check\u001b[2J"], count: 1 },
      { kind: "commands", names: ["a", "b"], count: 9 }
    ]
    return { answer: yield* Effect.provide(askTrust("/w/project", contents), room.layer), room }
  })

describe("trust in a folder", () => {
  it.effect("is asked with what it would enable, harmlessly written", () =>
    Effect.map(answerTo("1"), ({ answer, room }) => {
      expect(answer).toBe("TRUST_FOLDER")
      expect(room.printed[0]).toContain("hooks (1): BeforeTool: ./check^[[2J")
      expect(room.printed[0]).toContain("commands (9): a, b, ...")
      expect(room.printed[0]).toContain("  2. Trust its parent folder (/w)")
      expect(room.log).toEqual(["discard"])
    })
  )

  it.effect("has an answer for every choice, and turning away leaves", () =>
    Effect.gen(function* () {
      const answers = []
      for (const entered of ["2", "3", "4", CTRL_C]) answers.push((yield* answerTo(entered)).answer)
      expect(answers).toEqual(["TRUST_PARENT", "DO_NOT_TRUST", "LEAVE", "LEAVE"])
    })
  )
})
