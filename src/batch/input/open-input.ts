/** The input of a batch as something that can be gone through again: a stream is put on the disk first. */
import { accessSync, closeSync, constants, createReadStream, openSync, realpathSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { Effect, Either, type Scope } from "effect"
import { statOrNone } from "../../system/regular-file.ts"
import { BatchError, badInput, storageFault } from "../batch-error.ts"
import type { BatchRequest } from "../batch-request.ts"
import { fileSource, globSource, type InputSource } from "./input-source.ts"

export interface InputPlace {
  readonly cwd: string
  /** Standard input, and whether somebody would have to type it. */
  readonly stdin: { readonly isTerminal: boolean; readonly chunks: () => AsyncIterable<Uint8Array> }
  /** Of what is put on the disk; absent: far more than a batch is long. */
  readonly maxBytes?: number
}

/** What is put on the disk goes away with the scope. */
export const openInput = (
  { input }: Pick<BatchRequest, "input">,
  place: InputPlace
): Effect.Effect<InputSource, BatchError, Scope.Scope> =>
  Effect.gen(function* () {
    const { kind, name } = input
    if (kind === "glob") return yield* globSource(name, place.cwd)
    const path = resolve(place.cwd, name)
    const stat = name === "-" ? undefined : statOrNone(path)
    if (stat?.isFile() === true) return yield* fileSource(path, kind, name)
    if (name !== "-" && (stat === undefined || stat.isDirectory())) return yield* fileSource(path, kind, name)
    if (name === "-" && place.stdin.isTerminal) {
      return yield* badInput("standard input is a terminal", "Pipe the items in, or name a file.")
    }
    // What comes has to be on the disk before the first item is asked, and a device goes on for ever.
    if ((stat?.isCharacterDevice() === true && path !== "/dev/null") || stat?.isBlockDevice() === true) {
      return yield* badInput(`${name} is a device`, "Name a file, or pipe the items in and write -.")
    }
    const chunks = name === "-" ? place.stdin.chunks() : createReadStream(path)
    return yield* fileSource(yield* spooled(chunks, name, place.maxBytes), kind, name === "-" ? "standard input" : name)
  })

/** What is written is nothing that is read, and no two things are written to one file: nobody gets either back. */
export const refuseClashes = (
  { cachedContext, errors, events, input, output, report }: BatchRequest,
  cwd: string
): Effect.Effect<void, BatchError> =>
  Effect.gen(function* () {
    if (events !== undefined && /^fd:/.test(basename(events)) && !/^fd:\d+$/.test(events)) {
      return yield* badInput(`--events: ${basename(events)} names no descriptor`, "fd:3 does.")
    }
    if (events === "fd:1" && output === "-") {
      return yield* badInput("--events and output are both standard output", "Name a file for one of them.")
    }
    const own = output === "-" ? [] : [output, `${output}.journal`, `${output}.lock`, `${output}.requests`]
    const written = [
      ...own.map((path, index) => ({ what: index === 0 ? "output" : "journal of the output", path, isOurs: true })),
      ...[
        { what: "--errors", path: errors },
        { what: "--report", path: report },
        { what: "--events", path: events?.startsWith("fd:") === true ? undefined : events }
      ].flatMap(({ path, what }) => (path === undefined ? [] : [{ what, path, isOurs: false }]))
    ]
    const read = [
      ...(input.kind === "glob" || input.name === "-" ? [] : [{ what: "input", path: resolve(cwd, input.name) }]),
      ...cachedContext.map((path) => ({ what: "--cached-context", path: resolve(cwd, path) }))
    ]
    const known = read.map(({ path, what }) => ({ what, ids: idsOf(path) }))
    for (const { isOurs, path, what } of written) {
      const ids = idsOf(path)
      const other = known.find((one) => one.ids.some((id) => ids.includes(id)))
      if (other !== undefined) {
        const option = isOurs ? "output with -O" : `file for ${what}`
        return yield* badInput(`${other.what} and ${what} are the same file: ${path}`, `Name another ${option}.`)
      }
      known.push({ what, ids })
      // Told now, and not when everything has been paid for.
      const fault = isOurs || what === "--events" ? undefined : unwritable(path)
      if (fault !== undefined) return yield* badInput(`${what}: ${fault}`, "Name another file.")
    }
  })

/** By its path, links in it followed, and by what it is on the disk. */
const idsOf = (path: string): ReadonlyArray<string> => {
  const stat = statOrNone(path)
  const folder = Either.getOrElse(
    Either.try(() => realpathSync(dirname(path))),
    () => dirname(path)
  )
  return [join(folder, basename(path)), ...(stat === undefined ? [] : [`${stat.dev}:${stat.ino}`])]
}

const unwritable = (path: string): string | undefined => {
  if (statOrNone(path)?.isDirectory() === true) return `${path} is a folder`
  const tried = Either.try({
    try: () => accessSync(dirname(path), constants.W_OK),
    catch: (cause) => (cause instanceof Error && "code" in cause ? String(cause.code) : String(cause))
  })
  return Either.isLeft(tried) ? `${path} cannot be written (${tried.left})` : undefined
}

const GIB = 1024 ** 3
/** A pipe that never ends would fill the disk for everybody else on the machine. */
const LONGEST_PIPE = 4 * GIB

const spooled = (chunks: AsyncIterable<Uint8Array>, name: string, maxBytes = LONGEST_PIPE) =>
  Effect.gen(function* () {
    const path = join(tmpdir(), `gemini-batch-${crypto.randomUUID()}`)
    const descriptor = yield* Effect.acquireRelease(
      Effect.try({ try: () => openSync(path, "wx", 0o600), catch: (cause) => storageFault(path, "write", cause) }),
      (open) =>
        Effect.sync(() => {
          closeSync(open)
          rmSync(path, { force: true })
        })
    )
    const source = name === "-" ? "standard input" : name
    const copied = Effect.tryPromise({
      try: async () => {
        let total = 0
        for await (const chunk of chunks) {
          total += chunk.length
          if (total > maxBytes) return false
          write(path, descriptor, chunk)
        }
        return true
      },
      catch: (cause) => (cause instanceof BatchError ? cause : storageFault(source, "read", cause))
    })
    if (yield* copied) return path
    return yield* badInput(
      `${source} is longer than ${maxBytes / GIB} GiB`,
      "What is piped is put on the disk first: write so much into a file, and name that."
    )
  })

const write = (path: string, descriptor: number, chunk: Uint8Array): void => {
  try {
    for (let done = 0; done < chunk.length; ) done += writeSync(descriptor, chunk, done)
  } catch (cause) {
    throw storageFault(path, "write", cause)
  }
}
