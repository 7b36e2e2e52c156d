/** The group of the bench about telemetry: what a short run pays for it, and how fast records are taken. */
import { join } from "node:path"
import { Effect } from "effect"
import { make } from "../../src/telemetry/telemetry.live.ts"
import { ONE_SECOND, RECORDS, TOLD_TO_COLLECTOR, TOLD_TO_FILE } from "./bench-rows.ts"
import { type Measured, measureAll, timed } from "./measure.ts"

export interface TelemetryBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

const ROUNDS = { timed: 15, weighed: 3 }
const COUNT = 10_000

export const measureTelemetry = async ({ binary, env, onPart, scratch }: TelemetryBench): Promise<Measured> => {
  onPart("one-shot runs with telemetry")
  const collector = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({}) })
  const command = [binary, "-p", "hi", "-m", "scripted", "--telemetry"]
  const toCollector = ["--telemetry-otlp-protocol", "http", "--telemetry-otlp-endpoint", collector.url.origin]
  const programs = await measureAll(
    [
      {
        name: TOLD_TO_FILE,
        command: [...command, "--telemetry-outfile", join(scratch, "telemetry.log")],
        env,
        cwd: scratch
      },
      { name: TOLD_TO_COLLECTOR, command: [...command, ...toCollector], env, cwd: scratch }
    ],
    ROUNDS
  )
  await collector.stop(true)
  onPart("10,000 records")
  const records = timed(await recordMany(join(scratch, "records.log")))
  return new Map([...programs, [RECORDS, records], [ONE_SECOND, timed(1_000)]])
}

/** Milliseconds until all of them are on disk; a number that is missing there fails the bench. */
const recordMany = (file: string): Promise<number> =>
  Effect.gen(function* () {
    const start = Bun.nanoseconds()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { log } = yield* make(
          { logPrompts: true, traces: false, destination: { _tag: "File", file } },
          {
            version: "bench",
            sessionId: "bench",
            common: {},
            redact: (text) => text,
            notify: (line) => Effect.dieMessage(line),
            write: () => Effect.void,
            variables: {},
            googleHeaders: Effect.succeed([])
          }
        )
        for (let index = 0; index < COUNT; index++) {
          yield* log({ name: "gemini_cli.user_prompt", body: "bench", attributes: { prompt_id: `p${index}-` } })
        }
      })
    )
    const ms = (Bun.nanoseconds() - start) / 1e6
    const text = yield* Effect.promise(() => Bun.file(file).text())
    const told = new Set([...text.matchAll(/"p(\d+)-"/g)].map(([, index]) => index))
    if (told.size !== COUNT) return yield* Effect.dieMessage(`${COUNT - told.size} records were lost`)
    return ms
  }).pipe(Effect.runPromise)
