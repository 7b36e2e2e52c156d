/**
 * What one decision of the policy costs, with the rules that ship. In this process, not in the binary: there it is hidden
 * in a turn that takes a hundred times as long, which is what it is compared with.
 */
import { Context, Effect, Layer } from "effect"
import type { PolicyCall } from "../../src/policy/decision.ts"
import { EVERYDAY } from "../../src/policy/fixtures/everyday.ts"
import * as Policy from "../../src/policy/policy.ts"
import * as ShellAnalyzer from "../../src/shell/analysis/shell-analyzer.ts"
import { policyOptions } from "../../test/kit/policy-options.ts"
import { DECISION, EVERYDAY_DECISION, EVERYDAY_GRAMMAR, SHELL_DECISION } from "./bench-rows.ts"
import { type Measured, median, timed } from "./measure.ts"

const BATCHES = 11
const BATCH_SIZE = 200
const ROUNDS = 7

export const measureDecisions = (folder: string): Promise<Measured> =>
  Effect.gen(function* () {
    const { decide } = Context.get(yield* Layer.build(policyIn(folder)), Policy.Policy)
    const timeOf = Effect.fnUntraced(function* (callOf: (index: number) => PolicyCall) {
      const times: Array<number> = []
      for (let batch = 0; batch <= BATCHES; batch++) {
        const start = Bun.nanoseconds()
        for (let index = 0; index < BATCH_SIZE; index++) yield* decide(callOf(batch * BATCH_SIZE + index))
        times.push((Bun.nanoseconds() - start) / 1e6 / BATCH_SIZE)
      }
      return timed(median(times.slice(1)))
    })
    const read = yield* timeOf((index) => ({ name: "read_file", args: { file_path: `src/${index}.ts` }, kind: "read" }))
    // A new line each time: the analysis of a known one is remembered.
    const shell = yield* timeOf((index) => ({
      name: "run_shell_command",
      args: { command: `git log -n ${index} --oneline | head -n 5 && ls -l "src/$DIR"` },
      kind: "execute"
    }))
    // In CPU time, so that a busy machine says the same. The remark makes each line one that is not remembered.
    const analyzer = yield* ShellAnalyzer.make
    const [grammar, everyday]: readonly [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round <= ROUNDS; round++) {
      const lines = EVERYDAY.map((line) => `${line} # ${round}`)
      const start = process.cpuUsage()
      for (const line of lines) yield* analyzer.analyze(line)
      grammar.push(cpuMillis(start) / lines.length)
      const middle = process.cpuUsage()
      for (const command of lines) yield* decide({ name: "run_shell_command", args: { command }, kind: "execute" })
      everyday.push(cpuMillis(middle) / lines.length)
    }
    return new Map([
      [DECISION, read],
      [SHELL_DECISION, shell],
      [EVERYDAY_DECISION, timed(median(everyday.slice(1)))],
      [EVERYDAY_GRAMMAR, timed(median(grammar.slice(1)))]
    ])
  }).pipe(Effect.scoped, Effect.runPromise)

const cpuMillis = (since: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(since)
  return (system + user) / 1000
}

const policyIn = (folder: string) => Policy.layer(policyOptions(folder)).pipe(Layer.provide(ShellAnalyzer.layer))
