/**
 * The third group of the bench: what the loop itself costs. Putting a request together in large surroundings, memory over
 * many turns and with a full window, and reading a very long answer.
 */
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { call } from "../../test/kit/replies.ts"
import {
  ASSEMBLY,
  ASSEMBLY_LARGE,
  ASSEMBLY_MANY,
  BARE_READER,
  EARLY_MEMORY,
  FULL_WINDOW,
  FULL_WINDOW_LIMIT,
  LATE_MEMORY,
  LONG_ANSWER,
  SDK_READER
} from "./bench-rows.ts"
import { growFolder } from "./bench-tools-files.ts"
import { type Subject, type Turn, timesOf } from "./bench-tools-run.ts"
import { peakMib } from "./bench-tools-shell.ts"
import { compile } from "./compile.ts"
import { PIECE, serveAnswer } from "./long-answer.ts"
import { type Measured, type Measurement, measureAll, timed } from "./measure.ts"

export interface LoopBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

export const measureLoop = async (bench: LoopBench): Promise<Measured> => {
  const parts: ReadonlyArray<readonly [name: string, measure: (bench: LoopBench) => Promise<Measured>]> = [
    ["a long answer", measureLongAnswer],
    ["memory of many turns", measureMemory],
    ["requests in large folders", measureAssembly]
  ]
  const measured: Array<Measured> = []
  for (const [name, measure] of parts) {
    bench.onPart(name)
    measured.push(await measure(bench))
  }
  return new Map(measured.flatMap((part) => [...part]))
}

const CONTEXT_FILES = 200

/** `--estimate` puts the whole request together and sends nothing. */
const measureAssembly = async ({ binary, env, scratch }: LoopBench): Promise<Measured> => {
  const [empty, large, many] = ["assembly", "large", "many"].map((name) => join(scratch, name)) as [
    string,
    string,
    string
  ]
  await mkdir(empty)
  if (!existsSync(large)) growFolder(large)
  for (let index = 0; index < CONTEXT_FILES; index++) {
    await mkdir(join(many, `part_${index}`), { recursive: true })
    await writeFile(join(many, `part_${index}/GEMINI.md`), `Rule ${index}: be kind.\n`)
  }
  const eager = await homeWith(scratch, { experimental: { jitContext: false } })
  const command = [binary, "-p", "hi", "-m", "scripted", "--estimate"]
  return measureAll(
    [
      { name: ASSEMBLY, command, env, cwd: empty },
      { name: ASSEMBLY_LARGE, command, env, cwd: large },
      { name: ASSEMBLY_MANY, command, env: { ...env, HOME: eager }, cwd: many }
    ],
    { timed: 7, weighed: 0 }
  )
}

const LINES = 1000
const LINE_LENGTH = 1000
/** Lines in one read: with a thousand characters each, these are about 10,000 tokens. */
const PAGE = 40
const WINDOW_TOKENS = 1_000_000
const WINDOW_LIMIT_MIB = 400

/** With room for everything: nothing is compressed or masked, so that the whole history stays in every request. */
const ROOMY = {
  model: { compressionThreshold: 1 },
  contextManagement: {
    tools: { outputMasking: { protectionThresholdTokens: 1e9, minPrunableThresholdTokens: 1e9 } }
  }
}

const measureMemory = async ({ binary, env, scratch }: LoopBench): Promise<Measured> => {
  const cwd = join(scratch, "memory")
  await mkdir(cwd)
  const line = "word ".repeat(LINE_LENGTH / 5)
  await writeFile(join(cwd, "lines.txt"), Array.from({ length: LINES }, (_, index) => `${index} ${line}\n`).join(""))
  const subject: Subject = { binary, env, cwd }
  const roomy: Subject = { ...subject, env: { ...env, HOME: await homeWith(scratch, ROOMY) } }
  const pages = (WINDOW_TOKENS * 4) / (PAGE * LINE_LENGTH)
  const small = Array.from({ length: 1000 }, (_, index) => reading(index, 1))
  const large = Array.from({ length: pages }, (_, index) => reading(index * 7, PAGE))
  const [early, late] = await peaksOf(subject, small, [300, 1000])
  const [full] = await peaksOf(roomy, large, [pages])
  return new Map([
    [EARLY_MEMORY, weighed(early)],
    [LATE_MEMORY, weighed(late)],
    [FULL_WINDOW, weighed(full)],
    [FULL_WINDOW_LIMIT, weighed(WINDOW_LIMIT_MIB)]
  ])
}

/** Absent where the kernel does not tell. */
const weighed = (peakMiB = Number.NaN): Measurement => ({
  ms: undefined,
  peakMiB: Number.isNaN(peakMiB) ? undefined : peakMiB
})

/** Another part each time: a model that reads the same one for ever is stopped. */
const reading = (start: number, lines: number): Turn => {
  const first = (start % (LINES - lines)) + 1
  return { calls: [call("read_file", { file_path: "lines.txt", start_line: first, end_line: first + lines - 1 })] }
}

/** Peaks so far, at these turns. By the first of them the heap has grown to what it works with. */
const peaksOf = async (subject: Subject, turns: ReadonlyArray<Turn>, at: ReadonlyArray<number>) => {
  const peaks: Array<number> = []
  const before = async (pid: number) => peaks.push(peakMib(pid))
  await timesOf(
    subject,
    turns.map((turn, index) => (at.includes(index + 1) ? { ...turn, before } : turn))
  )
  return peaks
}

const LONG = 20_000_000

/** What the text itself takes: the time of a run with a long answer beyond that of a run with a short one. */
const measureLongAnswer = async ({ binary, env, scratch }: LoopBench): Promise<Measured> => {
  const compiled = async (name: string): Promise<string> => {
    const outfile = join(scratch, name)
    await compile({ entry: resolve(import.meta.dir, `../bench-${name}.ts`), outfile })
    return outfile
  }
  const commands: ReadonlyArray<readonly [name: string, command: ReadonlyArray<string>]> = [
    [LONG_ANSWER, [binary, "-p", "hi", "-m", "scripted"]],
    [SDK_READER, [await compiled("sdk-reader")]],
    [BARE_READER, [await compiled("bare-reader"), join(scratch, "answer.json")]]
  ]
  const servers = [serveAnswer(LONG), serveAnswer(PIECE)]
  try {
    const measured = await measureAll(
      commands.flatMap(([name, command]) =>
        servers.map(({ url }, index) => ({
          name: `${name} ${index}`,
          command,
          env: { ...env, GOOGLE_GEMINI_BASE_URL: url.origin },
          cwd: scratch
        }))
      ),
      { timed: 9, weighed: 0 }
    )
    const msOf = (name: string) => measured.get(name)?.ms ?? Number.NaN
    return new Map(commands.map(([name]) => [name, timed(msOf(`${name} 0`) - msOf(`${name} 1`))]))
  } finally {
    await Promise.all(servers.map((server) => server.stop(true)))
  }
}

const homeWith = async (scratch: string, settings: object): Promise<string> => {
  const home = join(scratch, `home-${Bun.hash(JSON.stringify(settings))}`)
  await mkdir(join(home, ".gemini"), { recursive: true })
  await writeFile(join(home, ".gemini/settings.json"), JSON.stringify(settings))
  return home
}
