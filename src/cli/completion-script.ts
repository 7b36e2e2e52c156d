/**
 * Prints a generated completion script. Shells ask for it whenever they start, so that no parser is loaded for it. The
 * scripts ask in the same way, with a variable, for what may stand in a place (`GEMINI_COMPLETION_WORDS="values ui.wrap"`).
 */

import { Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import { CliContext, type CliContextView } from "./cli-context.ts"

export const printCompletion = Effect.fnUntraced(function* (shell: string, context: CliContextView) {
  const [kind = "", key = ""] = (context.env.GEMINI_COMPLETION_WORDS ?? "").trim().split(/\s+/)
  if (kind !== "") {
    const { printWords } = yield* lazy(() => import("./completion-words.ts"))
    return yield* Effect.provideService(printWords(kind, key), CliContext, context)
  }
  const { completions } = yield* lazy(() => import("./generated/completions.ts"))
  yield* context.write(completions[shell] ?? "")
})
