/**
 * The shell analysis as a service: loads the grammar at the first text that needs it, and remembers the last results,
 * since a command is analysed by the policy, for the question to the user and for the rule that its answer makes.
 */
import { Context, Effect, Layer, Ref } from "effect"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { analyze } from "./analyze.ts"
import { beyondLimits } from "./limits.ts"
import { opaqueAnalysis, type ShellAnalysis } from "./shell-analysis.ts"

export class ShellAnalyzer extends Context.Tag("agent/shell/ShellAnalyzer")<
  ShellAnalyzer,
  {
    /** Never fails: what cannot be analysed comes back as opaque. */
    readonly analyze: (text: string) => Effect.Effect<ShellAnalysis>
  }
>() {}

const MAX_REMEMBERED = 200

export const make = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const remembered = yield* Ref.make<ReadonlyMap<string, ShellAnalysis>>(new Map())
  const parser = yield* cachedOnce(
    Effect.tryPromise(() =>
      import("./bash-grammar.live.ts").then((module) => module.loadParser(() => clock.unsafeCurrentTimeMillis()))
    ).pipe(Effect.option)
  )
  return ShellAnalyzer.of({
    analyze: Effect.fn("ShellAnalyzer.analyze")(function* (text: string) {
      const beyond = beyondLimits(text)
      if (beyond !== undefined) return opaqueAnalysis(text, beyond)
      const known = (yield* Ref.get(remembered)).get(text)
      if (known !== undefined) return known
      const parse = yield* parser
      if (parse._tag === "None") {
        return opaqueAnalysis(text, { kind: "too-complex", detail: "the shell grammar could not be loaded" })
      }
      const analysis = analyze(text, parse.value)
      yield* Ref.update(remembered, (map) => remember(map, text, analysis))
      return analysis
    })
  })
})

export const layer = Layer.effect(ShellAnalyzer, make)

/** Forgets the oldest beyond the bound. */
const remember = (
  map: ReadonlyMap<string, ShellAnalysis>,
  text: string,
  analysis: ShellAnalysis
): ReadonlyMap<string, ShellAnalysis> => {
  const kept = map.size < MAX_REMEMBERED ? [...map] : [...map].slice(map.size - MAX_REMEMBERED + 1)
  return new Map([...kept, [text, analysis]])
}
