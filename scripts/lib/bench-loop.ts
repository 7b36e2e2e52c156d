/**
 * The third group of the bench: what the loop itself costs. Putting a request together in large surroundings, memory over
 * many turns and with a full window, and reading a very long answer.
 */
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { call } from "../../test/kit/replies.ts"
import {
  ASSEMBLY,
  ASSEMBLY_LARGE,
  ASSEMBLY_MANY,
  BARE_READER,
  BARE_TOKEN,
  EARLY_MEMORY,
  FIRST_TOKEN,
  FULL_WINDOW,
  FULL_WINDOW_LIMIT,
  LATE_MEMORY,
  LONG_ANSWER,
  SDK_READER
} from "./bench-rows.ts"
import { quickOf } from "./bench-sessions.ts"
import { growFolder } from "./bench-tools-files.ts"
import { type Subject, type Turn, timesOf } from "./bench-tools-run.ts"
import { peakMib } from "./bench-tools-shell.ts"
import { compile } from "./compile.ts"
import { PIECE, serveAnswer } from "./long-answer.ts"
import { type Measured, type Measurement, measureAll, measureParts, timed } from "./measure.ts"

export interface LoopBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

export const measureLoop = (bench: LoopBench): Promise<Measured> =>
  measureParts(
    [
      ["first tokens", () => measureFirstToken(bench)],
      ["a long answer", () => measureLongAnswer(bench)],
      ["memory of many turns", () => measureMemory(bench)],
      ["requests in large folders", () => measureAssembly(bench)]
    ],
    bench.onPart
  )

const TOKENS = 15
const MARGIN_MS = 1

/**
 * From the first words of the model until they are printed, in runs of their own: what the words meet is as cold as it is for a
 * person. The answer goes on when they were seen. The barest run takes turns.
 */
export const measureFirstToken = async (bench: LoopBench): Promise<Measured> => {
  const bare = await barestPrinter(bench)
  const [ours, barest]: [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round < TOKENS; round++) {
    ours.push(await timeToPrint(bench, [bench.binary, "-p", "hi", "-m", "scripted"]))
    barest.push(await timeToPrint(bench, [bare]))
  }
  return new Map([
    [FIRST_TOKEN, timed(quickOf(ours))],
    [BARE_TOKEN, timed(quickOf(barest) + MARGIN_MS)]
  ])
}

/** The barest run, but with the least that prints: the first touch of `process.stdout` takes longer than all that is measured here. */
const barestPrinter = async ({ scratch }: LoopBench): Promise<string> => {
  const [entry, outfile] = [join(scratch, "bare-printer.ts"), join(scratch, "bare-printer")]
  const source = await readFile(resolve(import.meta.dir, "../bench-bare-run.ts"), "utf8")
  const least = source.replace("process.stdout.write(", "writeSync(1, ")
  if (least === source) throw new Error("the barest run prints in another way than it did")
  await writeFile(entry, `import { writeSync } from "node:fs"\n${least}`)
  await compile({ entry, outfile })
  return outfile
}

const timeToPrint = async ({ env, scratch }: LoopBench, command: ReadonlyArray<string>): Promise<number> => {
  const [first = "", last = ""] = [{ text: "The first words." }, { text: " And the last.", finishReason: "STOP" }].map(
    ({ finishReason, text }) =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason }] })}\r\n\r\n`
  )
  let sentAt = Number.NaN
  let finish = () => {}
  // By hand, so that head and words leave in one packet: a second one may wait 40 ms for the acknowledgement of the first.
  using server = Bun.listen<{ asked: string }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { asked: "" }
      },
      data: (socket, bytes) => {
        socket.data.asked += bytes.toString("latin1")
        const [head = "", body] = socket.data.asked.split("\r\n\r\n")
        const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
        if (body === undefined || body.length < length) return
        finish = () => void socket.end(last)
        sentAt = Bun.nanoseconds()
        socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${first}`)
      }
    }
  })
  const child = Bun.spawn([...command], {
    cwd: scratch,
    env: { ...env, GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${server.port}` },
    stdio: ["ignore", "pipe", "ignore"]
  })
  const reader = child.stdout.getReader()
  const { done } = await reader.read()
  const ms = (Bun.nanoseconds() - sentAt) / 1e6
  finish()
  if (done) throw new Error(`${command[0]} printed nothing`)
  await child.exited
  return ms
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
const measureLongAnswer = async (bench: LoopBench): Promise<Measured> => {
  const { binary, env, scratch } = bench
  const commands: ReadonlyArray<readonly [name: string, command: ReadonlyArray<string>]> = [
    [LONG_ANSWER, [binary, "-p", "hi", "-m", "scripted"]],
    [SDK_READER, [await compiled(bench, "sdk-reader")]],
    [BARE_READER, [await compiled(bench, "bare-reader"), join(scratch, "answer.json")]]
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

/** One of the programs to compare with, made as ours is. */
const compiled = async ({ scratch }: LoopBench, name: string): Promise<string> => {
  const outfile = join(scratch, name)
  await compile({ entry: resolve(import.meta.dir, `../bench-${name}.ts`), outfile })
  return outfile
}

const homeWith = async (scratch: string, settings: object): Promise<string> => {
  const home = join(scratch, `home-${Bun.hash(JSON.stringify(settings))}`)
  await mkdir(join(home, ".gemini"), { recursive: true })
  await writeFile(join(home, ".gemini/settings.json"), JSON.stringify(settings))
  return home
}
