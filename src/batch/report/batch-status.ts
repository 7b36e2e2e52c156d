/** How a batch stands, from its journal alone: in another process, on another day. */
import { Effect } from "effect"
import { BatchError } from "../batch-error.ts"
import { loadState } from "../run/batch-state.ts"
import { grouped, moneyText } from "./batch-text.ts"

export const batchStatus = (output: string) =>
  Effect.gen(function* () {
    const { done, journal } = yield* loadState(output)
    if (journal === undefined) {
      return yield* new BatchError({
        kind: "input",
        message: `${output} has no journal`,
        hint: "Name the output of a batch, as it was given with -O."
      })
    }
    const { plan } = journal
    const { by_error, cost_usd, failed, items, succeeded, tokens } = done.totals.document()
    return {
      output,
      begun: plan.created,
      input: plan.plan.input.name,
      options: plan.plan.options,
      total: plan.plan.items,
      done: items,
      succeeded,
      failed,
      left: plan.plan.items - items,
      tokens,
      cost_usd,
      by_error,
      jobs: journal.jobs.map(({ items: count, last, name }) => ({
        name,
        items: count,
        state: last?.state ?? "RESERVED",
        id: last?.id
      }))
    }
  })

export type BatchStatus = Effect.Effect.Success<ReturnType<typeof batchStatus>>

export const statusText = (status: BatchStatus): string =>
  [
    `${status.output}: ${grouped(status.done)} of ${grouped(status.total)} items done, ${grouped(status.succeeded)} succeeded, ${grouped(status.failed)} failed`,
    `begun ${status.begun} from ${status.input}; ${grouped(status.tokens)} tokens, $${moneyText(status.cost_usd)}`,
    ...status.jobs.map(({ id, items, name, state }) => `job ${id ?? name}: ${state}, ${grouped(items)} items`)
  ]
    .map((line) => `${line}\n`)
    .join("")
