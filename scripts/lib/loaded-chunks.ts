/**
 * Which chunks a run really loads. The binary keeps its chunks inside, so the same chunks are written out as files and run
 * by Bun with a small observer that lists what was imported by the end.
 */
import { readdir, stat, writeFile } from "node:fs/promises"
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
  for (const name of await readdir(outdir)) sizes.set(name, (await stat(join(outdir, name))).size)

  const observed: Array<LoadedPath> = []
  for (const run of runs) {
    const list = join(scratch, "loaded.json")
    await listLoaded(["--preload", observer, join(outdir, "main.js"), ...run.args], run, list)
    const loaded: ReadonlyArray<string> = await Bun.file(list).json()
    const chunks = loaded
      .filter((file) => file.startsWith(outdir))
      .map((file) => file.slice(outdir.length + 1))
      .map((name) => ({ name, bytes: sizes.get(name) ?? 0 }))
    observed.push({ path: run.path, chunks })
  }
  return observed
}

const OBSERVER = `process.on("exit", () => {
  require("node:fs").writeFileSync(process.env.BENCH_LOADED_LIST, JSON.stringify(Object.keys(require.cache)))
})
`

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
