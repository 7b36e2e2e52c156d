/**
 * Adds an approval to `auto-saved.toml`, or brings the entry that is already there up to date.
 *
 * Only the lines of that entry change: comments and entries of the user stay as they are. A file that is no TOML any
 * more is kept beside as `.bak` and a new one begun, since the approval would otherwise be lost at every start.
 */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Either, Predicate } from "effect"
import { parse } from "smol-toml"
import { writeAtomically } from "../files/atomic-write.ts"
import { fromSystem } from "../files/file-error.ts"
import { realPathOf } from "../files/real-path.ts"
import { setFileMode } from "../system/file-mode.ts"
import { type SavedEntry, savedEntry, savedText } from "./always.ts"
import type { PolicyRule } from "./rule.ts"
import { headerLines } from "./toml-lines.ts"

export const saveApproval = Effect.fn("Policy.saveApproval")(function* (
  file: string,
  rules: ReadonlyArray<PolicyRule>
) {
  const target = yield* Effect.try({
    try: () => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      return realPathOf(file)
    },
    catch: (cause) => fromSystem("write", file, cause)
  })
  const before = yield* Effect.try({
    try: () => (existsSync(target) ? readFileSync(target) : Buffer.from("")),
    catch: (cause) => fromSystem("read", target, cause)
  })
  const present = before.toString()
  const isBroken = Either.isLeft(Either.try(() => parse(present)))
  if (isBroken) yield* writeAtomically(`${target}.bak`, before, { mode: 0o600 })
  const text = withEntry(isBroken ? "" : present, rules)
  // The mode of an existing file is kept by the write, so it is tightened first. What is no file the write refuses.
  yield* Effect.try({
    try: () => statSync(target, { throwIfNoEntry: false })?.isFile() === true && setFileMode(target, 0o600),
    catch: (cause) => fromSystem("write", target, cause)
  })
  yield* writeAtomically(target, Buffer.from(text), { mode: 0o600 })
  return target
})

/** Pure: the new content of the file. */
export const withEntry = (present: string, rules: ReadonlyArray<PolicyRule>): string => {
  const wanted = savedEntry(rules)
  const entries: unknown = parse(present).rule
  const index = Array.isArray(entries) ? entries.findIndex((entry) => isSameEntry(entry, wanted)) : -1
  const start = index === -1 ? undefined : headerLines(present, "rule")[index]
  if (start === undefined) {
    const separator = present === "" ? "" : present.endsWith("\n\n") ? "" : present.endsWith("\n") ? "\n" : "\n\n"
    return present + separator + savedText(rules)
  }
  const lines = present.split("\n")
  const next = lines.findIndex((line, at) => at >= start && /^\s*\[/.test(line))
  const rest = next === -1 ? [] : lines.slice(next)
  return [...lines.slice(0, start - 1), ...savedText(rules).split("\n"), ...rest].join("\n")
}

const isSameEntry = (entry: unknown, wanted: SavedEntry): boolean =>
  Predicate.isRecord(entry) &&
  entry.toolName === wanted.toolName &&
  entry.mcpName === wanted.mcpName &&
  entry.argsPattern === wanted.argsPattern &&
  JSON.stringify(listOf(entry.hosts)) === JSON.stringify(wanted.hosts) &&
  JSON.stringify(listOf(entry.commandPrefix)) === JSON.stringify(wanted.commandPrefix)

const listOf = (value: unknown): unknown => (typeof value === "string" ? [value] : value)
