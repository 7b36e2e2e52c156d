import { expect, test } from "bun:test"
import { canFuzz, fuzzShell } from "./lib/fuzz/fuzz-session.ts"

/** Fixed: what passes today passes tomorrow. Other seeds are for `scripts/fuzz-shell.ts`. */
const SEED = 1
const LINES = 20_000

test.skipIf(!canFuzz())(
  "no line that runs unasked does what it must not",
  async () => {
    const { allowed, failures, ran } = await fuzzShell({ seed: SEED, from: 0, to: LINES, lanes: 2 })
    expect(failures).toEqual([])
    // A fuzzer whose lines are all refused finds nothing.
    expect(allowed).toBeGreaterThan(LINES / 4)
    expect(ran).toBeGreaterThan(LINES / 10)
  },
  600_000
)
