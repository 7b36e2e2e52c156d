import { expect, test } from "bun:test"
import { simulateBatch } from "../../test/kit/batch-simulation.ts"

test("items through quota windows, outages and restarts come out once each, at the price of asking each once", async () => {
  const end = await simulateBatch({ items: 2000, concurrency: 8, perMinute: 500, restarts: 2 })
  expect(end).toMatchObject({ lines: 2000, keys: 2000, failed: 0, exitCode: 0 })
  expect(end.paidPerItem).toBeLessThan(1.01)
}, 60_000)
