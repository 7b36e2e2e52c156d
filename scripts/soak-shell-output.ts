/**
 * A shell command that prints 2 GB: how much memory it costs this program, and how long it takes beside `cat`.
 * Exits with 1 when the memory grows by more than its budget.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Shell } from "../src/shell/shell.ts"
import { shellLayer } from "../test/kit/shell-room.ts"

const BUDGET_MIB = 64
const FLOOD = "yes 'a line of text with an é' | head -c 2000000000"

const peakMib = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

const spillFolder = mkdtempSync(join(tmpdir(), "soak-shell-"))
const run = (command: string) =>
  Effect.flatMap(Shell, (shell) => shell.run({ command, cwd: "/" }, () => Effect.void)).pipe(
    Effect.provide(shellLayer({ spillFolder })),
    Effect.runPromise
  )

try {
  const bare = await secondsOf(() => Bun.spawn(["bash", "-c", `${FLOOD} | cat >/dev/null`]).exited)
  await run("true")
  const before = peakMib()
  const ours = await secondsOf(() => run(FLOOD))
  const growth = peakMib() - before
  await Bun.write(
    Bun.stdout,
    `peak memory grew by ${growth.toFixed(0)} MiB (budget ${BUDGET_MIB}); ${(ours / bare).toFixed(1)} times the time of cat\n`
  )
  process.exitCode = growth > BUDGET_MIB ? 1 : 0
} finally {
  rmSync(spillFolder, { recursive: true, force: true })
}
