/**
 * Undo in a folder with 100,000 files, through the binary: runs that change one file, a thousand, and all of them are
 * taken back, and the tree must be as it was. Prints how long each step took; exits with 1 when something differs.
 */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startModelServer } from "../test/kit/model-server.ts"
import { scriptOf, tool } from "../test/kit/tool-run.ts"
import { fingerprintOf } from "../test/kit/undo-room.ts"
import { runQuietly } from "./lib/run-quietly.ts"

const BINARY = resolve(import.meta.dir, "../dist/gemini")
const FILES = 100_000
const FILES_PER_FOLDER = 100

const RUNS: ReadonlyArray<readonly [name: string, command: string]> = [
  ["one file", "echo more >> part_7/file_700"],
  ["1,000 files", "sed -i s/file/FILE/ part_[0-9]/*; chmod 600 part_1?/*; rm -r part_20; mv part_30 moved"],
  ["all files", "rm -rf part_*"]
]

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "soak-undo-")))
const [home, work] = [join(scratch, "home"), join(scratch, "work")]

const growTree = (): void => {
  mkdirSync(home)
  for (let index = 0; index < FILES; index++) {
    const folder = join(work, `part_${Math.floor(index / FILES_PER_FOLDER)}`)
    if (index % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file_${index}`), `this is file ${index}\n`.repeat(1 + (index % 50)))
  }
}

const gemini = async (args: ReadonlyArray<string>, command: string): Promise<void> => {
  await using server = await startModelServer(scriptOf(tool("run_shell_command", { command })))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    GEMINI_API_KEY: "soak",
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GOOGLE_GEMINI_BASE_URL: server.url
  }
  await runQuietly([BINARY, ...args], { cwd: work, env })
}

const timed = async (what: string, step: () => Promise<void>): Promise<void> => {
  const start = performance.now()
  await step()
  process.stdout.write(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`)
}

try {
  growTree()
  const before = Bun.hash(fingerprintOf(work).join("\n"))
  for (const [name, command] of RUNS) {
    await timed(`run that changes ${name}`, () => gemini(["-p", "go", "-m", "scripted", "--yolo"], command))
    if (Bun.hash(fingerprintOf(work).join("\n")) === before)
      throw new Error(`the run that changes ${name} changed nothing`)
    await timed(`undo of ${name}`, () => gemini(["undo", "--yes"], ""))
    if (Bun.hash(fingerprintOf(work).join("\n")) !== before) throw new Error(`${name}: the tree is not as it was`)
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await runQuietly(["rm", "-rf", scratch])
}
