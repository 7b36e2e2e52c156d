/**
 * The budgets of the project as ratios, all measured in this one run: our binary against a compiled `console.log` and
 * the barest program that asks a model, built with the same flags, and with `--reference` against the Node-based CLI, on the same scripted model.
 */
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Google, startGoogle } from "../test/kit/google.ts"
import { startModelServer } from "../test/kit/model-server.ts"
import { say } from "../test/kit/replies.ts"
import { GROUPS, groupUsage } from "./lib/bench-groups.ts"
import { knownOf, loadedTable, type RowResult, resultsOf, tableOf } from "./lib/bench-report.ts"
import {
  BARE_RUN,
  BASELINE,
  DOCTOR,
  HELP,
  ONE_SHOT,
  REFERENCE_ROWS,
  ROWS,
  SIGNED_IN,
  VERSION
} from "./lib/bench-rows.ts"
import { compile } from "./lib/compile.ts"
import { constantsOf, observeLoading } from "./lib/loaded-chunks.ts"
import { measureAll, type Program } from "./lib/measure.ts"
import { measurePeers } from "./lib/peers.ts"
import { referencePrograms } from "./lib/reference.ts"
import { runQuietly } from "./lib/run-quietly.ts"
import { definesOf, stampOf } from "./lib/stamp.ts"

const USAGE = `usage: scripts/bench [--runs N] [--GROUP ...] [--reference] [--peers] [--check] [--json]

  --runs N      timed rounds (default 20); every program runs once in each
${groupUsage}
  --reference   also measure the Node-based Gemini CLI, installed from the registry into a temporary folder
  --peers       also measure codex, qwen and pi, installed likewise, on a stand-in for their model
  --check       exit 1 when a budget is not met
  --json        a JSON document in place of the tables
`

const root = resolve(import.meta.dir, "..")
const BINARY = join(root, "dist/gemini")
const ONE_SHOT_ARGS = ["-p", "hi", "-m", "scripted"]

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "20" },
      ...Object.fromEntries(GROUPS.map(({ flag }) => [flag, { type: "boolean", default: false } as const])),
      reference: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false }
    }
  })
  if (values.help) return print(USAGE)
  const timed = Number(values.runs)
  if (!Number.isInteger(timed) || timed < 1) throw new Error(`--runs needs a number of at least 1, not ${values.runs}`)

  process.chdir(root)
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "gemini-bench-")))
  await using server = await startModelServer(() => say("ok"))
  using google = startGoogle({ says: [say("ok")] })
  try {
    const env = await environment(scratch, server.url)
    const programs = [
      ...(await ownPrograms(scratch, env)),
      await signedInProgram(scratch, google),
      ...(values.reference ? await referencePrograms(scratch, env) : [])
    ]
    warnIfBusy()
    const loaded = await observeLoading(scratch, constantsOf(definesOf(await stampOf(root), undefined)), [
      { path: VERSION, args: ["--version"], env, cwd: scratch },
      { path: HELP, args: ["--help"], env, cwd: scratch },
      { path: ONE_SHOT, args: ONE_SHOT_ARGS, env, cwd: scratch }
    ])
    const wanted = GROUPS.filter(({ flag }) => (values as Record<string, unknown>)[flag] === true)
    const measured = new Map(await measureAll(programs, { timed, weighed: Math.min(timed, 5) }))
    for (const { measure } of wanted) {
      const found = await measure({ binary: BINARY, env, scratch, rounds: timed, onPart: announce })
      for (const [name, sample] of found) measured.set(name, sample)
    }
    const beside = programs.filter(({ name }) => name === BARE_RUN || name === ONE_SHOT)
    const peers = values.peers ? await measurePeers({ scratch, rounds: timed, beside, onPart: announce }) : undefined
    for (const [name, sample] of peers?.measured ?? []) measured.set(name, sample)
    const chosen = [
      ...ROWS,
      ...wanted.flatMap((group) => group.rows),
      ...(values.reference ? REFERENCE_ROWS : []),
      ...(peers?.rows ?? [])
    ]
    const rows = resultsOf(chosen, measured)
    if (values.json) print(`${JSON.stringify({ measured: Object.fromEntries(measured), rows, loaded }, null, 2)}\n`)
    else print(`${tableOf(rows)}${knownOf(rows)}\n${loadedTable(loaded)}`)
    return values.check && rows.some(isOver) ? 1 : 0
  } finally {
    // Bun's own `rm` says that it is done and leaves part of a folder with hundreds of thousands of files.
    await runQuietly(["rm", "-rf", scratch])
  }
}

/** A clean home in a clean folder, and the scripted model. */
const environment = async (
  scratch: string,
  baseUrl: string,
  home = join(scratch, "home")
): Promise<Record<string, string>> => {
  await mkdir(home, { recursive: true })
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    LANG: "C.UTF-8",
    GEMINI_API_KEY: "bench",
    GOOGLE_GEMINI_BASE_URL: baseUrl,
    GEMINI_CLI_TRUST_WORKSPACE: "true"
  }
}

const ownPrograms = async (scratch: string, env: Record<string, string>): Promise<ReadonlyArray<Program>> => {
  const source = join(scratch, "baseline.ts")
  const baseline = join(scratch, "baseline")
  await writeFile(source, 'console.log("0.0.0")\n')
  await compile({ entry: source, outfile: baseline })
  const bareRun = join(scratch, "bare-run")
  await compile({ entry: join(root, "scripts/bench-bare-run.ts"), outfile: bareRun })
  const common = { env, cwd: scratch }
  return [
    { name: BASELINE, command: [baseline], ...common },
    { name: BARE_RUN, command: [bareRun], ...common },
    { name: VERSION, command: [BINARY, "--version"], ...common },
    { name: HELP, command: [BINARY, "--help"], ...common },
    { name: ONE_SHOT, command: [BINARY, ...ONE_SHOT_ARGS], ...common },
    { name: DOCTOR, command: [BINARY, "doctor"], ...common }
  ]
}

/** With a home of its own, in which a sign-in is kept; what the server says of the account is kept by the first run. */
const signedInProgram = async (scratch: string, google: Google): Promise<Program> => {
  const home = join(scratch, "home-signed-in")
  await mkdir(join(home, ".gemini"), { recursive: true, mode: 0o700 })
  await writeFile(join(home, ".gemini/oauth_creds.json"), google.signedIn(), { mode: 0o600 })
  const { GOOGLE_GEMINI_BASE_URL: _, GEMINI_API_KEY: __, ...env } = await environment(scratch, "", home)
  return { name: SIGNED_IN, command: [BINARY, ...ONE_SHOT_ARGS], env: { ...env, ...google.env }, cwd: scratch }
}

/** A long run loses the processor more often than a short one: on a busy machine its ratio comes out too high. */
const warnIfBusy = (): void => {
  const [load = 0] = loadavg()
  const cores = availableParallelism()
  if (load <= cores) return
  process.stderr.write(`warning: load ${load.toFixed(1)} on ${cores} cores; measure again when the machine is quiet\n`)
}

/** These parts take long; a person who waits sees which one it is. */
const announce = (part: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`measuring: ${part}\n`)
}

const isOver = (row: RowResult): boolean => row.isWithin === false

const print = (text: string): number => {
  process.stdout.write(text)
  return 0
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  return 1
})
