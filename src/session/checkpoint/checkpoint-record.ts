/**
 * A checkpoint on disk: the conversation and the call that was about to run, with the commit that holds the files. One
 * file for each, in the project's `checkpoints` folder, in the form that the reference writes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Either, Schema } from "effect"
import { Content } from "../../protocol/content.ts"
import { statOrNone } from "../../system/regular-file.ts"

export const CheckpointRecord = Schema.Struct({
  /** For people: what was said, as the reference's screen shows it. */
  history: Schema.optionalWith(Schema.Array(Schema.Unknown), { exact: true, default: () => [] }),
  clientHistory: Schema.optionalWith(Schema.Array(Content), { exact: true, default: () => [] }),
  toolCall: Schema.Struct({
    name: Schema.String,
    args: Schema.Record({ key: Schema.String, value: Schema.Unknown })
  }),
  commitHash: Schema.optional(Schema.String),
  messageId: Schema.optional(Schema.String)
})
export type CheckpointRecord = typeof CheckpointRecord.Type

const Document = Schema.parseJson(CheckpointRecord)

/** `<time>-<file>-<tool>`; characters that no file name may have are replaced. */
export const checkpointName = (iso: string, file: string, tool: string): string => {
  const time = iso.replaceAll(":", "-").replaceAll(".", "_")
  return `${time}-${basename(file).replace(/[^\w.-]/g, "_")}-${tool.replace(/\W/g, "_")}`
}

/** Throws where it cannot be written. Two calls of one moment get names of their own. */
export const writeCheckpoint = (
  folder: string,
  name: string,
  record: CheckpointRecord,
  clean: (text: string) => string
): string => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const text = clean(Schema.encodeSync(Document)(record))
  for (let copy = 0; ; copy++) {
    const unique = copy === 0 ? name : `${name}-${copy}`
    const file = join(folder, `${unique}.json`)
    if (existsSync(file)) continue
    writeFileSync(file, text, { flag: "wx", mode: 0o600 })
    return unique
  }
}

/** The conversation as the reference's screen holds it: what the user and the model said. */
export const screenHistory = (contents: ReadonlyArray<Content>): ReadonlyArray<unknown> =>
  contents.flatMap(({ parts, role }, id) => {
    const text = parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join("")
    return text === "" ? [] : [{ id, type: role === "user" ? "user" : "gemini", text }]
  })

/** Oldest first. */
export const checkpointNames = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.slice(0, -".json".length))
        .sort()
    : []

/** `undefined`: there is none of this name, or it cannot be read. A name that leads elsewhere is none. */
export const readCheckpoint = (folder: string, name: string): CheckpointRecord | undefined => {
  if (!checkpointNames(folder).includes(name)) return undefined
  try {
    const text = readFileSync(join(folder, `${name}.json`), "utf8")
    const decoded = Schema.decodeUnknownEither(Document, { onExcessProperty: "preserve" })(text)
    return Either.getOrUndefined(decoded)
  } catch {
    return undefined
  }
}

export const removeOldCheckpoints = (folder: string, maxAgeMs: number, now: number): void => {
  for (const name of checkpointNames(folder)) {
    const file = join(folder, `${name}.json`)
    const stat = statOrNone(file)
    if (stat !== undefined && now - stat.mtimeMs > maxAgeMs) rmSync(file, { force: true })
  }
}

/** The files of the snapshot stay in the repository until it is collected. */
export const removeCheckpoint = (folder: string, name: string): void =>
  rmSync(join(folder, `${name}.json`), { force: true })
