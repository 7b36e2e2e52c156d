/** What a turn with tool calls costs: early in a conversation, late in it, and with many calls at once. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { call } from "../../test/kit/replies.ts"
import { EARLY_TURN, FIFTY_READS, HUNDRED_READS, LATE_TURN, ONE_READ, TOOL_TURN } from "./bench-rows.ts"
import { type Subject, type Turn, timesOf } from "./bench-tools-run.ts"
import { type Measured, median, timed } from "./measure.ts"

const LATE_TURNS = 1000
/** Half before and half after turn 10; as many at the end of the long run. */
const EARLY = { from: 5, to: 15 }
const FILE = "lines.txt"

export const writeReadFile = (folder: string, lines = LATE_TURNS): Promise<void> =>
  writeFile(join(folder, FILE), Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join(""))

/** Another line each time: a model that reads the same one for ever is stopped. */
export const readTurn = (line: number): Turn => ({
  calls: [call("read_file", { file_path: FILE, start_line: line, end_line: line })]
})

/**
 * A long conversation and a young one. When the long one comes to its last turns, the young one is started, and then they
 * take turns, so that both are measured in the same seconds.
 */
export const measureTurns = async (subject: Subject): Promise<Measured> => {
  const count = EARLY.to - EARLY.from + 1
  const young = stepwise(subject, EARLY.to)
  const turns = Array.from({ length: LATE_TURNS }, (_, index): Turn => {
    const step = index - (LATE_TURNS - count)
    if (step < 0) return readTurn(index + 1)
    const before = async () => {
      for (let left = step === 0 ? EARLY.from : 1; left > 0; left--) await young.step()
    }
    return { ...readTurn(index + 1), before }
  })
  const late = await timesOf(subject, turns)
  const early = await young.times
  return new Map([
    [TOOL_TURN, timed(median(late.slice(EARLY.from, EARLY.from + 100)))],
    [EARLY_TURN, timed(median(early.slice(EARLY.from - 1)))],
    [LATE_TURN, timed(median(late.slice(-count)))]
  ])
}

/** A run that makes one turn when it is told to. */
const stepwise = (subject: Subject, count: number) => {
  const gates = Array.from({ length: count }, () => ({
    reached: Promise.withResolvers<void>(),
    opened: Promise.withResolvers<void>()
  }))
  const turns = gates.map(({ opened, reached }, index): Turn => {
    const before = async () => {
      reached.resolve()
      await opened.promise
    }
    return { ...readTurn(index + 1), before }
  })
  let times: Promise<ReadonlyArray<number>> | undefined
  let next = 0
  return {
    step: async (): Promise<unknown> => {
      times ??= timesOf(subject, turns)
      gates[next++]?.opened.resolve()
      // After the last turn there is only the end of the run to wait for.
      return Promise.race([times, ...(next < count ? [gates[next]?.reached.promise] : [])])
    },
    get times() {
      return times ?? Promise.resolve([])
    }
  }
}

const PARALLEL_ROUNDS = 7

export const measureParallel = async (subject: Subject): Promise<Measured> => {
  const reads = (count: number): Turn => ({
    calls: Array.from({ length: count }, (_, index) => readTurn(index + 1).calls).flat()
  })
  const rounds = Array.from({ length: PARALLEL_ROUNDS + 1 }, (_, round) => [
    readTurn(200 + round),
    reads(50),
    reads(100)
  ])
  const times = (await timesOf(subject, rounds.flat())).slice(3)
  return new Map(
    [ONE_READ, FIFTY_READS, HUNDRED_READS].map((name, place) => [
      name,
      timed(median(times.filter((_, index) => index % 3 === place)))
    ])
  )
}
