/**
 * Builds the binary. One set of flags for every target: splitting and bytecode make the start cheap, and the two
 * `no-compile-autoload` flags keep the folder in which a user starts it from running code of its own.
 *
 * A build appears whole or not at all: it is made beside its place and moved there.
 */
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import { type BuildJob, HELP, parseBuildOptions } from "./lib/build-options.ts"
import { type ChunkReport, chunksOf, loadedWith } from "./lib/chunks.ts"

/** The flags of every compiled program of this project; the bench builds its baseline with the same ones. */
export const COMPILE_FLAGS = [
  "--compile",
  "--minify",
  "--bytecode",
  "--splitting",
  "--format=esm",
  "--no-compile-autoload-bunfig",
  "--no-compile-autoload-dotenv"
] as const

const root = resolve(import.meta.dir, "..")

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const command = parseBuildOptions(argv)
  if (command._tag === "Help") return print(HELP)
  if (command._tag === "Wrong") return complain(`${command.message}\n\n${HELP}`)
  process.chdir(root)
  if (existsSync("scripts/generate.ts")) await run([process.execPath, "scripts/generate.ts"])
  const stamp = { version: await versionOf(), commit: await commitOf() }
  for (const job of command.jobs) await build(job, stamp)
  return 0
}

const build = async (job: BuildJob, stamp: Pick<ChunkReport, "version" | "commit">): Promise<void> => {
  const outfile = resolve(job.outfile)
  await mkdir(dirname(outfile), { recursive: true })
  const scratch = await mkdtemp(join(dirname(outfile), ".build-"))
  const startedAt = new Date()
  try {
    const binary = join(scratch, outfile.endsWith(".exe") ? "gemini.exe" : "gemini")
    const metafile = join(scratch, "meta.json")
    await run([
      process.execPath,
      "build",
      ...COMPILE_FLAGS,
      ...(job.target === undefined ? [] : [`--target=bun-${job.target}`]),
      `--define=GEMINI_VERSION=${JSON.stringify(stamp.version)}`,
      `--define=GEMINI_COMMIT=${JSON.stringify(stamp.commit)}`,
      `--metafile=${metafile}`,
      `--outfile=${binary}`,
      "src/main.ts"
    ])
    const report: ChunkReport = { ...stamp, chunks: chunksOf(await readFile(metafile, "utf8")) }
    await chmod(binary, 0o755)
    // A source that changes while the build runs must count as newer than its result.
    await utimes(binary, startedAt, startedAt)
    if (job.target === undefined)
      await replaceFile(join(dirname(outfile), "chunks.json"), JSON.stringify(report, null, 2))
    await rename(binary, outfile)
    print(`${relative(root, outfile)}  ${stamp.version} (${stamp.commit})  ${summary(report)}\n`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const summary = ({ chunks }: ChunkReport): string => {
  const start = loadedWith(chunks, "src/main.ts").reduce((sum, chunk) => sum + chunk.bytes, 0)
  const all = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
  return `${chunks.length} chunks, ${kib(all)}; ${kib(start)} at start`
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

const versionOf = async (): Promise<string> => {
  const manifest: unknown = await Bun.file("package.json").json()
  const version = manifest instanceof Object && "version" in manifest ? manifest.version : undefined
  if (typeof version !== "string") throw new Error("package.json has no version")
  return version
}

/** `unknown` outside a git checkout, without git, and before the first commit. */
const commitOf = async (): Promise<string> => {
  try {
    const git = Bun.spawn(["git", "rev-parse", "--short=12", "HEAD"], { stdout: "pipe", stderr: "ignore" })
    const text = (await new Response(git.stdout).text()).trim()
    return (await git.exited) === 0 && /^[0-9a-f]+$/.test(text) ? text : "unknown"
  } catch {
    return "unknown"
  }
}

const run = async (command: ReadonlyArray<string>): Promise<void> => {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}\n${out}${err}`)
}

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

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) =>
    complain(`${error instanceof Error ? error.message : String(error)}\n`)
  )
}
