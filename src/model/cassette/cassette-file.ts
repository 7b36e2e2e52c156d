/**
 * A cassette in memory: read whole, each request put together from the entries that it goes on from and held against
 * its hash, so that an edited or damaged file is told with its line before anything is played from it.
 */
import { statSync, truncateSync } from "node:fs"
import { Either, ParseResult, Schema } from "effect"
import { version } from "../../kernel/version.ts"
import { appendNow, reasonOf } from "../../system/append-file.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { CassetteError } from "../cassette.ts"
import { parseJson } from "../decode-chunk.ts"
import { CASSETTE_FORMAT, CassetteEntry, CassetteHead, type RecordedRequest } from "./cassette-line.ts"
import { canonical, type NormalRequest, RequestHashes, type RequestHead } from "./normal-request.ts"

export interface CassetteRecording extends Omit<CassetteEntry, "request"> {
  /** In the file, from 1. */
  readonly line: number
  readonly request: NormalRequest
}

export interface Cassette {
  readonly file: string
  readonly head: CassetteHead
  readonly recordings: ReadonlyArray<CassetteRecording>
  /** Bytes of a last line that was never written to its end: its writer was killed. */
  readonly cutOff: number
  /** The last line is whole, but has no line break: editors leave it so. */
  readonly endsOpen: boolean
}

/** Large enough for days of recorded traffic, small enough to be read at once. */
const MAX_BYTES = 1024 * 1024 * 1024

export const readCassette = (file: string): Either.Either<Cassette, CassetteError> => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "text") return parseCassetteFile(file, content.text)
  return fault(file, undefined, content.kind === "missing" ? "no such file" : content.reason)
}

/** For recording: a file that is not there begins empty, and a line that was cut off gives way. */
export const openForRecording = (
  file: string,
  begun: Pick<CassetteHead, "auth" | "access"> = {}
): Either.Either<Cassette, CassetteError> =>
  Either.gen(function* () {
    const size = sizeOf(file)
    const known = size === undefined || size === 0 ? undefined : yield* readCassette(file)
    const head: CassetteHead = {
      cassette: CASSETTE_FORMAT,
      tool: version,
      ...begun
    }
    yield* Either.try({
      try: () => {
        if (known === undefined) appendNow(file, `${JSON.stringify(head)}\n`)
        else appendNow(file, known.endsOpen ? "\n" : "")
        if (known !== undefined && size !== undefined && known.cutOff > 0) truncateSync(file, size - known.cutOff)
      },
      catch: (cause) => new CassetteError({ file, detail: `cannot be written: ${reasonOf(cause)}` })
    })
    return known === undefined ? { file, head, recordings: [], cutOff: 0, endsOpen: false } : { ...known, cutOff: 0 }
  })

/** `undefined`: nothing is there. What is no file counts as something, and is refused when it is read. */
const sizeOf = (file: string): number | undefined => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat?.isFile() === false ? 1 : stat?.size
  } catch {
    return undefined
  }
}

export const parseCassetteFile = (file: string, text: string): Either.Either<Cassette, CassetteError> =>
  Either.gen(function* () {
    const lines = text.split("\n")
    const last = lines.pop() ?? ""
    const isWhole = last.trim() === "" || parseJson(last) !== undefined
    if (isWhole) lines.push(last)
    const head = yield* headIn(file, lines[0] ?? "")
    const reader = new RequestReader()
    const recordings: Array<CassetteRecording> = []
    for (const [index, line] of lines.entries()) {
      // Two processes that began the file at once have both written a head.
      if (index === 0 || line.trim() === "" || line.startsWith('{"cassette":')) continue
      const entry = yield* entryIn(file, index + 1, line)
      const request = yield* Either.mapLeft(
        reader.read(entry),
        (detail) => new CassetteError({ file, lineNumber: index + 1, detail })
      )
      recordings.push({ ...entry, request, line: index + 1 })
    }
    return { file, head, recordings, cutOff: isWhole ? 0 : Buffer.byteLength(last), endsOpen: isWhole && last !== "" }
  })

/** Those that are played: of each request, what the last run recorded. */
export const playable = ({ recordings }: Pick<Cassette, "recordings">): ReadonlyArray<CassetteRecording> => {
  const newest = new Map<string, number>()
  for (const { recording, sha256 } of recordings) newest.set(sha256, Math.max(newest.get(sha256) ?? 0, recording))
  return recordings.filter(({ recording, sha256 }) => newest.get(sha256) === recording)
}

const fault = (file: string, lineNumber: number | undefined, detail: string) =>
  Either.left(new CassetteError({ file, detail, ...(lineNumber === undefined ? {} : { lineNumber }) }))

const headIn = (file: string, line: string): Either.Either<CassetteHead, CassetteError> => {
  const value = parseJson(line.replace(/^\ufeff/, ""))
  const decoded = Schema.decodeUnknownEither(CassetteHead)(value)
  if (Either.isRight(decoded)) return Either.right(decoded.right)
  if (typeof value === "object" && value !== null && "cassette" in value && typeof value.cassette === "number") {
    const maker = "tool" in value && typeof value.tool === "string" ? ` by gemini ${value.tool}` : ""
    const isNewer = value.cassette > CASSETTE_FORMAT
    return fault(
      file,
      1,
      isNewer
        ? `was recorded in format ${value.cassette}${maker}, and this gemini ${version} reads format ${CASSETTE_FORMAT}: update gemini, or record it again`
        : `its head cannot be read: ${firstIssue(decoded.left)}`
    )
  }
  if (typeof value === "object" && value !== null && "method" in value) {
    return fault(file, 1, "holds responses in the format of --fake-responses, which reads them")
  }
  return fault(file, 1, `is no cassette: its first line has to be {"cassette":${CASSETTE_FORMAT},"tool":"..."}`)
}

const decodeEntry = Schema.decodeUnknownEither(CassetteEntry)

const entryIn = (file: string, lineNumber: number, line: string): Either.Either<CassetteEntry, CassetteError> => {
  const value = parseJson(line)
  if (value === undefined) return fault(file, lineNumber, "is not JSON")
  return Either.orElse(decodeEntry(value), (error) => fault(file, lineNumber, `is no entry: ${firstIssue(error)}`))
}

const firstIssue = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const path = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.map(String).join(".")}: `
  return `${path}${issue?.message.split("\n")[0] ?? "unreadable"}`
}

/** Puts requests together from what they go on from. */
class RequestReader {
  readonly #known = new Map<string, NormalRequest>()
  readonly #hashes = new RequestHashes()

  read({ request, sha256 }: CassetteEntry): Either.Either<NormalRequest, string> {
    const base = request.extends === undefined ? undefined : this.#known.get(request.extends.sha256)
    if (request.extends !== undefined && base === undefined) {
      return Either.left("goes on from an entry that does not stand before it in the file")
    }
    const head = headOf(request, base?.head)
    if (head === undefined) return Either.left("is no entry: its request names no call or no model")
    const shared = base?.contents.slice(0, request.extends?.contents) ?? []
    const made: NormalRequest = { head, contents: [...shared, ...request.contents.map(canonical)] }
    if (this.#hashes.of(made) !== sha256) {
      return Either.left(
        "its request was edited: it does not fit its hash any more (the response may be edited; a request has to be recorded again)"
      )
    }
    this.#known.set(sha256, made)
    return Either.right(made)
  }
}

/** The very same value where nothing is different: its JSON is long, and known by identity. */
const headOf = (
  { call, config, model, system }: RecordedRequest,
  base: RequestHead | undefined
): RequestHead | undefined => {
  if (base !== undefined && call === undefined && model === undefined && system === undefined && config === undefined) {
    return base
  }
  const named = { call: call ?? base?.call, model: model ?? base?.model }
  if (named.call === undefined || named.model === undefined) return undefined
  const [text, options] = [system ?? base?.system, config ?? base?.config]
  return {
    call: named.call,
    model: named.model,
    ...(text === undefined ? {} : { system: text }),
    ...(options === undefined ? {} : { config: options })
  }
}
