/**
 * The shell analysis as a service: loads the grammar at the first text that needs it, and remembers the last results,
 * since a command is analysed by the policy, for the question to the user and for the rule that its answer makes.
 */
import { Context, Effect, Layer } from "effect"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { readMonotonicMillis } from "../../kernel/monotonic-time.ts"
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
  // Changed in place: copying it for each command takes longer than reading a short one.
  const remembered = new Map<string, ShellAnalysis>()
  const parser = yield* cachedOnce(
    Effect.tryPromise(() =>
      import("./bash-grammar.live.ts").then((module) => module.loadParser(() => readMonotonicMillis(clock)))
    ).pipe(Effect.option)
  )
  return ShellAnalyzer.of({
    // Without a span of its own, which takes longer than a short line: it is a part of each decision.
    analyze: Effect.fnUntraced(function* (text: string) {
      const beyond = beyondLimits(text)
      if (beyond !== undefined) return opaqueAnalysis(text, beyond)
      const known = remembered.get(text)
      if (known !== undefined) return known
      const parse = yield* parser
      if (parse._tag === "None") {
        return opaqueAnalysis(text, { kind: "too-complex", detail: "the shell grammar could not be loaded" })
      }
      const analysis = analyze(text, parse.value)
      remember(remembered, text, analysis)
      return analysis
    })
  })
})

export const layer = Layer.effect(ShellAnalyzer, make)

/** Forgets the oldest beyond the bound. */
const remember = (known: Map<string, ShellAnalysis>, text: string, analysis: ShellAnalysis): void => {
  const oldest = known.size < MAX_REMEMBERED ? undefined : known.keys().next().value
  if (oldest !== undefined) known.delete(oldest)
  known.set(text, analysis)
}
