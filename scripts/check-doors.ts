/**
 * Fails when a file outside `src/system` starts a program or reaches the network by itself, or when one asks for the date
 * that nobody named: durations and limits have a clock of their own. Names the line.
 */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { clockFaults, goneClockRows } from "./lib/clocks.ts"
import { waysAround } from "./lib/doors.ts"

const root = resolve(import.meta.dir, "..")

const found: Array<string> = []
const files = new Set<string>()
for await (const file of new Bun.Glob("src/**/*.ts").scan({ cwd: root })) {
  if (file.endsWith(".test.ts")) continue
  files.add(file)
  const text = await readFile(resolve(root, file), "utf8")
  found.push(...clockFaults(file, text))
  if (file.startsWith("src/system/")) continue
  found.push(...waysAround(file, text).map(({ door, line, what }) => `${file}:${line}: ${what} goes around ${door}`))
}
found.push(...goneClockRows(files))

if (found.length > 0) process.stderr.write(`${found.toSorted().join("\n")}\n`)
process.exitCode = found.length === 0 ? 0 : 1
