/**
 * A quick look at the beginning of a `SKILL.md`, for starts with hundreds of them: one small read, and no parser. Whatever
 * is not as plain as most of them is left to a real reading, faults included.
 */
import { closeSync, constants, openSync, readSync } from "node:fs"
import { Either, Option } from "effect"
import { errnoOf } from "../files/file-error.ts"
import { plainHead, splitFrontMatter } from "./front-matter.ts"
import { headOf, type SkillHead } from "./read-skill.ts"

export type Glance = "missing" | "unclear" | SkillHead

/** The files of many skills are looked at through the same few kilobytes. */
export const makeGlance = (): ((file: string) => Glance) => {
  const buffer = Buffer.alloc(4096)
  return (file) => {
    const text = beginningOf(file, buffer)
    if (text === undefined) return "missing"
    const end = text.indexOf("\n---", 3)
    const head = Option.flatMap(Either.getRight(splitFrontMatter(text.slice(0, end + 5))), ({ head: lines }) =>
      Option.flatMap(plainHead(lines), (values) => Either.getRight(headOf(values, lines)))
    )
    return Option.getOrElse(head, (): Glance => "unclear")
  }
}

/** Plain heads are ASCII, so that any byte stands for itself. Empty where it cannot be read: then nothing is clear. */
const beginningOf = (file: string, buffer: Buffer): string | undefined => {
  let descriptor: number | undefined
  try {
    // Not blocking: it may be a pipe that nobody writes to.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, buffer.length, 0))
  } catch (cause) {
    const code = errnoOf(cause)
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : ""
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
