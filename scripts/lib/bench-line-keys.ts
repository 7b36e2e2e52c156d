/** What the fingers feel: how soon a key is echoed, also under load, and how soon Tab knows a file among very many. */

import { embeddedRipgrep } from "../../src/files/ripgrep-embedded.live.ts"
import { answer, chunk, text } from "../../test/kit/replies.ts"
import { bodyOf } from "../../test/kit/reply-bytes.ts"
import { INVITATION, type LineRun, startLineRun } from "./bench-line-run.ts"
import { ECHO, ECHO_UNDER_LOAD, FILE_LISTING, FIRST_TAB, LATER_TAB } from "./bench-rows.ts"
import type { Subject } from "./bench-tools-run.ts"
import { type Measured, median, timed } from "./measure.ts"

const ANSWER_BYTES = 20_000_000
const KEYS = "the quick brown fox jumps over it"
const CTRL_U = "\u0015"

/** The same line is typed at rest and while an answer of 20 MB streams in. */
export const measureEcho = async (subject: Subject): Promise<Measured> => {
  const { body, headers } = bodyOf(answer(longAnswer()), true)
  const model = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: () => new Response(body, { headers })
  })
  try {
    const env = { ...subject.env, GOOGLE_GEMINI_BASE_URL: model.url.origin }
    await using run = startLineRun({ ...subject, env }, [])
    await run.shows(INVITATION)
    const atRest = await echoTimes(run, (typed) => (typed.length === 1 ? `> ${typed}` : typed.slice(-1)))
    run.type(`${CTRL_U}go\r`)
    await run.shows("Line 100 ")
    const underLoad = await echoTimes(run, (typed) => `> ${typed}`)
    return new Map([
      [ECHO, timed(median(atRest))],
      [ECHO_UNDER_LOAD, timed(median(underLoad))]
    ])
  } finally {
    await model.stop(true)
  }
}

/** Milliseconds from a key until the terminal has it: as an echo, or in the line that is drawn anew below an answer. */
const echoTimes = async (run: LineRun, sign: (typed: string) => string): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (const [index, key] of [...KEYS].entries()) {
    const start = Bun.nanoseconds()
    run.type(key)
    await run.shows(sign(KEYS.slice(0, index + 1)))
    times.push((Bun.nanoseconds() - start) / 1e6)
    await Bun.sleep(PAUSE_MS)
  }
  return times
}

/** Nobody types faster. */
const PAUSE_MS = 20

const longAnswer = () => {
  const lines: Array<string> = []
  for (let index = 0, bytes = 0; bytes < ANSWER_BYTES; index++) {
    const line = `Line ${index} says **something** about \`value_${(index * 7919) % 10_007}\`, and no other line does.\n`
    bytes += line.length
    lines.push(index % 10 === 9 ? `${line}\n` : line)
  }
  return Array.from({ length: Math.ceil(lines.length / LINES_OF_CHUNK) }, (_, part) =>
    chunk(text(lines.slice(part * LINES_OF_CHUNK, (part + 1) * LINES_OF_CHUNK).join("")))
  )
}

const LINES_OF_CHUNK = 20
const ROUNDS = 5

/**
 * Tab after letters of a name, twice for the list, in a program that was just started and has to learn the names; then
 * once more, when it knows them. Ripgrep lists the same folder beside it.
 */
export const measureCompletion = async (subject: Subject): Promise<Measured> => {
  const program = await embeddedRipgrep()
  if (program === null) throw new Error("there is no ripgrep for this machine to compare with")
  const [first, later, listings]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
  for (let round = 0; round < ROUNDS; round++) {
    await using run = startLineRun(subject, [])
    await run.shows(INVITATION)
    first.push(await timeToList(run, "@module_17777\t\t"))
    later.push(await timeToList(run, "\t"))
    listings.push(await timeOfListing(program, subject.cwd))
  }
  return new Map([
    [FIRST_TAB, timed(median(first))],
    [LATER_TAB, timed(median(later))],
    [FILE_LISTING, timed(median(listings))]
  ])
}

const timeToList = async (run: LineRun, keys: string): Promise<number> => {
  const start = Bun.nanoseconds()
  run.type(keys)
  await run.shows("/module_17777.ts")
  return (Bun.nanoseconds() - start) / 1e6
}

const timeOfListing = async (program: string, cwd: string): Promise<number> => {
  const start = Bun.nanoseconds()
  const child = Bun.spawn([program, "--no-config", "--files", "."], { cwd, stdin: "ignore", stdout: "pipe" })
  await new Response(child.stdout).bytes()
  await child.exited
  return (Bun.nanoseconds() - start) / 1e6
}
