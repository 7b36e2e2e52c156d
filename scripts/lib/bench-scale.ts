/**
 * The group of the bench about sizes that few people meet: files, sessions, conversations and outputs as large as the machine
 * takes them. A part that fails is told, and its rows stay unmeasured: the others have taken too long to be lost.
 */
import { closeSync, copyFileSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { scriptedServer } from "../../test/kit/mcp-script.ts"
import { call } from "../../test/kit/replies.ts"
import { sideBySide } from "./bench-agents.ts"
import { GROWTH_LIMIT, memory, type Row, time } from "./bench-rows.ts"
import { BIG, BIG_BYTES, chatsOf, writeBigSession } from "./bench-sessions.ts"
import type { ToolBench } from "./bench-tools.ts"
import { growSources, measureSearch } from "./bench-tools-files.ts"
import { type Subject, type Turn, timesOf } from "./bench-tools-run.ts"
import { measureFlood, peakMib } from "./bench-tools-shell.ts"
import { readTurn, writeReadFile } from "./bench-tools-turns.ts"
import { type Measured, type Measurement, measureAll, measureParts, median, timed } from "./measure.ts"
import { runQuietly } from "./run-quietly.ts"

const EARLY_TURNS = "turns until 1,000"
const LAST_TURNS = "turns until 5,000"
const RESUME = "resume of 1 GB"
const RESUME_TENTH = "resume of a tenth of it"
const READ = "read_file near the end of 1 GB"
const SED = "sed of the same lines"
const READ_GROWTH = "growth by it"
const SEARCHES: [string, string, string, string] = [
  "grep_search in 1,000,000",
  "rg in the same",
  "glob in 1,000,000",
  "rg --files of the same"
]
const [GREP, RG, GLOB, RG_FILES] = SEARCHES
const REPLACED = "replace in 200 MB"
const SED_IN_PLACE = "sed -i on a copy of it"
const REPLACE_SIZE = "800 MiB"
const FLOODS: [string, string, string] = [
  "10 GB of shell output",
  "cat of the 10 GB",
  "growth by 10 GB of shell output"
]
const [FLOOD, FLOOD_CAT, FLOOD_GROWTH] = FLOODS
const AGENTS: [string, string] = ["a run with one agent", "a run with 64 agents at once"]
const [ONE_AGENT, MANY_AGENTS] = AGENTS
const MANY_TOOLS = "one-shot with 2,000 tools of a server"
const ONE_TOOL = "one-shot with one tool of a server"

const TOO_LARGE_TO_EDIT = "the tool refuses files of more than 50 MiB, which it would have to hold several times over"
const TOO_LARGE_TO_READ = "the tool refuses text files of more than 20 MB and says how to get a part of them"

/** Only with `--scale`. */
export const SCALE_ROWS: ReadonlyArray<Row> = [
  time("turn 5,000 of a run", LAST_TURNS, EARLY_TURNS, 1.3),
  memory("turn 5,000 of a run, peak memory", LAST_TURNS, EARLY_TURNS, 1.3),
  time("resume of a 1 GB session", RESUME, RESUME_TENTH, 10),
  memory("resume of a 1 GB session, memory", RESUME, RESUME_TENTH, 1.3),
  { ...time("read_file of 1 GB by lines", READ, SED, 2), known: TOO_LARGE_TO_READ },
  { ...memory("read_file of 1 GB, memory", READ_GROWTH, GROWTH_LIMIT, 1), known: TOO_LARGE_TO_READ },
  time("grep_search in 1,000,000 files", GREP, RG, 1.1),
  time("glob in 1,000,000 files", GLOB, RG_FILES, 1.1),
  { ...time("replace in a file of 200 MB", REPLACED, SED_IN_PLACE, 5), known: TOO_LARGE_TO_EDIT },
  { ...memory("replace in a file of 200 MB, memory", REPLACED, REPLACE_SIZE, 1), known: TOO_LARGE_TO_EDIT },
  time("10 GB of shell output", FLOOD, FLOOD_CAT, 5),
  memory("10 GB of shell output, memory", FLOOD_GROWTH, GROWTH_LIMIT, 1),
  {
    ...time("64 sub-agents at once", MANY_AGENTS, ONE_AGENT, 4),
    known: "they think side by side and work on one thread: what is over one agent's time is the processor's for all 64"
  },
  {
    ...time("2,000 tools of a server", MANY_TOOLS, ONE_TOOL, 1.5),
    known: "the request waits until the server has listed them and each is named, judged and declared, on one thread"
  },
  memory("2,000 tools of a server, peak memory", MANY_TOOLS, ONE_TOOL, 1.5)
]

type Part = (bench: ToolBench, folder: string) => Promise<Measured>

/** Each in a folder of its own, which goes with it: some fill gigabytes. */
export const measureScale = (bench: ToolBench, only: ReadonlyArray<string> = Object.keys(PARTS)): Promise<Measured> =>
  measureParts(
    only.map((name) => [name, () => alone(bench, name)]),
    bench.onPart
  )

const alone = async (bench: ToolBench, name: string): Promise<Measured> => {
  const folder = join(bench.scratch, "scale")
  mkdirSync(folder)
  try {
    return (await PARTS[name]?.(bench, folder)) ?? new Map()
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`)
    return new Map()
  } finally {
    await runQuietly(["rm", "-rf", folder])
  }
}

const subjectOf = ({ binary, env }: ToolBench, cwd: string): Subject => ({ binary, env, cwd })

const weighed = (peakMiB = Number.NaN): number | undefined => (Number.isNaN(peakMiB) ? undefined : peakMiB)

const TURNS = 5000
const EARLY = 1000
const SAMPLE = 100

const measureTurns: Part = async (bench, cwd) => {
  await writeReadFile(cwd, TURNS)
  const peaks: Array<number> = []
  const before = async (pid: number) => peaks.push(peakMib(pid))
  const turns = Array.from({ length: TURNS }, (_, index): Turn => {
    const turn = readTurn(index + 1)
    return index + 1 === EARLY || index + 1 === TURNS ? { ...turn, before } : turn
  })
  const times = await timesOf(subjectOf(bench, cwd), turns)
  const sample = (end: number, peak: number | undefined): Measurement => ({
    ms: median(times.slice(end - SAMPLE, end)),
    peakMiB: weighed(peak)
  })
  return new Map([
    [EARLY_TURNS, sample(EARLY, peaks[0])],
    [LAST_TURNS, sample(TURNS, peaks[1])]
  ])
}

const measureResume: Part = async ({ binary, env }, folder) => {
  const home = join(folder, "home")
  const command = [binary, "-r", BIG, "-p", "hi", "-m", "scripted"]
  const programs = [
    { name: RESUME_TENTH, bytes: BIG_BYTES },
    { name: RESUME, bytes: 10 * BIG_BYTES }
  ].map(({ bytes, name }, index) => {
    const own = { ...env, HOME: home }
    const cwd = join(folder, `work-${index}`)
    writeBigSession(chatsOf(own, cwd, `work-${index}`), bytes)
    return { name, command, env: own, cwd }
  })
  return measureAll(programs, { timed: 3, weighed: 2 })
}

const LINE = `${"word ".repeat(20).trim()}\n`
const LINES = 10_000_000
const PAGE = 100
const READS = 5

/** The same line again and again, from a first one that is found nowhere else. */
const writeLines = (file: string, first: string, count: number): void => {
  const descriptor = openSync(file, "w")
  const block = LINE.repeat(10_000)
  for (let written = 0; written < count; written += 10_000) writeSync(descriptor, block)
  writeSync(descriptor, first)
  closeSync(descriptor)
}

const measureRead: Part = async (bench, cwd) => {
  const file = "lines.txt"
  writeLines(join(cwd, file), "the end\n", LINES)
  const [peaks, sed]: [Array<number>, Array<number>] = [[], []]
  const from = (read: number) => LINES - (read + 1) * PAGE
  const reads = Array.from({ length: READS }, (_, read): Turn => {
    const [start, end] = [from(read), from(read) + PAGE - 1]
    const before = async (pid: number) => {
      peaks.push(peakMib(pid))
      const began = Bun.nanoseconds()
      await runQuietly(["sed", "-n", `${start},${end}p;${end}q`, join(cwd, file)])
      sed.push((Bun.nanoseconds() - began) / 1e6)
    }
    return { calls: [call("read_file", { file_path: file, start_line: start, end_line: end })], before }
  })
  const last: Turn = { ...FIRST_CALL, before: async (pid) => peaks.push(peakMib(pid)) }
  const times = await timesOf(subjectOf(bench, cwd), [FIRST_CALL, ...reads, last])
  const growth = (peaks.at(-1) ?? Number.NaN) - (peaks[0] ?? Number.NaN)
  return new Map([
    [READ, timed(median(times.slice(1, -1)))],
    [SED, timed(median(sed))],
    [READ_GROWTH, { ms: undefined, peakMiB: weighed(growth) }],
    [GROWTH_LIMIT, { ms: undefined, peakMiB: 64 }]
  ])
}

/** Loads what all tools share. */
const FIRST_CALL: Turn = { calls: [call("list_directory", { dir_path: "." })] }

const MILLION = 1_000_000

const measureSearches: Part = (bench, cwd) => {
  growSources(cwd, MILLION)
  return measureSearch(subjectOf(bench, cwd), cwd, SEARCHES)
}

const REPLACE_LINES = 2_000_000
const REPLACES = 3

/** The marked line stands at the end; each replacement marks it anew. */
const measureReplace: Part = async (bench, cwd) => {
  const [file, copy] = [join(cwd, "large.txt"), join(cwd, "copy.txt")]
  writeLines(file, "mark 0\n", REPLACE_LINES)
  copyFileSync(file, copy)
  const [sed, peaks]: [Array<number>, Array<number>] = [[], []]
  const turns = Array.from({ length: REPLACES }, (_, index): Turn => {
    const args = {
      file_path: "large.txt",
      instruction: "mark it",
      old_string: `mark ${index}`,
      new_string: `mark ${index + 1}`
    }
    const before = async () => {
      const began = Bun.nanoseconds()
      await runQuietly(["sed", "-i", `s/mark ${index}/mark ${index + 1}/`, copy])
      sed.push((Bun.nanoseconds() - began) / 1e6)
    }
    return { calls: [call("replace", args)], before }
  })
  const last: Turn = { ...FIRST_CALL, before: async (pid) => peaks.push(peakMib(pid)) }
  const times = await timesOf(subjectOf(bench, cwd), [FIRST_CALL, ...turns, last])
  return new Map([
    [REPLACED, { ms: median(times.slice(1, -1)), peakMiB: weighed(peaks[0]) }],
    [SED_IN_PLACE, timed(median(sed))],
    [REPLACE_SIZE, { ms: undefined, peakMiB: 800 }]
  ])
}

const measureTools: Part = ({ binary, env }, folder) => {
  const programs = [
    { name: ONE_TOOL, toolCount: 1 },
    { name: MANY_TOOLS, toolCount: 2000 }
  ].map(({ name, toolCount }, index) => {
    const home = join(folder, `home-${index}`)
    mkdirSync(join(home, ".gemini"), { recursive: true })
    const settings = { mcpServers: { server: scriptedServer({ toolCount }) } }
    writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings))
    return { name, command: [binary, "-p", "hi", "-m", "scripted"], env: { ...env, HOME: home }, cwd: folder }
  })
  return measureAll(programs, { timed: 5, weighed: 3 })
}

const FLOOD_BYTES = 10_000_000_000

const PARTS: Readonly<Record<string, Part>> = {
  "5,000 turns": measureTurns,
  "a session of 1 GB": measureResume,
  "a file of 1 GB": measureRead,
  "1,000,000 files": measureSearches,
  "a file of 200 MB": measureReplace,
  "10 GB of shell output": (bench, cwd) => measureFlood(subjectOf(bench, cwd), FLOOD_BYTES, FLOODS),
  "64 sub-agents": (bench, scratch) => sideBySide({ ...bench, scratch }, 64, AGENTS),
  "2,000 tools": measureTools
}
