/** Files for a reference: all of a folder, those of a glob, or the one that a name most likely means. */
import { Effect } from "effect"
import { CORE_FOLDERS, EXTRA_FOLDERS, MANY_FILES_EXCLUDES } from "../../files/excludes.ts"
import { FileFilter } from "../../files/file-filter.ts"
import { pathGlob } from "../../files/glob-pattern.ts"
import { listFiles } from "../../files/list-files.ts"
import { Workspace } from "../../files/workspace.ts"
import { rootOf } from "../../tools/search/file-rules.ts"

/** A search that takes longer costs its reference, not the prompt. */
const TIMEOUT_MS = 5_000

export const filesBelow = Effect.fn("filesBelow")(function* (folder: string) {
  const root = (yield* rootOf(folder)) ?? folder
  return yield* list({ root, start: folder, excludes: usualExcludes(folder), matches: () => true })
})

export const filesMatching = Effect.fn("filesMatching")(function* (pattern: string) {
  const workspace = yield* Workspace
  const found: Array<string> = []
  for (const root of yield* workspace.roots) {
    const matches = pathGlob(pattern, { base: root, isCaseSensitive: true })
    found.push(...(yield* list({ root, start: root, excludes: usualExcludes(root), matches })))
  }
  return found
})

/** For each name the file whose path contains it, in its last part: the one with the shortest path. */
export const bestNamed = Effect.fn("bestNamed")(function* (names: ReadonlyArray<string>) {
  const workspace = yield* Workspace
  const best = new Map<string, string>()
  if (names.length === 0) return best
  for (const root of yield* workspace.roots) {
    const open = names.filter((name) => !best.has(name))
    const matches = (path: string) => open.some((name) => isCalled(path, name))
    for (const path of yield* list({ root, start: root, excludes: () => false, matches })) {
      for (const name of open) {
        const length = best.get(name)?.length ?? Number.POSITIVE_INFINITY
        if (path.length < length && isCalled(path, name)) best.set(name, path)
      }
    }
  }
  return best
})

const isCalled = (path: string, name: string): boolean => {
  const at = path.lastIndexOf(name)
  return at >= 0 && !path.includes("/", at + name.length)
}

interface Listing {
  readonly root: string
  readonly start: string
  readonly matches: (relativePath: string) => boolean
  readonly excludes: (relativePath: string) => boolean
}

/** In plain order. What cannot be searched holds nothing. */
const list = Effect.fnUntraced(function* ({ excludes, matches, root, start }: Listing) {
  const filter = yield* FileFilter
  const paths: Array<string> = []
  yield* listFiles({
    scope: {
      root,
      start,
      rules: yield* filter.rules(root),
      respectGitIgnore: filter.flags().respectGitIgnore,
      excludes: [...CORE_FOLDERS, ...EXTRA_FOLDERS],
      hidden: "all"
    },
    timeoutMs: TIMEOUT_MS,
    matches: (path) => matches(path) && !excludes(path),
    onFile: (path) => paths.push(path)
  }).pipe(
    Effect.catchTag("RipgrepError", (error) =>
      Effect.logWarning("files for a reference were not found").pipe(Effect.annotateLogs({ detail: error.message }))
    )
  )
  return paths.toSorted()
})

const usualExcludes = (base: string): ((relativePath: string) => boolean) => {
  const globs = MANY_FILES_EXCLUDES.map((pattern) => pathGlob(pattern, { base, isCaseSensitive: false }))
  return (path) => globs.some((matches) => matches(path))
}
