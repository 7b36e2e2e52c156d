/** The work on a prompt whose answer must have a form: what is told meanwhile, and who judges the answer. Loaded where one was asked for. */

import { Effect } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import type { Emit } from "../attempt.ts"
import type { OutputContract } from "./output-contract.ts"

export const beginStructured = Effect.fnUntraced(function* (contract: OutputContract, emit: Emit) {
  const { makeReview, withoutText } = yield* lazy(() => import("./output-contract.ts"))
  return { emit: withoutText(emit), review: yield* makeReview(contract, emit) }
})
