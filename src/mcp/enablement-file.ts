/**
 * Servers that the user turned off for good: `~/.gemini/mcp-server-enablement.json`, shared with other versions of the
 * program. Turning a server on removes its entry.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Option, Schema } from "effect"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { StorageError } from "../system/storage-error.ts"
import { serverId } from "./admission.ts"

const Enablement = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Struct({ enabled: Schema.Boolean }) })
)
type Enablement = typeof Enablement.Type

const MAX_FILE_BYTES = 1024 * 1024

/** Ids of the servers that are off. A file that cannot be read turns nothing off. */
export const readDisabled = (file: string): ReadonlySet<string> =>
  new Set(
    Object.entries(read(file))
      .filter(([, { enabled }]) => !enabled)
      .map(([name]) => serverId(name))
  )

export const setDisabled = Effect.fn("Mcp.setDisabled")(function* (file: string, name: string, isDisabled: boolean) {
  yield* Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: String(cause) })
  })
  const change = Effect.suspend(() => {
    const others = Object.entries(read(file)).filter(([entry]) => serverId(entry) !== serverId(name))
    const next: Enablement = Object.fromEntries(
      isDisabled ? [...others, [serverId(name), { enabled: false }] as const] : others
    )
    return writeFileAtomic({ file, content: `${JSON.stringify(next, null, 2)}\n`, mode: 0o600 }).pipe(
      Effect.mapError(({ code }) => new StorageError({ path: file, kind: "write", detail: code }))
    )
  })
  yield* withLock(file, change)
})

const read = (file: string): Enablement => {
  const content = readRegularFile(file, MAX_FILE_BYTES)
  return content.kind === "text"
    ? Option.getOrElse(Schema.decodeUnknownOption(Enablement)(content.text), () => ({}))
    : {}
}
