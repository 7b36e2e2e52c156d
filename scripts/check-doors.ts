/** Fails when a file outside `src/system` starts a program or reaches the network by itself, and names the line. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { waysAround } from "./lib/doors.ts"

const root = resolve(import.meta.dir, "..")

const found: Array<string> = []
for await (const file of new Bun.Glob("src/**/*.ts").scan({ cwd: root })) {
  if (file.startsWith("src/system/") || file.endsWith(".test.ts")) continue
  const ways = waysAround(file, await readFile(resolve(root, file), "utf8"))
  found.push(...ways.map(({ door, line, what }) => `${file}:${line}: ${what} goes around ${door}`))
}

if (found.length > 0) process.stderr.write(`${found.toSorted().join("\n")}\n`)
process.exitCode = found.length === 0 ? 0 : 1
