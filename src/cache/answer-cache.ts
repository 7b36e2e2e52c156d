/**
 * Answers that are kept: one file a question, named by a hash of everything that was known before the model was asked,
 * with marks of the files that the run read. A file that is damaged, or of another version, is as if it were not there, and
 * so is one that somebody else made: a folder of answers may come with a repository, and would answer for the model.
 */
import { createHash, createHmac, randomBytes } from "node:crypto"
import { linkSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { version } from "../kernel/version.ts"
import { ProtocolEvent } from "../protocol/event.ts"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { readRegularFile, statOrNone } from "../system/regular-file.ts"
import { difference, type SourceMark } from "./file-marks.ts"

export interface KeptAnswer {
  readonly cache: 1
  readonly tool: string
  /** Of the question; the name of the file. */
  readonly key: string
  /** When it was kept: ISO 8601. */
  readonly kept: string
  /** For people: the beginning of the prompt, the model, the folder. */
  readonly prompt: string
  readonly model: string
  readonly cwd: string
  readonly files: ReadonlyArray<SourceMark>
  /** What was told of the run, but for what it cost. */
  readonly events: ReadonlyArray<ProtocolEvent>
}

export type CacheLookup =
  | { readonly _tag: "Hit"; readonly answer: KeptAnswer }
  /** `why`: the end of a sentence for people. */
  | { readonly _tag: "Miss"; readonly why: string }

/** `question`: whatever the answer depends on, in one order. */
export const keyOf = (question: unknown): string => digest(JSON.stringify([version, question])).slice(0, KEY_LENGTH)

const KEY_LENGTH = 40
const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

const MAX_BYTES = 64 * 1024 * 1024

/** Where answers lie, and what they are sealed with: `undefined` is the seal of nobody. */
export interface AnswerPlace {
  readonly folder: string
  readonly seal: string | undefined
}

/** The secret that whoever kept an answer had: of a variable, for machines that share them, or of this account. */
export const sealOf = (
  userDir: string,
  given: string | undefined,
  { makesOne }: { readonly makesOne: boolean }
): string | undefined => {
  if (given !== undefined && given !== "") return given
  const file = join(userDir, "cache.key")
  const known = readSeal(file)
  if (known !== undefined || !makesOne) return known
  const made = `${file}.${process.pid}`
  try {
    mkdirSync(userDir, { recursive: true, mode: 0o700 })
    writeFileSync(made, randomBytes(32).toString("hex"), { mode: 0o600 })
    // Whole or not at all, and of several processes the first.
    linkSync(made, file)
  } catch {
    // Another process was quicker, or nothing can be written there.
  }
  rmSync(made, { force: true })
  return readSeal(file)
}

const readSeal = (file: string): string | undefined => {
  const content = readRegularFile(file, 1024)
  return content.kind === "text" && content.text.length >= 64 ? content.text : undefined
}

const sealed = (text: string, seal: string): string => createHmac("sha256", seal).update(text).digest("hex")

export const lookUp = ({ folder, seal }: AnswerPlace, key: string): CacheLookup => {
  const answer = readAnswer(join(folder, `${key}.json`), seal)
  if (answer === "none") return { _tag: "Miss", why: "nothing was kept for this question" }
  if (answer === "damaged" || answer.key !== key)
    return { _tag: "Miss", why: "what is there is damaged, or was not kept by you" }
  for (const mark of answer.files) {
    const how = difference(mark)
    if (how !== undefined) return { _tag: "Miss", why: `${mark.path} ${how}` }
  }
  return { _tag: "Hit", answer }
}

/** Replaced as a whole: of two runs that keep the same answer at once, the later one stays. */
export const keep = (folder: string, seal: string, answer: Omit<KeptAnswer, "cache" | "tool">) => {
  const events = Schema.encodeSync(Schema.Array(ProtocolEvent))(answer.events)
  const text = JSON.stringify({ cache: 1, tool: version, ...answer, events })
  const file = join(folder, `${answer.key}.json`)
  return Effect.zipRight(
    // A link that stands there is nobody's answer, and what it leads to is not ours to replace.
    Effect.sync(() => (isLink(file) ? rmSync(file, { force: true }) : undefined)),
    writeFileAtomic({ file, content: `${sealed(text, seal)}\n${text}\n`, mode: 0o600 })
  )
}

/** A place that cannot be looked at is told by whoever reads or writes there. */
const isLink = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    return false
  }
}

/**
 * The first line is the seal of the second: whoever wrote it was this program for this person, so nothing is decoded again.
 * Checking events against their schema takes longer than all else that an answer from here costs.
 */
const readAnswer = (file: string, seal: string | undefined): KeptAnswer | "none" | "damaged" => {
  if (isLink(file)) return "damaged"
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") return "none"
  if (content.kind === "refused") return "damaged"
  const end = content.text.indexOf("\n")
  const text = content.text.slice(end + 1, -1)
  if (end < 0 || seal === undefined || content.text.slice(0, end) !== sealed(text, seal)) return "damaged"
  const answer = JSON.parse(text) as KeptAnswer
  return answer.cache === 1 && answer.tool === version ? answer : "damaged"
}

export interface CacheRow {
  readonly key: string
  readonly bytes: number
  readonly file: string
  readonly modified: number
  readonly answer: KeptAnswer | undefined
}

/** The newest first. */
export const rowsIn = ({ folder, seal }: AnswerPlace): ReadonlyArray<CacheRow> =>
  namesIn(folder)
    .flatMap((name) => {
      const file = join(folder, name)
      const stats = statOrNone(file)
      if (stats?.isFile() !== true) return []
      const answer = readAnswer(file, seal)
      const key = name.slice(0, -".json".length)
      return [
        {
          key,
          file,
          bytes: stats.size,
          modified: stats.mtimeMs,
          answer: typeof answer === "string" ? undefined : answer
        }
      ]
    })
    .toSorted((a, b) => b.modified - a.modified)

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    // No other file of somebody's folder is ours to look at, or to remove.
    return readdirSync(folder).filter((name) => /^[0-9a-f]{40}\.json$/.test(name))
  } catch {
    return []
  }
}

/** How many could not be removed. */
export const removeRows = (rows: ReadonlyArray<CacheRow>): Effect.Effect<number> =>
  Effect.sync(() => rows.filter(({ file }) => !isRemoved(file)).length)

const isRemoved = (file: string): boolean => {
  try {
    rmSync(file, { force: true })
    return true
  } catch {
    return false
  }
}
