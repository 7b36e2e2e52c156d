/**
 * What failures say: one that was thrown, in a line, and the chain of reasons behind one, the outermost first. No
 * stack.
 */
import { Cause, Predicate } from "effect"

const DEEPEST = 8

export const causeChain = (cause: Cause.Cause<unknown>): string => {
  if (Cause.isInterruptedOnly(cause)) return "interrupted"
  const failures = [...Cause.failures(cause), ...Cause.defects(cause)]
  return failures.map((failure) => levelsOf(failure).join("; because ")).join(" | ")
}

const levelsOf = (failure: unknown): ReadonlyArray<string> => {
  const levels: Array<string> = []
  let level: unknown = failure
  for (let depth = 0; level !== undefined && level !== null && depth < DEEPEST; depth++) {
    const text = wordsOf(level)
    if (levels.at(-1) !== text) levels.push(text)
    level = Predicate.hasProperty(level, "cause") ? level.cause : undefined
  }
  return levels
}

const wordsOf = (level: unknown): string => {
  if (!(level instanceof Error)) return Predicate.hasProperty(level, "message") ? String(level.message) : String(level)
  const tag = Predicate.hasProperty(level, "_tag") ? String(level._tag) : level.name
  return level.message === "" ? tag : `${tag}: ${level.message}`
}

/** What a value that was thrown says, whatever it is. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
