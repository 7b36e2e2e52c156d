/** Fails when a setting is accepted and nobody reads it, or when its row denies the reader that it has. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { settingKeys, settingRow } from "../src/config/setting-table.ts"
import { readersIn, settingFaults } from "./lib/setting-readers.ts"

const root = resolve(import.meta.dir, "..")

const keys = new Set<string>()
const beginnings = new Set<string>()
for await (const file of new Bun.Glob("src/**/*.ts").scan(root)) {
  if (file.endsWith(".test.ts")) continue
  const readers = readersIn(file, await readFile(resolve(root, file), "utf8"))
  for (const key of readers.keys) keys.add(key)
  for (const start of readers.beginnings) beginnings.add(start)
}

const rows = settingKeys().map((key) => {
  const { need, unsupported } = settingRow(key)
  return { key, isForScreen: need === "tui", isUnsupported: unsupported !== undefined }
})
const faults = settingFaults(rows, { keys, beginnings })

if (faults.length > 0) process.stderr.write(`${faults.join("\n")}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
