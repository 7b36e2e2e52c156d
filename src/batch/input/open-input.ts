/** The input of a batch as something that can be gone through again: a stream is put on the disk first. */
import { closeSync, createReadStream, openSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { type BatchError, badInput, storageFault } from "../batch-error.ts"
import type { BatchRequest } from "../batch-request.ts"
import { fileSource, globSource, type InputSource } from "./input-source.ts"

export interface InputPlace {
  readonly cwd: string
  /** Standard input, and whether somebody would have to type it. */
  readonly stdin: { readonly isTerminal: boolean; readonly chunks: () => AsyncIterable<Uint8Array> }
}

/** What is put on the disk goes away with the scope. */
export const openInput = (
  { input, output }: Pick<BatchRequest, "input" | "output">,
  place: InputPlace
): Effect.Effect<InputSource, BatchError, Scope.Scope> =>
  Effect.gen(function* () {
    const { kind, name } = input
    if (kind === "glob") return yield* globSource(name, place.cwd)
    const path = resolve(place.cwd, name)
    const stat = name === "-" ? undefined : statSync(path, { throwIfNoEntry: false })
    if (stat?.isFile() === true) {
      yield* refuseSame(path, output, place.cwd)
      return yield* fileSource(path, kind, name)
    }
    if (name !== "-" && (stat === undefined || stat.isDirectory())) return yield* fileSource(path, kind, name)
    if (name === "-" && place.stdin.isTerminal) {
      return yield* badInput("standard input is a terminal", "Pipe the items in, or name a file.")
    }
    const chunks = name === "-" ? place.stdin.chunks() : createReadStream(path)
    return yield* fileSource(yield* spooled(chunks, name), kind, name === "-" ? "standard input" : name)
  })

const refuseSame = (path: string, output: string, cwd: string): Effect.Effect<void, BatchError> => {
  if (output === "-") return Effect.void
  const input = statSync(path)
  const stat = statSync(resolve(cwd, output), { throwIfNoEntry: false })
  return stat !== undefined && stat.ino === input.ino && stat.dev === input.dev
    ? badInput(`input and output are the same file: ${output}`, "Name another output with -O.")
    : Effect.void
}

const spooled = (chunks: AsyncIterable<Uint8Array>, name: string) =>
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
    yield* Effect.tryPromise({
      try: async () => {
        for await (const chunk of chunks) {
          for (let done = 0; done < chunk.length; ) done += writeSync(descriptor, chunk, done)
        }
      },
      catch: (cause) => storageFault(name === "-" ? "standard input" : name, "read", cause)
    })
    return path
  })
