/** What starts cost and what they may cost. Pure. */
import { Schema } from "effect"

/** By the path of the program. */
export const StartCosts = Schema.Record({
  key: Schema.String,
  /** Code that is loaded, and steps of Effect's interpreter. */
  value: Schema.Struct({ kib: Schema.Number, steps: Schema.Number })
})
export type StartCosts = typeof StartCosts.Type

/** Names and versions are of different lengths, and some steps depend on what comes first. */
const TOLERANCE = 1.03

/** A line for everything that costs more than it may, and for paths of which nothing is known. */
export const overBudget = (now: StartCosts, budget: StartCosts): ReadonlyArray<string> =>
  Object.entries(now).flatMap(([path, costs]) => {
    const allowed = budget[path]
    if (allowed === undefined) return [`${path}: scripts/start-budget.json says nothing about it`]
    return (["kib", "steps"] as const).flatMap((kind) =>
      costs[kind] > allowed[kind] * TOLERANCE
        ? [
            `${path}: ${costs[kind]} ${UNITS[kind]}, and ${allowed[kind]} are its budget: load or do less, or say in the commit why it is worth it (bun scripts/check-start.ts --write)`
          ]
        : []
    )
  })

const UNITS = { kib: "KiB of code", steps: "steps" }
