/**
 * Fails when `src/app` is more than the place where rooms are put together: `compose.ts` reads no setting and stays a
 * picture of about one screen, and what belongs to a room stays there.
 */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"

const root = resolve(import.meta.dir, "..")
const COMPOSE = "src/app/compose.ts"
const MAX_IMPORTS = 30
const MAX_FILES = 26

const faults: Array<string> = []

const text = await readFile(resolve(root, COMPOSE), "utf8")
const imports = text.match(/^import /gm)?.length ?? 0
if (imports > MAX_IMPORTS) faults.push(`${COMPOSE}: ${imports} imports; at most ${MAX_IMPORTS} make a picture`)
for (const [index, line] of text.split("\n").entries()) {
  if (/\bsettings\b/.test(line))
    faults.push(`${COMPOSE}:${index + 1}: settings are read in the from-config.ts of a room`)
}

const files: Array<string> = []
for await (const file of new Bun.Glob("src/app/**/*.ts").scan({ cwd: root })) {
  if (!file.endsWith(".test.ts")) files.push(file)
}
if (files.length > MAX_FILES)
  faults.push(`src/app: ${files.length} files; what a room can do itself belongs to the room`)

if (faults.length > 0) process.stderr.write(`${faults.join("\n")}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
