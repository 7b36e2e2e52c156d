/** Prints a generated completion script. Shells ask for it whenever they start, so that no parser is loaded for it. */

import { Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { CliContextView } from "./cli-context.ts"

export const printCompletion = Effect.fnUntraced(function* (shell: string, context: CliContextView) {
  const { completions } = yield* lazy(() => import("./generated/completions.ts"))
  yield* context.write(completions[shell] ?? "")
})
