/**
 * What a start costs, in counts that are the same on every machine and at every load: the code that is loaded, and the
 * steps of Effect's interpreter. `scripts/start-budget.json` says how much each path may cost; what lies more than 3 % above
 * fails, so that a slow start cannot slip in. Times are the business of `scripts/bench`.
 *
 *   bun scripts/check-start.ts            exit 1 where a path costs more than its budget
 *   bun scripts/check-start.ts --write    takes today's counts for budgets
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Schema } from "effect"
import { startModelServer } from "../test/kit/model-server.ts"
import { say } from "../test/kit/replies.ts"
import { constantsOf, observeLoading } from "./lib/loaded-chunks.ts"
import { overBudget, StartCosts } from "./lib/start-costs.ts"

const root = resolve(import.meta.dir, "..")
const BUDGET = join(root, "scripts/start-budget.json")

const PATHS: ReadonlyArray<{ readonly path: string; readonly args: ReadonlyArray<string> }> = [
  { path: "--version", args: ["--version"] },
  { path: "--help", args: ["--help"] },
  { path: "config get", args: ["config", "get", "general.maxAttempts"] },
  { path: "one-shot", args: ["-p", "hi", "-m", "scripted"] }
]

const counted = async (): Promise<StartCosts> => {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "gemini-start-")))
  await using server = await startModelServer(() => say("ok"))
  try {
    const home = join(scratch, "home")
    await mkdir(home)
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: home,
      LANG: "C.UTF-8",
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: server.url,
      GEMINI_CLI_TRUST_WORKSPACE: "true"
    }
    const run = () =>
      observeLoading(
        scratch,
        constantsOf({}),
        PATHS.map((path) => ({ ...path, env, cwd: home }))
      )
    // The first run in a home makes what the next ones find.
    await run()
    const observed = await run()
    return Object.fromEntries(
      observed.map(({ chunks, path, steps }) => [
        path,
        { kib: Math.round(chunks.reduce((sum, { bytes }) => sum + bytes, 0) / 102.4) / 10, steps }
      ])
    )
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

process.chdir(root)
// Every platform has code of its own; the budgets are those of Linux.
if (process.platform !== "linux") process.exit(0)
const now = await counted()
if (process.argv.includes("--write")) {
  await writeFile(BUDGET, `${JSON.stringify(now, null, 2)}\n`)
} else {
  const budget = Schema.decodeUnknownSync(StartCosts)(await Bun.file(BUDGET).json())
  const faults = overBudget(now, budget)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
