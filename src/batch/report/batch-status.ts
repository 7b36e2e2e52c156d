/** How a batch stands, from its journal alone: in another process, on another day. */
import { Effect } from "effect"
import type { JobCounts } from "../api/batch-service.ts"
import { BatchError } from "../batch-error.ts"
import { loadState } from "../run/batch-state.ts"
import { grouped, moneyText } from "./batch-text.ts"

export const batchStatus = (output: string) =>
  Effect.gen(function* () {
    const { done, journal } = yield* loadState(output)
    if (journal === undefined) return yield* unknownBatch(output)
    const { plan } = journal
    const { by_error, cost_usd, failed, items, succeeded, tokens } = done.totals.document()
    const status: BatchStatus = {
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
        ...(last?.id === undefined ? {} : { id: last.id })
      }))
    }
    return { journal, status }
  })

export const unknownBatch = (output: string): BatchError =>
  new BatchError({
    kind: "input",
    message: `${output} has no journal`,
    hint: "Name the output of a batch, as it was given with -O."
  })

export interface BatchStatus {
  readonly output: string
  readonly begun: string
  readonly input: string
  readonly options: Readonly<Record<string, string>>
  readonly total: number
  readonly done: number
  readonly succeeded: number
  readonly failed: number
  readonly left: number
  readonly tokens: number
  readonly cost_usd: number
  readonly by_error: Readonly<Record<string, number>>
  readonly jobs: ReadonlyArray<{
    readonly name: string
    readonly items: number
    /** `COLLECTED`: its answers stand in the output. */
    readonly state: string
    readonly id?: string
    readonly counts?: JobCounts
  }>
}

export const statusText = (status: BatchStatus): string =>
  [
    `${status.output}: ${grouped(status.done)} of ${grouped(status.total)} items done, ${grouped(status.succeeded)} succeeded, ${grouped(status.failed)} failed`,
    `begun ${status.begun} from ${status.input}; ${grouped(status.tokens)} tokens, $${moneyText(status.cost_usd)}`,
    ...status.jobs.map(
      ({ counts, id, items, name, state }) =>
        `job ${id ?? name}: ${state}, ${counts === undefined ? "" : `${grouped(counts.done)} of `}${grouped(items)} items`
    )
  ]
    .map((line) => `${line}\n`)
    .join("")
