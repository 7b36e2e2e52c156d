/**
 * Which chunks a run really loads, and how many steps Effect's interpreter takes in it. The binary keeps its chunks inside,
 * so the same chunks are written out as files and run by Bun with a small observer that lists what was imported by the end.
 */
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { LoadedPath } from "./bench-report.ts"
import { bundle } from "./compile.ts"
import type { Program } from "./measure.ts"

export interface ObservedRun extends Pick<Program, "env" | "cwd"> {
  readonly path: string
  readonly args: ReadonlyArray<string>
}

export const observeLoading = async (
  scratch: string,
  define: Readonly<Record<string, string>>,
  runs: ReadonlyArray<ObservedRun>
): Promise<ReadonlyArray<LoadedPath>> => {
  const outdir = join(scratch, "chunks")
  await bundle({ entry: "src/main.ts", outdir, define })
  const observer = join(scratch, "observer.js")
  await writeFile(observer, OBSERVER)
  const sizes = new Map<string, number>()
  for (const name of await readdir(outdir)) {
    sizes.set(name, (await stat(join(outdir, name))).size)
    await countSteps(join(outdir, name))
  }

  const observed: Array<LoadedPath> = []
  for (const run of runs) {
    const list = join(scratch, "loaded.json")
    await listLoaded(["--preload", observer, join(outdir, "main.js"), ...run.args], run, list)
    const { loaded, steps }: Observed = await Bun.file(list).json()
    const chunks = loaded
      .filter((file) => file.startsWith(outdir))
      .map((file) => file.slice(outdir.length + 1))
      .map((name) => ({ name, bytes: sizes.get(name) ?? 0 }))
    observed.push({ path: run.path, chunks, steps })
  }
  return observed
}

/** The platform too: a plain bundle would look for the parts of every other one. */
export const constantsOf = (stamp: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...stamp,
  "process.platform": process.platform,
  "process.arch": process.arch
})

interface Observed {
  readonly loaded: ReadonlyArray<string>
  readonly steps: number
}

const OBSERVER = `globalThis.benchSteps = 0
process.on("exit", () => {
  const seen = { loaded: Object.keys(require.cache), steps: globalThis.benchSteps }
  require("node:fs").writeFileSync(process.env.BENCH_LOADED_LIST, JSON.stringify(seen))
})
`

/** The one place at which every effect is interpreted. */
const STEP = /return this\[(\w+)\._op\]\(\1\)/

const countSteps = async (file: string): Promise<void> => {
  if (!file.endsWith(".js")) return
  const text = await readFile(file, "utf8")
  const counting = text.replace(STEP, "return globalThis.benchSteps++,this[$1._op]($1)")
  if (counting !== text) await writeFile(file, counting)
}

const listLoaded = async (args: ReadonlyArray<string>, run: ObservedRun, list: string): Promise<void> => {
  const child = Bun.spawn([process.execPath, ...args], {
    env: { ...run.env, BENCH_LOADED_LIST: list },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    ...(run.cwd === undefined ? {} : { cwd: run.cwd })
  })
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  if (code !== 0) throw new Error(`${run.path} ended with ${code}: ${stderr}`)
}
