/**
 * What a person agrees to when they confirm a hook of a project: when it runs, the command, its variables and time,
 * whether it may fail, and the content of the project's files that it runs. Any change makes another fingerprint.
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import type { Places } from "./command-text.ts"
import type { Hook } from "./hook.ts"
import { runFiles } from "./run-files.ts"

export const fingerprintOf = (hook: Hook, project: string): string => {
  const hash = new Bun.CryptoHasher("sha256")
  const env = Object.entries(hook.env).toSorted(([one], [other]) => (one < other ? -1 : 1))
  hash.update(JSON.stringify([hook.event, hook.matcher ?? "", hook.command, env, hook.timeoutMs, hook.failsClosed]))
  for (const file of runFiles(hook.command, placesIn(project), project)) {
    hash.update(`\0${relative(project, file)}\0`)
    hash.update(contentOf(file))
  }
  return `sha256:${hash.digest("hex")}`
}

/** Those that are the same in every session. */
const placesIn = (project: string): Places => ({
  GEMINI_PROJECT_DIR: project,
  GEMINI_CWD: project,
  CLAUDE_PROJECT_DIR: project
})

/** One that cannot be read is not the one that could. */
const contentOf = (file: string): Uint8Array | string => {
  try {
    return readFileSync(file)
  } catch {
    return "unreadable"
  }
}
