/**
 * Lines that answer questions of a sub-command, from a terminal or from a pipe. A terminal is waited for; a pipe that stays
 * silent is not, because nobody may be at its other end. What comes after an answer is kept for the next question.
 */
import { Effect, Option, Ref } from "effect"
import { questionedText } from "../kernel/visible-text.ts"
import { plainVariables } from "../system/child-variables.ts"
import { runAtTerminal } from "../system/programs.ts"

export interface AnswerOptions {
  readonly isTerminal: boolean
  /** Where questions are shown. */
  readonly write: (text: string) => Effect.Effect<void>
}

const PIPE_WITHIN = "10 seconds"

/** `undefined`: the input has ended, or stays silent. */
export type AskLine = (question: string, options: { readonly isHidden: boolean }) => Effect.Effect<string | undefined>

export const makeAnswers = (options: AnswerOptions): Effect.Effect<AskLine> =>
  Effect.gen(function* () {
    const waiting = yield* Ref.make("")
    const reader = yield* Effect.cached(Effect.sync(() => Bun.stdin.stream().getReader()))
    const piece = Effect.flatMap(reader, (source) => Effect.promise(() => source.read())).pipe(
      Effect.map(({ value }) => (value === undefined ? undefined : new TextDecoder().decode(value)))
    )
    const nextPiece = options.isTerminal
      ? Effect.interruptible(piece)
      : Effect.map(Effect.timeoutOption(Effect.interruptible(piece), PIPE_WITHIN), Option.getOrUndefined)

    const line: Effect.Effect<string | undefined> = Effect.suspend(() =>
      Effect.gen(function* () {
        const text = yield* Ref.get(waiting)
        const end = text.search(/\r?\n/)
        if (end !== -1) {
          yield* Ref.set(waiting, text.slice(end).replace(/^\r?\n/, ""))
          return text.slice(0, end)
        }
        const more = yield* nextPiece
        if (more !== undefined) {
          yield* Ref.update(waiting, (before) => before + more)
          return yield* line
        }
        yield* Ref.set(waiting, "")
        return text === "" ? undefined : text
      })
    )
    return (question, { isHidden }) => {
      // At a terminal the person's own return ends the line; everywhere else nothing does.
      const asked = Effect.zipRight(options.write(`${questionedText(question)} `), line).pipe(
        Effect.tap((answer) => (options.isTerminal && answer !== undefined ? Effect.void : options.write("\n")))
      )
      return isHidden && options.isTerminal ? unseen(asked, options.write) : asked
    }
  })

/** The terminal goes on editing the line; it only does not show it, from before the question on. */
const unseen = <A>(asked: Effect.Effect<A>, write: AnswerOptions["write"]): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    setEcho("-echo"),
    () => Effect.interruptible(asked),
    () => Effect.zipRight(setEcho("echo"), write("\n"))
  )

/** Without the program that sets terminals, what is typed is seen. */
const setEcho = (mode: "echo" | "-echo") =>
  Effect.ignore(runAtTerminal({ argv: ["stty", mode], cwd: "/", env: plainVariables() }, "ignore"))
