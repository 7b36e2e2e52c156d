/**
 * How long a decision on a line of every day takes, as a run takes it: `bun scripts/bench-everyday.ts`. Prints the median,
 * the slowest tenth, and the slowest lines. In CPU time, so that it says the same on a busy machine.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { EVERYDAY } from "../src/policy/fixtures/everyday.ts"
import * as Policy from "../src/policy/policy.ts"
import * as ShellAnalyzer from "../src/shell/analysis/shell-analyzer.ts"
import { policyOptions } from "../test/kit/policy-options.ts"
import { median } from "./lib/measure.ts"
import { runQuietly } from "./lib/run-quietly.ts"

const ROUNDS = 7
const FILES = ["README.md", "package.json", "data.csv", "data.json", "src/main.ts", "src/util.ts", "test/main.test.ts"]

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-everyday-")))
for (const file of FILES) {
  mkdirSync(dirname(join(folder, "work", file)), { recursive: true })
  writeFileSync(join(folder, "work", file), "{}\n")
}
await runQuietly(["git", "init", "-q", join(folder, "work")])

const layer = Policy.layer(policyOptions(folder)).pipe(Layer.provide(ShellAnalyzer.layer))

/** Milliseconds of CPU for each line: the median of the rounds. Each round asks anew, so that nothing is remembered. */
const times = await Effect.gen(function* () {
  const { decide } = Context.get(yield* Layer.build(layer), Policy.Policy)
  const rounds: Array<ReadonlyArray<number>> = []
  for (let round = 0; round <= ROUNDS; round++) {
    const took: Array<number> = []
    for (const line of EVERYDAY) {
      const before = process.cpuUsage()
      yield* decide({ name: "run_shell_command", args: { command: `${line} # ${round}` }, kind: "execute" })
      const { system, user } = process.cpuUsage(before)
      took.push((system + user) / 1000)
    }
    rounds.push(took)
  }
  return EVERYDAY.map((_, index) => median(rounds.slice(1).map((took) => took[index] ?? 0)))
}).pipe(Effect.scoped, Effect.runPromise)

rmSync(folder, { recursive: true, force: true })

const sorted = times.toSorted((one, other) => one - other)
const slowest = EVERYDAY.map((line, index) => ({ line, time: times[index] ?? 0 })).toSorted((a, b) => b.time - a.time)
process.stdout.write(
  [
    `${EVERYDAY.length} lines: median ${median(times).toFixed(2)} ms, slowest tenth from ${(sorted.at(-Math.ceil(sorted.length / 10)) ?? 0).toFixed(2)} ms`,
    ...slowest.slice(0, 5).map(({ line, time }) => `  ${time.toFixed(2)} ms  ${JSON.stringify(line)}`),
    ""
  ].join("\n")
)
