/**
 * Work that asks as it goes, as a command: each of its questions becomes a question of the command, and the work goes on
 * with the answer. What it tells stands before the next question, or before the result.
 */
import { Deferred, Effect, type Exit, Fiber, Queue, Ref } from "effect"
import type { Dialogue } from "../../extensions/setting-questions.ts"
import type { CommandQuestion, CommandResult } from "../command.ts"
import type { CommandError } from "../command-error.ts"

type Step =
  | {
      readonly _tag: "Asks"
      readonly question: Omit<CommandQuestion, "answer">
      readonly answer: Deferred.Deferred<string>
    }
  | { readonly _tag: "Ends"; readonly exit: Exit.Exit<CommandResult, CommandError> }

const YES_NO = [
  { value: "y", label: "Yes" },
  { value: "n", label: "No" }
]

export const askedInTurn = <R>(
  work: (dialogue: Dialogue) => Effect.Effect<CommandResult, CommandError, R>
): Effect.Effect<CommandResult, CommandError, R> =>
  Effect.gen(function* () {
    const steps = yield* Queue.unbounded<Step>()
    const told = yield* Ref.make<ReadonlyArray<string>>([])
    const put = Effect.fnUntraced(function* (question: Omit<CommandQuestion, "answer">) {
      const answer = yield* Deferred.make<string>()
      const before = yield* Ref.getAndSet(told, [])
      const text = [...before, question.text].join("\n")
      yield* Queue.offer(steps, { _tag: "Asks", question: { ...question, text }, answer })
      return yield* Deferred.await(answer)
    })
    const dialogue: Dialogue = {
      confirm: (text) => Effect.map(put({ text, choices: YES_NO }), (answer) => answer === "y"),
      ask: (text, { isHidden }) => put({ text, choices: [], isSecret: isHidden }),
      tell: (text) => Ref.update(told, (before) => [...before, text])
    }
    // Not a child of this effect: that one ends with each question, the work goes on after the answer.
    const fiber = yield* Effect.forkDaemon(
      Effect.flatMap(Effect.exit(work(dialogue)), (exit) => Queue.offer(steps, { _tag: "Ends", exit }))
    )
    const next: Effect.Effect<CommandResult, CommandError> = Effect.suspend(() =>
      Effect.flatMap(
        Effect.onInterrupt(Queue.take(steps), () => Fiber.interrupt(fiber)),
        (step) =>
          step._tag === "Ends"
            ? Effect.flatMap(Ref.get(told), (lines) => Effect.map(step.exit, (result) => withWords(result, lines)))
            : Effect.succeed<CommandResult>({
                _tag: "Ask",
                question: {
                  ...step.question,
                  answer: (value) => Effect.zipRight(Deferred.succeed(step.answer, value), next),
                  cancel: Effect.asVoid(Fiber.interrupt(fiber))
                }
              })
      )
    )
    return yield* next
  })

const withWords = (result: CommandResult, lines: ReadonlyArray<string>): CommandResult => {
  if (lines.length === 0) return result
  if (result._tag === "Print") return { ...result, text: [...lines, result.text].join("\n") }
  return result._tag === "Reconfigure" ? { ...result, told: [...lines, result.told].join("\n") } : result
}
