/** Output of a running command: whole lines are printed as they come, the unfinished one is the temporary line. */
import { type Context, Effect, Ref } from "effect"
import { makeReadableStream } from "../kernel/readable-text.ts"
import type { Screen } from "./terminal/screen.ts"

export const printStream = <A, E, R>(
  screen: Context.Tag.Service<Screen>,
  run: (onOutput: (text: string) => Effect.Effect<void>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const clean = makeReadableStream()
    const partial = yield* Ref.make("")

    const show = Effect.fnUntraced(function* (text: string) {
      const whole = (yield* Ref.get(partial)) + text
      const end = whole.lastIndexOf("\n")
      const rest = whole.slice(end + 1)
      yield* Ref.set(partial, rest)
      if (end >= 0) yield* screen.print(whole.slice(0, end))
      yield* screen.show(rest === "" ? undefined : { text: rest })
    })

    const finish = Effect.gen(function* () {
      yield* show(clean.end())
      const rest = yield* Ref.get(partial)
      yield* screen.show(undefined)
      if (rest !== "") yield* screen.print(rest)
    })

    return yield* Effect.ensuring(
      run((text) => show(clean.push(text))),
      finish
    )
  })
