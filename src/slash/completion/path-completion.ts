/**
 * Paths that a typed beginning could become. A beginning that the folder knows is completed as a shell would; letters
 * that begin nothing there are looked for in all paths of the workspace, from an index that is made at the first need.
 */
import { type Dirent, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Fiber, Ref } from "effect"
import { CORE_FOLDERS } from "../../files/excludes.ts"
import { FileFilter } from "../../files/file-filter.ts"
import { listFiles } from "../../files/list-files.ts"
import type { Ripgrep } from "../../files/ripgrep.ts"
import { Workspace } from "../../files/workspace.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { bestMatches } from "./fuzzy.ts"

/** More are of no use to anybody; the folder is completed by its own entries. */
const MAX_FUZZY = 50
const MAX_ENTRIES = 1_000
const INDEX_TIMEOUT_MS = 5_000

export interface PathCompletion {
  /** Paths relative to a workspace folder; those of folders end with `/`. */
  readonly candidates: (typed: string) => Effect.Effect<ReadonlyArray<string>>
  /** A reference is being typed: what `candidates` may need is got ready in the background. */
  readonly prepare: Effect.Effect<void>
}

export interface PathCompletionOptions {
  readonly isFuzzy: boolean
  readonly isRecursive: boolean
  /** Most paths that are listed; those behind them are not found. */
  readonly maxPaths: number
}

/**
 * All paths of the workspace, for completion. Listing them takes long in a large tree, so nobody waits for it twice: what
 * is known serves at once, and is brought up to date behind it.
 */
interface PathIndex {
  /** What is known, perhaps from some time ago; waits only where nothing is known yet. */
  readonly known: Effect.Effect<ReadonlyArray<string>>
  /** As it is now. Waits. */
  readonly current: Effect.Effect<ReadonlyArray<string>>
  /** Begins to learn, where that is needed; does not wait. */
  readonly prepare: Effect.Effect<void>
}

interface Learned {
  readonly paths: ReadonlyArray<string>
  readonly at: number
}

/** Older knowledge is renewed when it is asked for. */
const FRESH_FOR_MS = Duration.toMillis("20 seconds")

export const makePathIndex = Effect.fnUntraced(function* (list: Effect.Effect<ReadonlyArray<string>>) {
  const learned = yield* Ref.make<Learned | undefined>(undefined)
  const learning = yield* Ref.make<Fiber.RuntimeFiber<ReadonlyArray<string>> | undefined>(undefined)

  const learn = Effect.gen(function* () {
    const at = yield* monotonicMillis
    const paths = yield* list
    yield* Ref.set(learned, { paths, at })
    return paths
  })

  const begin = Effect.uninterruptible(
    Effect.gen(function* () {
      const present = yield* Ref.get(learning)
      if (present !== undefined && present.unsafePoll() === null) return present
      // Whoever asked may type on and not wait; the listing has its own time limit, and serves the next Tab.
      const fiber = yield* Effect.forkDaemon(Effect.interruptible(learn))
      yield* Ref.set(learning, fiber)
      return fiber
    })
  )

  const isFresh = ({ at }: Learned) => Effect.map(monotonicMillis, (now) => now - at < FRESH_FOR_MS)
  const current = Effect.gen(function* () {
    const known = yield* Ref.get(learned)
    if (known !== undefined && (yield* isFresh(known))) return known.paths
    return yield* Effect.flatMap(begin, Fiber.join)
  })
  const prepare = Effect.gen(function* () {
    const known = yield* Ref.get(learned)
    if (known === undefined || !(yield* isFresh(known))) yield* begin
  })

  return {
    known: Effect.gen(function* () {
      yield* prepare
      return (yield* Ref.get(learned))?.paths ?? (yield* current)
    }),
    current,
    prepare
  } satisfies PathIndex as PathIndex
})

export const makePathCompletion = Effect.fnUntraced(function* (options: PathCompletionOptions) {
  const services = yield* Effect.context<Workspace | FileFilter | Ripgrep>()
  const index = yield* makePathIndex(Effect.provide(allPaths(options.maxPaths), services))
  const matching = (typed: string, paths: ReadonlyArray<string>) =>
    bestMatches(typed, options.isFuzzy ? paths : paths.filter((path) => path.includes(typed)), MAX_FUZZY)
  return {
    prepare: options.isRecursive ? index.prepare : Effect.void,
    candidates: Effect.fn("PathCompletion.candidates")(function* (typed: string) {
      const entries = yield* Effect.provide(entriesFor(typed), services)
      if (entries.length > 0 || !options.isRecursive || typed.trim() === "") return entries
      const found = matching(typed, yield* index.known)
      // It may be new.
      return found.length > 0 ? found : matching(typed, yield* index.current)
    })
  } satisfies PathCompletion as PathCompletion
})

/** Entries of the folder that was typed so far, in every root, whose names begin with the rest. */
const entriesFor = Effect.fnUntraced(function* (typed: string) {
  const workspace = yield* Workspace
  const filter = yield* FileFilter
  const split = typed.lastIndexOf("/") + 1
  const [folder, beginning] = [typed.slice(0, split), typed.slice(split)]
  const found = new Set<string>()
  for (const root of folder.startsWith("/") ? [""] : yield* workspace.roots) {
    const place = root === "" ? folder : join(root, folder)
    const rules = root === "" ? undefined : yield* filter.rules(root)
    for (const entry of namesIn(place)) {
      if (!entry.name.startsWith(beginning) || (entry.name.startsWith(".") && !beginning.startsWith("."))) continue
      const path = join(place, entry.name)
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && isDirectory(path))
      if (entry.name === ".git" || rules?.ignores(path, isFolder) === true) continue
      found.add(`${folder}${entry.name}${isFolder ? "/" : ""}`)
    }
  }
  return [...found].toSorted().slice(0, MAX_ENTRIES)
})

const namesIn = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Files and the folders that hold them. */
const allPaths = Effect.fnUntraced(function* (maxPaths: number) {
  const workspace = yield* Workspace
  const filter = yield* FileFilter
  const paths: Array<string> = []
  for (const root of yield* workspace.roots) {
    const skip = root.endsWith("/") ? root.length : root.length + 1
    yield* listFiles({
      scope: {
        root,
        start: root,
        rules: yield* filter.rules(root),
        respectGitIgnore: filter.flags().respectGitIgnore,
        excludes: [...CORE_FOLDERS],
        hidden: "none"
      },
      timeoutMs: INDEX_TIMEOUT_MS,
      matches: () => paths.length < maxPaths,
      onFile: (path) => paths.push(path.slice(skip))
    }).pipe(
      // What was listed until then serves.
      Effect.catchTag("RipgrepError", (error) =>
        Effect.logDebug("not all paths are known").pipe(Effect.annotateLogs({ detail: error.message }))
      )
    )
  }
  return [...foldersOf(paths), ...paths]
})

const foldersOf = (paths: ReadonlyArray<string>): ReadonlySet<string> => {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1)
      // Whoever knows a folder knows the ones above it.
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}
