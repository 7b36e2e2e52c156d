/**
 * Takes edits back, newest first, by what the session recorded of them. A file that is as the edit left it gets its old
 * content; one that changed since gets the edit taken out of it where that is possible without guessing. Only edits of
 * tools are known here: what shell commands did stays.
 */
import { lstatSync, readFileSync, rmSync } from "node:fs"
import { applyPatch, reversePatch, structuredPatch } from "diff"
import { Effect, Either } from "effect"
import { isInside } from "../../files/containment.ts"
import type { FileDiff } from "../../protocol/confirmation.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"

export interface RestoredFiles {
  /** Paths, each once. */
  readonly restored: ReadonlyArray<string>
  /** What could not be taken back, in one line each. */
  readonly warnings: ReadonlyArray<string>
}

/** `roots`: folders of the workspace; a record that names a file outside of them is not believed. */
export const restoreFiles = Effect.fn("Session.restoreFiles")(function* (
  edits: ReadonlyArray<FileDiff>,
  roots: ReadonlyArray<string>
) {
  const restored = new Set<string>()
  const warnings: Array<string> = []
  for (const edit of edits) {
    const result = roots.some((root) => isInside(root, edit.filePath))
      ? yield* Effect.either(takeBack(edit))
      : Either.left("it is outside of the workspace")
    if (Either.isRight(result)) restored.add(edit.filePath)
    else warnings.push(`${edit.filePath} was left as it is: ${result.left}`)
  }
  return { restored: [...restored], warnings } satisfies RestoredFiles
})

const takeBack = Effect.fnUntraced(function* ({ filePath, isNewFile, newContent, originalContent }: FileDiff) {
  const now = contentOf(filePath)
  if (now === undefined) return yield* Effect.fail("it does not exist any more")
  if (now === newContent) {
    if (isNewFile || originalContent === null) return yield* Effect.sync(() => rmSync(filePath))
    return yield* write(filePath, originalContent)
  }
  const patch = structuredPatch("file", "file", originalContent ?? "", newContent)
  const before = applyPatch(now, reversePatch(patch))
  if (before === false) return yield* Effect.fail("it was changed since, in the same place")
  return yield* write(filePath, before)
})

const write = (file: string, content: string) =>
  Effect.mapError(writeFileAtomic({ file, content }), ({ message }) => message)

/** `undefined`: there is no such regular file. */
const contentOf = (file: string): string | undefined => {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, "utf8") : undefined
  } catch {
    return undefined
  }
}
