/**
 * Looks for lines that run unasked and do what they must not: `bun scripts/fuzz-shell.ts --lines 1000000`. The same seed
 * makes the same lines; a run that was ended goes on where it stopped when it is given the same `--state`. With `--reader`
 * the reading of plain bash is compared with bash and sh themselves, which needs no decision. Exits with 1 on a failure.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Chance } from "./lib/fuzz/chance.ts"
import { canContain } from "./lib/fuzz/contained.ts"
import type { Failure, FuzzProgress } from "./lib/fuzz/fuzz-run.ts"
import { canFuzz, fuzzShell } from "./lib/fuzz/fuzz-session.ts"
import { checkReading, readerLine } from "./lib/fuzz/reader-check.ts"
import { RecordingShell } from "./lib/fuzz/recording-shell.ts"

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    lanes: { type: "string", default: "2" },
    /** The name of the only surroundings to look at. */
    in: { type: "string" },
    /** A file that keeps how far the run is, and what it has found. */
    state: { type: "string" },
    reader: { type: "boolean", default: false }
  }
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const [seed, lines, lanes] = [Number(values.seed), Number(values.lines), Number(values.lanes)]

const kept = (): { readonly seed: number; readonly done: number } | undefined => {
  const file = values.state
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
}

const began = performance.now()

const showProgress = ({ allowed, done, failures, ran }: FuzzProgress): void => {
  const found = failures.map(describe)
  if (values.state !== undefined)
    writeFileSync(values.state, JSON.stringify({ seed, done, allowed, ran, failures: found }, undefined, 1))
  if (!process.stderr.isTTY) return
  const perSecond = Math.round((done - start) / ((performance.now() - began) / 1000))
  process.stderr.write(
    `\r${done} of ${lines} lines, ${perSecond} a second; ${allowed} allowed, ${ran} run, ${failures.length} failures `
  )
}

const describe = ({ faults, from, line, reason, surroundings }: Failure): string =>
  [`${surroundings}: ${JSON.stringify(line)}`, `  allowed: ${reason}`, `  made from: ${JSON.stringify(from)}`]
    .concat(faults.slice(0, 5).map((fault) => `  ${fault}`))
    .join("\n")

const resumed = kept()
const start = resumed?.seed === seed ? resumed.done : Number(values.from)

const fuzzReader = async (): Promise<number> => {
  const scratch = mkdtempSync(join(tmpdir(), "fuzz-reader-"))
  const shell = new RecordingShell(scratch)
  let [compared, failed] = [0, 0]
  try {
    for (let at = start; at < lines; at += 1000) {
      const dialect = (at / 1000) % 3 === 2 ? "sh" : "bash"
      const made = Array.from({ length: Math.min(1000, lines - at) }, (_, index) =>
        readerLine(new Chance(seed, at + index))
      )
      const { misreadings, plain } = await checkReading(made, dialect, shell)
      compared += plain
      failed += misreadings.length
      for (const { line, what } of misreadings) say(`${dialect}: ${JSON.stringify(line)}\n  ${what}`)
      showProgress({ done: at + made.length, allowed: compared, ran: compared, failures: [] })
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  say(`${compared} of ${lines - start} lines were plain, ${failed} were misread`)
  return failed
}

const fuzzDecision = async (): Promise<number> => {
  const request = { seed, from: start, to: lines, lanes, onProgress: showProgress }
  const { allowed, endless, failures, ran } = await fuzzShell(request, values.in)
  if (process.stderr.isTTY) process.stderr.write("\n")
  for (const failure of failures) say(describe(failure))
  for (const line of endless) say(`never ended: ${JSON.stringify(line)}`)
  say(`${lines - start} lines, ${allowed} allowed, ${ran} run, ${failures.length} failures`)
  return failures.length
}

if (!(values.reader ? canContain() : canFuzz())) {
  process.stderr.write("error: this needs bwrap and strace, and a system that lets them work\n")
  process.exitCode = 2
} else {
  process.exitCode = (values.reader ? await fuzzReader() : await fuzzDecision()) === 0 ? 0 : 1
}
