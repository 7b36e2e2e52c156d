/**
 * Changes a file in which the program keeps something for the user alone. Reading and writing are one step under its
 * lock: of two programs that change it at the same time, neither undoes what the other did.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import { codeOf, writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { StorageError } from "../system/storage-error.ts"

/** `next` reads what is there and gives the new text; `undefined`: it stays as it is. */
export const changeOwnFile = Effect.fnUntraced(function* (file: string, next: () => string | undefined) {
  // The lock stands beside the file, so its folder must be there first.
  yield* Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: codeOf(cause) })
  })
  const change = Effect.suspend(() => {
    const content = next()
    return content === undefined ? Effect.void : writeFileAtomic({ file, content, mode: 0o600 })
  }).pipe(Effect.mapError(({ code }) => new StorageError({ path: file, kind: "write", detail: code })))
  yield* withLock(file, change)
})
