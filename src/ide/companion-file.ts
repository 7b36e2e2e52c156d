/**
 * Files in which companions of editors say where they listen. They lie where everybody may write, so only a plain file
 * counts that this user owns and nobody else can change.
 */
import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Either, Option, Schema } from "effect"

const Port = Schema.Union(Schema.Number, Schema.NumberFromString).pipe(Schema.int(), Schema.between(1, 65_535))

/** A field that cannot be used does not make the others useless. */
const lenient = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.transform(Schema.Unknown, Schema.UndefinedOr(Schema.typeSchema(schema)), {
    strict: true,
    decode: (given) => Option.getOrUndefined(Schema.decodeUnknownOption(schema)(given)),
    encode: (value) => value
  })

const CompanionFile = Schema.Struct({
  port: Schema.optional(lenient(Port)),
  workspacePath: Schema.optional(lenient(Schema.String)),
  authToken: Schema.optional(lenient(Schema.String)),
  ideInfo: Schema.optional(
    lenient(Schema.Struct({ name: Schema.optional(Schema.String), displayName: Schema.optional(Schema.String) }))
  ),
  stdio: Schema.optional(
    lenient(Schema.Struct({ command: Schema.String, args: Schema.optional(Schema.Array(Schema.String)) }))
  )
})
export type CompanionFile = typeof CompanionFile.Type

export const decodePort = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(Schema.decodeUnknownOption(Port)(text))

const decodeFile = Schema.decodeUnknownEither(Schema.parseJson(CompanionFile))

/** A file of this size is none of a companion. */
const MAX_BYTES = 1024 * 1024

const OTHERS_WRITE = 0o022

export const readCompanionFile = (file: string): CompanionFile | undefined =>
  Either.getOrUndefined(
    Either.try(() => {
      const entry = lstatSync(file)
      const isOurs = process.getuid === undefined || entry.uid === process.getuid()
      const isClosed = process.platform === "win32" || (entry.mode & OTHERS_WRITE) === 0
      if (!entry.isFile() || entry.size > MAX_BYTES || !isOurs || !isClosed) return undefined
      return Either.getOrUndefined(decodeFile(readFileSync(file, "utf8")))
    })
  )

export interface ListedFile {
  readonly file: string
  readonly pid: number
}

const FILE_NAME = /^gemini-ide-server-(\d{1,10})-\d{1,5}\.json$/

/** Names alone: nothing is read. */
export const companionFiles = (folder: string): ReadonlyArray<ListedFile> =>
  Either.getOrElse(
    Either.try(() => readdirSync(folder)),
    (): ReadonlyArray<string> => []
  ).flatMap((name) => {
    const pid = FILE_NAME.exec(name)?.[1]
    return pid === undefined ? [] : [{ file: join(folder, name), pid: Number(pid) }]
  })

/** The name that older companions use. */
export const olderFile = (folder: string, pid: number): string => join(folder, `gemini-ide-server-${pid}.json`)
