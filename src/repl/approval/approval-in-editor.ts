/**
 * An edit is shown in the editor as well, where its companion can: there it can be changed, accepted and turned down
 * while the terminal asks. Whoever answers first has answered for both.
 */
import { Effect, Layer } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../../approval/approval.ts"
import type { CompanionView, DiffAnswer } from "../../ide/ide-companion.ts"
import { visibleText } from "../../kernel/visible-text.ts"
import { raceToEnd } from "../race-to-end.ts"
import { Screen } from "../terminal/screen.ts"

/** Over the approval at the terminal. */
export const layer = (companion: CompanionView) =>
  Layer.effect(
    Approval,
    Effect.gen(function* () {
      const terminal = yield* Approval
      const screen = yield* Screen
      // The diff of a question that waits for its turn is not open yet.
      const turn = yield* Effect.makeSemaphore(1)
      return Approval.of({
        ask: (question) => turn.withPermits(1)(askBoth(question, { companion, screen, terminal }))
      })
    })
  )

interface Places {
  readonly companion: CompanionView
  readonly terminal: Approval["Type"]
  readonly screen: Screen["Type"]
}

const askBoth = (
  question: ApprovalQuestion,
  { companion, screen, terminal }: Places
): Effect.Effect<ApprovalAnswer> => {
  const { confirmation, draft } = question
  if (confirmation.type !== "edit") return terminal.ask(question)
  const { filePath, newContent } = confirmation.diff
  return Effect.scoped(
    Effect.gen(function* () {
      const diff = yield* companion.openDiff({ filePath, newContent })
      if (diff === undefined) return yield* terminal.ask(question)
      const { answer, place } = yield* raceToEnd(
        Effect.map(terminal.ask(question), (given) => ({ answer: given, place: "terminal" as const })),
        Effect.map(diff.answer, (given) => ({ answer: answerOf(given, newContent), place: "editor" as const }))
      )
      if (place === "editor") {
        yield* screen.print(visibleText(`${answer._tag === "No" ? "Turned down" : "Accepted"} in the editor.`))
        return answer
      }
      const left = yield* diff.close
      // Without a draft the tool takes no other text than its own.
      const isChanged = left !== undefined && left !== newContent && draft !== undefined
      return answer._tag === "Once" && isChanged ? settled(left) : answer
    })
  )
}

const answerOf = (given: DiffAnswer, proposed: string): ApprovalAnswer => {
  if (given._tag === "Rejected") return { _tag: "No", reason: undefined }
  return given.content === proposed ? { _tag: "Once" } : settled(given.content)
}

const settled = (text: string): ApprovalAnswer => ({ _tag: "Modified", text, isSettled: true })
