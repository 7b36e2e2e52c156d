/**
 * Context files (`GEMINI.md` and what the settings call it): found, read once, and given to the model in the tier that
 * they belong to. Those below the working folder come when a tool touches their folder, so that a large tree costs
 * nothing at start; a setting brings the eager scan back.
 */
import { realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Context, Effect, Layer, Ref } from "effect"
import { projectBorder } from "../files/brought-file.ts"
import {
  type ContextFile,
  type ContextPlace,
  type ContextTier,
  contextPlaces,
  type PlaceOptions,
  placesBelow,
  placesDeep,
  type ReadOptions,
  readContextFile
} from "./context-file.ts"
import { type IgnoreSettings, ignoreCheck } from "./ignore-check.ts"

export class ContextFiles extends Context.Tag("agent/prompt/ContextFiles")<
  ContextFiles,
  {
    /** The files of the session so far, in the order in which they are sent. Read at the first call. */
    readonly files: Effect.Effect<ReadonlyArray<ContextFile>>
    /**
     * What the context files beside and above these places say, where that has not been sent yet; empty otherwise. Each
     * file is given once. `paths`: absolute paths of files and folders that a tool just used.
     */
    readonly contextFor: (paths: ReadonlyArray<string>) => Effect.Effect<string>
    /** The next use reads everything again. */
    readonly reload: Effect.Effect<void>
    /** Problems that nobody has been told of; each is given once. */
    readonly takeWarnings: Effect.Effect<ReadonlyArray<string>>
  }
>() {}

export interface ContextOptions extends PlaceOptions, Omit<ReadOptions, "isKnown" | "bordersOf"> {
  /** Of the user: a repository around it does not make all of it one project. */
  readonly home?: string | undefined
  /** Folders that are scanned at the start; `undefined`: folders below the roots wait until a tool touches them. */
  readonly scanFolders: number | undefined
  readonly ignore: IgnoreSettings
  /** Roots that joined since; where there are no others, they do not count either. */
  readonly addedRoots?: Effect.Effect<ReadonlyArray<string>>
}

/** Of all context files together: more would leave no room for the work. */
const MAX_TOTAL_LENGTH = 2 * 1024 * 1024

interface State {
  /** `undefined`: to be read. */
  readonly files: ReadonlyArray<ContextFile> | undefined
  /** Paths and identities of what was sent. */
  readonly known: ReadonlySet<string>
  readonly length: number
  readonly warnings: ReadonlyArray<string>
}

const UNREAD: State = { files: undefined, known: new Set(), length: 0, warnings: [] }

export const make = (options: ContextOptions) =>
  Effect.gen(function* () {
    const state = yield* Ref.make(UNREAD)
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const placeOptions = Effect.map(options.addedRoots ?? Effect.succeed([]), (added) =>
      options.roots.length === 0 ? options : { ...options, roots: [...options.roots, ...added] }
    )

    // Without a lock, which would be felt at start-up: reading twice at the same time gives the same.
    const started = Effect.gen(function* () {
      const now = yield* Ref.get(state)
      if (now.files !== undefined) return now
      const place = yield* placeOptions
      const after = yield* add(now, yield* placesAtStart(place), place)
      yield* Ref.set(state, after)
      return after
    })

    const discover = Effect.fnUntraced(function* (folders: ReadonlySet<string>) {
      const before = yield* started
      const now = yield* placeOptions
      const places = [...folders].flatMap((folder) => placesBelow(folder, now))
      const after = yield* add(before, places, now)
      yield* Ref.set(state, after)
      return filesOf(after).slice(filesOf(before).length)
    }, oneAtATime.withPermits(1))

    return ContextFiles.of({
      files: Effect.map(started, filesOf),
      contextFor: Effect.fn("ContextFiles.contextFor")(function* (paths: ReadonlyArray<string>) {
        const [base] = options.roots
        if (options.scanFolders !== undefined || base === undefined) return ""
        const found = yield* discover(new Set(paths.map((path) => folderOf(path, base))))
        return found.length === 0 ? "" : discovered(found)
      }),
      reload: oneAtATime.withPermits(1)(Ref.update(state, ({ warnings }) => ({ ...UNREAD, warnings }))),
      takeWarnings: Ref.modify(state, (now) => [now.warnings, { ...now, warnings: [] }])
    })
  })

export const layer = (options: ContextOptions) => Layer.effect(ContextFiles, make(options))

/** A run without context files. */
export const none: ContextFiles["Type"] = {
  files: Effect.succeed([]),
  contextFor: () => Effect.succeed(""),
  reload: Effect.void,
  takeWarnings: Effect.succeed([])
}

/** Blocks of these tiers, one after the other. */
export const textOf = (files: ReadonlyArray<ContextFile>, tier: ContextTier): string =>
  files
    .filter((file) => file.tier === tier)
    .map(({ block }) => block)
    .join("\n\n")

const filesOf = ({ files }: State): ReadonlyArray<ContextFile> => files ?? []

const discovered = (files: ReadonlyArray<ContextFile>): string =>
  `--- Newly Discovered Project Context ---\n${textOf(files, "project")}\n--- End Project Context ---`

const placesAtStart = Effect.fnUntraced(function* (options: ContextOptions) {
  const places = contextPlaces(options)
  const [cwd] = options.roots
  if (options.scanFolders === undefined || cwd === undefined) return places
  const isIgnored = yield* ignoreCheck(cwd, options.ignore, { isProject: true })
  return [...places, ...placesDeep(options, { maxFolders: options.scanFolders, isIgnored })]
})

/** The state with what these places hold and nobody has sent. */
const add = Effect.fnUntraced(function* (before: State, places: ReadonlyArray<ContextPlace>, options: ContextOptions) {
  const files = [...filesOf(before)]
  const known = new Set(before.known)
  const warnings = [...before.warnings]
  let { length } = before
  const isKnown = (name: string): boolean => {
    const isOld = known.has(name)
    known.add(name)
    return isOld
  }
  const bordersOf = (path: string, tier: ContextTier): ReadonlyArray<string> | undefined => {
    if (tier === "project") return options.roots.map((root) => projectBorder(root, options))
    return tier === "extension" ? [projectBorder(dirname(path), options)] : undefined
  }
  for (const { path, tier } of places) {
    if (isKnown(path)) continue
    const read = yield* readContextFile(path, tier, { ...options, isKnown, bordersOf })
    if (read.kind === "none") {
      // It may come into being later, where a tool works.
      known.delete(path)
      continue
    }
    warnings.push(...read.warnings)
    if (read.kind === "refused") continue
    if (length + read.file.block.length > MAX_TOTAL_LENGTH) {
      warnings.push(`${path} is not used as context: all context files together would be larger than 2 MiB`)
      continue
    }
    length += read.file.block.length
    files.push(read.file)
  }
  return { files, known, length, warnings } satisfies State
})

/** The folder that a path is, or lies in, with all links followed. */
const folderOf = (path: string, base: string): string => {
  const named = resolve(base, path)
  try {
    const real = realpathSync(named)
    return statSync(real).isDirectory() ? real : dirname(real)
  } catch {
    return dirname(named)
  }
}

/**
 * How context files are laid before the model: the user's own in the instruction, the project's in the first message.
 * Empty when there is nothing to say.
 */
export const instructionMemory = (files: ReadonlyArray<ContextFile>): string => {
  const context = loadedContext([
    ["global_context", textOf(files, "global")],
    ["user_project_memory", textOf(files, "private")]
  ])
  return context === "" ? "" : `${HEADING}\n\n${context}`
}

const HEADING = [
  "# Context of the user",
  "What follows are instructions and notes of the user; they take precedence over defaults, never over Safety. Where they differ, the more specific wins: a sub-folder's context file, then the project's, then an extension's, then `<user_project_memory>`, then `<global_context>`."
].join("\n")

export const sessionMemory = (files: ReadonlyArray<ContextFile>): string =>
  loadedContext([
    ["extension_context", textOf(files, "extension")],
    ["project_context", textOf(files, "project")]
  ])

const loadedContext = (parts: ReadonlyArray<readonly [tag: string, text: string]>): string => {
  const filled = parts.filter(([, text]) => text !== "").map(([tag, text]) => `<${tag}>\n${text}\n</${tag}>`)
  return filled.length === 0 ? "" : ["<loaded_context>", ...filled, "</loaded_context>"].join("\n")
}
