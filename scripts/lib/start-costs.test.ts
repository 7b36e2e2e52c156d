import { expect, test } from "bun:test"
import { overBudget } from "./start-costs.ts"

const budget = { run: { kib: 100, steps: 1000 }, other: { kib: 1, steps: 0 } }

test("a start may cost 3 % more than its budget, and no more", () => {
  expect(overBudget({ run: { kib: 103, steps: 1030 }, other: { kib: 0.5, steps: 0 } }, budget)).toEqual([])
  expect(overBudget({ run: { kib: 103.1, steps: 1000 } }, budget).join()).toStartWith("run: 103.1 KiB of code, and 100")
  expect(overBudget({ run: { kib: 1, steps: 1031 } }, budget).join()).toStartWith("run: 1031 steps, and 1000")
})

test("what was free stays free, and a path without a budget is a fault", () => {
  expect(overBudget({ other: { kib: 1, steps: 1 } }, budget)).toHaveLength(1)
  expect(overBudget({ unknown: { kib: 0, steps: 0 } }, budget)).toHaveLength(1)
})
