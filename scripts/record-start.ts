/**
 * Writes `scripts/start-order.txt`: what a start of the program touches, by the program's own account. The build lays that
 * out side by side, which saves several MiB of pages and the time to read them. The list is kept rather than recorded by
 * every build, so that the same sources give the same bytes; a function that has changed since is laid out like all others.
 *
 *   bun scripts/record-start.ts            writes it; worth doing before a release
 *   bun scripts/record-start.ts --check    exit 1 where it knows too little of today's start
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startModelServer } from "../test/kit/model-server.ts"
import { ask, call, type Reply, say } from "../test/kit/replies.ts"
import { compile } from "./lib/compile.ts"
import { runQuietly } from "./lib/run-quietly.ts"
import { definesOf, stampOf } from "./lib/stamp.ts"

const root = resolve(import.meta.dir, "..")
const LIST = join(root, "scripts/start-order.txt")

/** What most starts are: a prompt that is answered at once, and one for which the model calls a tool. */
const STARTS: ReadonlyArray<ReadonlyArray<Reply>> = [
  [say("ok")],
  [ask(call("list_directory", { dir_path: "." })), say("ok")]
]

/** What happens in one run and not in the next is still worth a place. */
const ROUNDS = 3

/** Of a record: functions, modules and their names. Constants and texts follow where they are used. */
const WORTH_KEEPING = /^[FMN] /

/** Below this share of known functions the list is too old. */
const ENOUGH = 0.8

const recorded = async (): Promise<ReadonlyArray<string>> => {
  const folder = await mkdtemp(join(tmpdir(), "gemini-start-"))
  try {
    const program = join(folder, "gemini")
    await compile({ entry: "src/main.ts", outfile: program, define: definesOf(await stampOf(root), undefined) })
    const seen = new Set<string>()
    for (const [index, script] of Array.from({ length: ROUNDS }, () => STARTS)
      .flat()
      .entries()) {
      await using server = await startModelServer(script)
      const file = join(folder, `order-${index}`)
      await runQuietly([program, "-p", "hi", "-m", "recorded", "--skip-trust"], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          GEMINI_API_KEY: "none",
          GOOGLE_GEMINI_BASE_URL: server.url,
          BUN_BYTECODE_ORDER_OUT: file
        }
      })
      for (const line of (await readFile(file, "utf8")).split("\n")) if (WORTH_KEEPING.test(line)) seen.add(line)
    }
    return [...seen].toSorted()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

process.chdir(root)
const now = await recorded()
if (process.argv.includes("--check")) {
  const known = new Set((await readFile(LIST, "utf8")).split("\n"))
  const share = now.filter((line) => known.has(line)).length / now.length
  process.stdout.write(`${Math.round(share * 100)} % of ${now.length} are known\n`)
  if (share < ENOUGH) {
    process.stderr.write("error: scripts/start-order.txt is too old: bun scripts/record-start.ts writes it anew\n")
    process.exitCode = 1
  }
} else {
  await writeFile(LIST, `${["v2", ...now].join("\n")}\n`)
  process.stdout.write(`${now.length} lines\n`)
}
