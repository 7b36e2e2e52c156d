/**
 * What is for scripts and services: prompts of one process, kept answers, and recorded ones in place of a model. A prompt
 * is measured by the processor time of the program itself: the model is a loopback server.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type ModelServer, startModelServer } from "../../test/kit/model-server.ts"
import { ask, call, say } from "../../test/kit/replies.ts"
import { CACHE_HIT, NEXT_PROMPT, ONE_PROMPT, REPLAYED_TURNS, SERVED_TURNS, SETTINGS_READ } from "./bench-rows.ts"
import { type Measured, measureAll, median, timed } from "./measure.ts"

export interface PipelineBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

const ROUNDS = { timed: 9, weighed: 0 }
const TURNS = 100
const PROMPTS = 20

export const measurePipelines = async (bench: PipelineBench): Promise<Measured> => {
  bench.onPart(`${PROMPTS} prompts of one process`)
  const prompts = await measurePrompts(bench)
  bench.onPart("a kept answer, and 100 tool turns from a cassette")
  await using server = await startModelServer(toolTurns)
  const cwd = join(bench.scratch, "pipelines")
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, "notes.txt"), "milk\n".repeat(2 * TURNS))
  const env = { ...bench.env, GOOGLE_GEMINI_BASE_URL: server.url, GEMINI_API_KEY: "key" }
  const run = [bench.binary, "-p", "go", "-m", "scripted"]
  const prepared = { cwd, env, name: "" }
  const kept = [bench.binary, "-p", "hi", "-m", "scripted", "--cache"]
  await once({ ...prepared, command: [...run, "--record", "tape.jsonl"] })
  await once({ ...prepared, command: kept })
  const programs = await measureAll(
    [
      { ...prepared, name: CACHE_HIT, command: kept },
      { ...prepared, name: SETTINGS_READ, command: [bench.binary, "config", "get", "general.maxAttempts"] },
      { ...prepared, name: SERVED_TURNS, command: run },
      { ...prepared, name: REPLAYED_TURNS, command: [...run, "--replay", "tape.jsonl"] }
    ],
    ROUNDS
  )
  return new Map([...prompts, ...programs])
}

/** As many reads as there are turns, then an answer; another prompt is answered at once. */
const toolTurns: Parameters<typeof startModelServer>[0] = ({ body }) => {
  const { contents } = body as {
    contents: ReadonlyArray<{ readonly parts: ReadonlyArray<{ readonly text?: string }> }>
  }
  const isLong = contents[0]?.parts.some(({ text }) => text === "go") === true
  return isLong && contents.length <= 2 * TURNS
    ? ask(call("read_file", { file_path: "notes.txt", start_line: contents.length, end_line: contents.length }))
    : say("done")
}

interface OneRun {
  readonly command: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly input?: string
}

/** Processor time in milliseconds. */
const once = async ({ command, cwd, env, input }: OneRun): Promise<number> => {
  const child = Bun.spawn([...command], {
    cwd,
    env,
    stdin: input === undefined ? "ignore" : new Blob([input]),
    stdout: "ignore",
    stderr: "ignore"
  })
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`)
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
}

const measurePrompts = async ({ binary, env, scratch }: PipelineBench): Promise<Measured> => {
  await using server: ModelServer = await startModelServer(() => say("ok"))
  const own = { ...env, GOOGLE_GEMINI_BASE_URL: server.url, GEMINI_API_KEY: "key" }
  const line = `${JSON.stringify({ type: "message", role: "user", content: "hi" })}\n`
  const stream = [binary, "--input-format", "stream-json", "-o", "stream-json", "-m", "scripted"]
  const [first, few, many]: ReadonlyArray<Array<number>> = [[], [], []]
  for (let round = -1; round < ROUNDS.timed; round++) {
    const one = await once({ command: [binary, "-p", "hi", "-m", "scripted"], env: own, cwd: scratch })
    const short = await once({ command: stream, env: own, cwd: scratch, input: line })
    const long = await once({ command: stream, env: own, cwd: scratch, input: line.repeat(PROMPTS + 1) })
    if (round < 0) continue
    first?.push(one)
    few?.push(short)
    many?.push(long)
  }
  const next = (median(many ?? []) - median(few ?? [])) / PROMPTS
  return new Map([
    [ONE_PROMPT, timed(median(first ?? []))],
    [NEXT_PROMPT, timed(next)]
  ])
}
