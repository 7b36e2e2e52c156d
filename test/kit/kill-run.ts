/**
 * Runs of the binary that are killed at a system call of their own choosing, and what the model is told by the run that
 * goes on from there. A kill leaves to the system what was written before it, and nothing of the write at which it came.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { type ModelRequest, type ModelServer, startModelServer } from "./model-server.ts"
import { ask, call, say } from "./replies.ts"
import { newWorkspace, type Workspace } from "./run-gemini.ts"

export const canTrace =
  process.env.GEMINI_TESTS_SKIP_NOTHING === "1" ||
  (Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).exitCode === 0)

export const SESSION = "kill-test"

type Part = Readonly<Record<string, unknown>>

export interface Said {
  readonly role: string
  readonly part: Part
}

/** Part by part, without the description of the surroundings, which has the time in it. */
export const saidIn = (server: ModelServer, index: number): ReadonlyArray<Said> =>
  partsOf(server.generations.at(index)).filter(({ part }) => !String(part.text ?? "").startsWith("<session_context>"))

const partsOf = (request: ModelRequest | undefined): ReadonlyArray<Said> => {
  const body = request?.body as
    | { readonly contents: ReadonlyArray<{ readonly role: string; readonly parts: ReadonlyArray<Part> }> }
    | undefined
  return (body?.contents ?? []).flatMap(({ parts, role }) => parts.map((part) => ({ role, part })))
}

const isResult = ({ part }: Said): boolean => part.functionResponse !== undefined

/** Another line for each result that was told, with ids and signatures as the API gives them; after the last, a word. */
export const readingLines = (turns: number) => (request: ModelRequest) => {
  const line = partsOf(request).filter(isResult).length
  const args = { file_path: "lines.txt", start_line: line + 1, end_line: line + 1 }
  return line >= turns ? say("done") : ask(call("read_file", args, { id: `id-${line}`, signature: `sig-${line}` }))
}

export const placeWithLines = async (lines: number): Promise<Workspace> => {
  const place = await newWorkspace()
  // A long run is asked now and then whether it makes progress; here every request belongs to the conversation.
  await place.write("home/.gemini/settings.json", '{ "model": { "disableLoopDetection": true } }')
  await place.write("work/lines.txt", Array.from({ length: lines + 1 }, (_, index) => `line ${index}\n`).join(""))
  return place
}

const RUN = `"$GEMINI" -p go -o json --session-id ${SESSION}`

/** What each request of a run that nobody disturbs tells the model. */
export const undisturbed = async (turns: number, lines = turns): Promise<ReadonlyArray<ReadonlyArray<Said>>> => {
  await using place = await placeWithLines(lines)
  await using server = await startModelServer(readingLines(turns), { strict: true })
  const { exitCode, stderr } = await place.shell(RUN, { server })
  if (exitCode !== 0) throw new Error(`the run that nobody disturbs ended with ${exitCode}: ${stderr}`)
  return server.generations.map((_, index) => saidIn(server, index))
}

export interface Killed {
  readonly isKilled: boolean
  /** Requests that the killed run had sent. */
  readonly sent: number
  /** What the run after it told the model; absent where there was no session to go on with. */
  readonly resumed: ReadonlyArray<Said> | undefined
  readonly exitCode: number
}

/** A run in a new place, killed at the n-th such call, and the run that goes on. */
export const killAt = async (syscall: string, when: number, turns: number): Promise<Killed> => {
  await using place = await placeWithLines(turns)
  await using server = await startModelServer(readingLines(turns), { strict: true })
  const killed = await place.shell(`${killing(syscall, when)} ${RUN}; exit $?`, { server })
  const sent = server.generations.length
  await using next = await startModelServer([say("on we go")], { strict: true })
  const { exitCode } = await place.run(["-r", SESSION, "-p", "next"], { server: next })
  const resumed = next.generations.length === 0 ? undefined : saidIn(next, 0)
  return { isKilled: killed.exitCode !== 0, sent, resumed, exitCode }
}

/** `file`: only calls on this file count. */
const killing = (syscall: string, when: number, file?: string): string =>
  `strace -f -o /dev/null${file === undefined ? "" : ` -P "${file}"`} -e trace=${syscall} -e inject=${syscall}:signal=KILL:when=${when}`

export interface Link {
  readonly syscall: string
  readonly when: number
  readonly exitCode: number
  /** What each of its requests told the model. */
  readonly told: ReadonlyArray<ReadonlyArray<Said>>
}

/** Where runs on a session that exists are killed, in turn: at each of the first writes and syncs of its file. */
const POINTS = [
  ["write", 1],
  ["write", 2],
  ["fsync", 1],
  ["write", 3],
  ["write", 4],
  ["fsync", 2],
  ["write", 5],
  ["write", 6]
] as const

/** Lines of the file that a chain reads: more than it has turns. */
export const chainLines = (links: number): number => 4 * links

/** One conversation through many processes: each goes on where the one before it was killed, and is killed itself. */
export const killChain = async (links: number): Promise<ReadonlyArray<Link>> => {
  await using place = await placeWithLines(chainLines(links))
  await using first = await startModelServer([say("ready")])
  await place.run(["-p", "go", "--session-id", SESSION], { server: first })
  const folder = join(place.home, ".gemini/tmp/work/chats")
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "")
  const chain: Array<Link> = []
  for (let link = 0; link < links; link++) {
    const [syscall, when] = POINTS[link % POINTS.length] ?? POINTS[0]
    await using server = await startModelServer(readingLines(Number.POSITIVE_INFINITY), { strict: true })
    const run = `"$GEMINI" -r ${SESSION} -p "go on ${link}"`
    const { exitCode } = await place.shell(`${killing(syscall, when, file)} ${run}; exit $?`, { server })
    chain.push({ syscall, when, exitCode, told: server.generations.map((_, index) => saidIn(server, index)) })
  }
  return chain
}
