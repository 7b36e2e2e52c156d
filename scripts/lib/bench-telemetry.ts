/** The group of the bench about telemetry: what a short run pays for it, and how fast records are taken. */
import { join } from "node:path"
import { Effect } from "effect"
import { make as makeHttp } from "../../src/system/http/http.ts"
import { make } from "../../src/telemetry/telemetry.live.ts"
import {
  FIRST_RECORDS,
  MANY_RECORDS,
  ONE_SECOND,
  RECORDS,
  SAID_NOTHING,
  TOLD_TO_COLLECTOR,
  TOLD_TO_FILE,
  TOLD_TO_NOBODY
} from "./bench-rows.ts"
import { type Measured, measureAll, median, timed } from "./measure.ts"

export interface TelemetryBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

const ROUNDS = { timed: 15, weighed: 3 }
const COUNT = 10_000
const TIMES = 10

export const measureTelemetry = async ({ binary, env, onPart, scratch }: TelemetryBench): Promise<Measured> => {
  onPart("one-shot runs with telemetry")
  const collector = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({}) })
  const oneShot = [binary, "-p", "hi", "-m", "scripted"]
  const command = [...oneShot, "--telemetry"]
  const toCollector = ["--telemetry-otlp-protocol", "http", "--telemetry-otlp-endpoint", collector.url.origin]
  const programs = await measureAll(
    [
      {
        name: TOLD_TO_FILE,
        command: [...command, "--telemetry-outfile", join(scratch, "telemetry.log")],
        env,
        cwd: scratch
      },
      { name: SAID_NOTHING, command: oneShot, env, cwd: scratch },
      { name: TOLD_TO_NOBODY, command: [...oneShot, "--no-telemetry"], env, cwd: scratch },
      { name: TOLD_TO_COLLECTOR, command: [...command, ...toCollector], env, cwd: scratch }
    ],
    ROUNDS
  )
  await collector.stop(true)
  onPart("10,000 records")
  const { heaps, ms } = await recordMany(join(scratch, "records.log"))
  return new Map([
    ...programs,
    [RECORDS, timed(ms)],
    [ONE_SECOND, timed(1_000)],
    [FIRST_RECORDS, weighed(heaps.at(0))],
    [MANY_RECORDS, weighed(heaps.at(-1))]
  ])
}

const weighed = (bytes = Number.NaN) => ({ ms: undefined, peakMiB: bytes / 2 ** 20 })

interface Recorded {
  /** Milliseconds until 10,000 of them are on disk. */
  readonly ms: number
  /** Bytes in use after each 10,000. */
  readonly heaps: ReadonlyArray<number>
}

/** A number that is missing in the file fails the bench. */
const recordMany = (file: string): Promise<Recorded> =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const heaps: Array<number> = []
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { flush, log } = yield* make(
          { logPrompts: true, traces: false, destination: { _tag: "File", file } },
          {
            version: "bench",
            sessionId: "bench",
            common: {},
            redact: (text) => text,
            notify: (line) => Effect.dieMessage(line),
            write: () => Effect.void,
            http: makeHttp({ variables: {} }),
            variables: {},
            googleHeaders: Effect.succeed([])
          }
        )
        for (let round = 0; round < TIMES; round++) {
          const start = Bun.nanoseconds()
          for (let index = round * COUNT; index < (round + 1) * COUNT; index++) {
            yield* log({ name: "gemini_cli.user_prompt", body: "bench", attributes: { prompt_id: `p${index}-` } })
          }
          yield* flush
          times.push((Bun.nanoseconds() - start) / 1e6)
          Bun.gc(true)
          heaps.push(process.memoryUsage().heapUsed)
        }
      })
    )
    const text = yield* Effect.promise(() => Bun.file(file).text())
    const told = new Set([...text.matchAll(/"p(\d+)-"/g)].map(([, index]) => index))
    const lost = COUNT * TIMES - told.size
    if (lost !== 0) return yield* Effect.dieMessage(`${lost} records were lost`)
    return { ms: median(times), heaps }
  }).pipe(Effect.runPromise)
