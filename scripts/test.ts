/**
 * The whole test run: the checks of package.json, unit tests, the build, black-box tests. Every check counts as one test.
 * `--no-binary` stops before the build (`bun run check`). A part that fails does not stop the others: one run shows everything that is wrong.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { scripts } from "../package.json"
import { isGood, lineOf, NOTHING, sum, type Tally, tallyOf } from "./lib/tally.ts"

/** Every `check:` of package.json, in its order. The slowest stand first: they run side by side. */
const CHECKS = Object.keys(scripts).filter((name) => name.startsWith("check:"))

/** Tests start processes and wait for them: more files than cores keep the machine busy, and a hang has its own watchdog. */
const RUNNER = ["--only-failures", "--parallel=4", "--timeout=60000"]

const root = resolve(import.meta.dir, "..")

const main = async (): Promise<number> => {
  process.chdir(root)
  const scratch = await mkdtemp(join(tmpdir(), "gemini-tally-"))
  try {
    const parts: Array<Tally> = []
    parts.push(...(await inLanes(2, CHECKS, (name) => check(name, [process.execPath, "run", name]))))
    parts.push(await tests("unit tests", ["./src", "./scripts"], scratch))
    if (!process.argv.includes("--no-binary")) parts.push(...(await binary(scratch)))
    const total = sum(parts)
    say(lineOf(total))
    return isGood(total) ? 0 : 1
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const binary = async (scratch: string): Promise<ReadonlyArray<Tally>> => {
  const build = await check("build", [process.execPath, "scripts/build.ts"])
  return [build, isGood(build) ? await tests("black-box tests", ["./test"], scratch) : NOTHING]
}

/** Silent when it passes; otherwise everything that it said. */
const check = async (name: string, command: ReadonlyArray<string>): Promise<Tally> => {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  const passed = code === 0
  if (!passed) say(`${out}${err}`.trimEnd())
  say(`${passed ? "passed" : "FAILED"}  ${name}`)
  return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

const inLanes = async <A, B>(lanes: number, items: ReadonlyArray<A>, work: (item: A) => Promise<B>) => {
  const waiting = [...items]
  const done: Array<B> = []
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) done.push(await work(item))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return done
}

const tests = async (name: string, paths: ReadonlyArray<string>, scratch: string): Promise<Tally> => {
  const report = join(scratch, `${name.replaceAll(" ", "-")}.xml`)
  const child = Bun.spawn(
    [process.execPath, "test", ...RUNNER, "--reporter=junit", `--reporter-outfile=${report}`, ...paths],
    { stdin: "ignore", stdout: "inherit", stderr: "inherit" }
  )
  const exitCode = await child.exited
  const tally = tallyOf(await readFile(report, "utf8").catch(() => ""), exitCode)
  say(`${isGood(tally) ? "passed" : "FAILED"}  ${name}: ${lineOf(tally)}`)
  return tally
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

process.exitCode = await main()
