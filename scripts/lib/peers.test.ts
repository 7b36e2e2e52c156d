/** A peer that cannot be installed is a line with the reason; nothing of the others is lost by it. */
import { expect, test } from "bun:test"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { knownOf, resultsOf, tableOf } from "./bench-report.ts"
import { measurePeers } from "./peers.ts"

test("a peer that cannot be installed is named with the reason", async () => {
  const scratch = await mkdtemp(join(tmpdir(), "peers-"))
  try {
    const broken = { name: "broken", package: "file:./nowhere", bin: "broken", args: () => [] }
    const { measured, rows } = await measurePeers({ scratch, rounds: 1, beside: [], onPart: () => {} }, [broken])
    const results = resultsOf(rows, measured)
    expect(tableOf(results)).toContain("broken, one prompt               not measured  -")
    expect(knownOf(results)).toContain("broken, one prompt (the barest run, in turns with broken): ")
    expect(knownOf(results)).toContain("nowhere")
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
})
