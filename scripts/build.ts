/**
 * Builds the binary. A build appears whole or not at all: it is made beside its place and moved there.
 */
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import { type BuildJob, HELP, parseBuildOptions } from "./lib/build-options.ts"
import { type ChunkReport, chunksOf, loadedWith } from "./lib/chunks.ts"
import { compile } from "./lib/compile.ts"
import { runQuietly } from "./lib/run-quietly.ts"
import { definesOf, type Stamp, stampOf } from "./lib/stamp.ts"

const root = resolve(import.meta.dir, "..")

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const startedIn = process.cwd()
  const command = parseBuildOptions(argv)
  if (command._tag === "Help") return print(HELP)
  if (command._tag === "Wrong") return complain(`${command.message}\n\n${HELP}`)
  process.chdir(root)
  if (existsSync("scripts/generate.ts")) await runQuietly([process.execPath, "scripts/generate.ts"])
  if (command.jobs.some((job) => job.target !== undefined)) await fetchSearchPrograms()
  const stamp = await stampOf(root)
  for (const job of command.jobs) {
    const base = job.isChosen ? startedIn : root
    await build({ ...job, outfile: resolve(base, job.outfile) }, stamp)
  }
  return 0
}

const build = async (job: BuildJob, stamp: Stamp): Promise<void> => {
  await mkdir(dirname(job.outfile), { recursive: true })
  const scratch = await mkdtemp(join(dirname(job.outfile), ".build-"))
  const startedAt = new Date()
  try {
    const binary = join(scratch, job.outfile.endsWith(".exe") ? "gemini.exe" : "gemini")
    const metafile = join(scratch, "meta.json")
    const target = job.target === undefined ? {} : { target: `bun-${job.target}` }
    await compile({
      entry: "src/main.ts",
      outfile: binary,
      metafile,
      order: "scripts/start-order.txt",
      define: definesOf(stamp, job.target),
      ...target
    })
    const report: ChunkReport = { ...stamp, chunks: chunksOf(await readFile(metafile, "utf8")) }
    await chmod(binary, 0o755)
    // A source that changes while the build runs must count as newer than its result.
    await utimes(binary, startedAt, startedAt)
    if (job.target === undefined)
      await replaceFile(join(dirname(job.outfile), "chunks.json"), JSON.stringify(report, null, 2))
    await rename(binary, job.outfile)
    print(
      `${job.isChosen ? job.outfile : relative(root, job.outfile)}  ${stamp.version} (${stamp.commit})  ${summary(report)}\n`
    )
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Each binary holds the search program of its own machine, and packages for other machines are left out by an everyday
 * installation. Asking again is cheap when all of them are there.
 */
const fetchSearchPrograms = (): Promise<string> =>
  runQuietly([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--os=*", "--cpu=*"])

const summary = ({ chunks }: ChunkReport): string => {
  const start = loadedWith(chunks, "src/main.ts").reduce((sum, chunk) => sum + chunk.bytes, 0)
  const all = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
  return `${chunks.length} chunks, ${kib(all)}; ${kib(start)} at start`
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

const replaceFile = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}

const print = (text: string): number => {
  process.stdout.write(text)
  return 0
}

const complain = (text: string): number => {
  process.stderr.write(`error: ${text}`)
  return 1
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) =>
  complain(`${error instanceof Error ? error.message : String(error)}\n`)
)
