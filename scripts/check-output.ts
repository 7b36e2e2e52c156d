/**
 * Nothing but the edge writes to standard output and error: whatever reaches a terminal has passed the cleaner, because
 * there is no other way for it. A new way is an entry here, with the reason why nothing of others can go through it.
 */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { outputWays } from "./lib/output-ways.ts"

const EDGE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "src/main.ts": {
    "Bun.stdout": "the version and the help text, which are ours",
    "console.error": "why these two could not be written, or a sandbox not be set up, in the system's words"
  },
  "src/system/http/command-bridge.ts": {
    'stdout: "inherit"': "it stands in front of a command inside a sandbox, whose outputs are read by a run",
    'stderr: "inherit"': "the same"
  },
  "src/sandbox/process/run-inside.ts": {
    'stdout: "inherit"': "this very program, inside, which cleans what it says",
    'stderr: "inherit"': "the same"
  },
  "src/system/programs.ts": {
    'stderr: "inherit"': "an engine of containers, which a person waits for: how far it is with an image"
  },
  "src/output/stdout.ts": { "Bun.stdout": "the edge: cleans what a terminal gets" },
  "src/output/stderr.ts": { "Bun.stderr": "the edge: cleans everything", "process.stderr": "the same, at once" },
  "src/output/text-writer.ts": { writeUnchanged: "pieces of an answer, cleaned as a stream" },
  "src/app/line/terminal.ts": { writeUnchanged: "what the screen of line mode has cleaned and composed" },
  "src/repl/terminal/terminal-device.ts": { "writeSync(1)": "two fixed sequences: bracketed paste on and off" },
  "src/cli/fixtures/read-stdin.ts": { "process.stdout": "a program of the tests" }
}

const root = resolve(import.meta.dir, "..")

const faults: Array<string> = []
const unused = new Map(Object.entries(EDGE).map(([file, ways]) => [file, new Set(Object.keys(ways))]))
for await (const file of new Bun.Glob("src/**/*.ts").scan(root)) {
  if (file.endsWith(".test.ts")) continue
  for (const { line, what } of outputWays(file, await readFile(resolve(root, file), "utf8"))) {
    unused.get(file)?.delete(what)
    if (EDGE[file]?.[what] === undefined) faults.push(`${file}:${line}: ${what} writes past the cleaner`)
  }
}
for (const [file, ways] of unused) for (const what of ways) faults.push(`${file}: ${what} is not used any more`)

if (faults.length > 0) {
  process.stderr.write(`${faults.sort().join("\n")}\nUse Stdout or Stderr of src/output, or Screen of src/repl.\n`)
  process.exitCode = 1
}
