/** What a reference means: a file, a folder, the files of a glob, or nothing. In the order of the rules, first hit wins. */
import { statSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { Effect } from "effect"
import { isInside } from "../../files/containment.ts"
import type { PathError } from "../../files/file-error.ts"
import { FileFilter } from "../../files/file-filter.ts"
import { type ResolvedPath, Workspace } from "../../files/workspace.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { rootOf } from "../../tools/search/file-rules.ts"
import type { LineRange } from "../../tools/search/text-page.ts"
import { bestNamed, filesBelow, filesMatching } from "./find-files.ts"
import { type ReferenceReading, readingsOf } from "./references.ts"

export type ReferenceMeaning =
  /** `shown`: the path as the model is told it. */
  | { readonly _tag: "File"; readonly shown: string; readonly file: ResolvedPath; readonly range?: LineRange }
  /** A folder or a glob. */
  | { readonly _tag: "Files"; readonly shown: string; readonly pattern: string; readonly paths: ReadonlyArray<string> }
  /** It stays text. `why` is absent for what only looks like a reference. */
  | { readonly _tag: "Nothing"; readonly why?: string }

export interface ReferenceOptions {
  /** `@name` may stand for a file below that is called like that. */
  readonly isRecursive: boolean
  /** Asks whether a path outside the workspace may be read. */
  readonly mayRead: (path: string) => Effect.Effect<boolean>
}

export interface ResolvedReference {
  readonly resolution: ReferenceMeaning
  /** Text that followed the reference. */
  readonly rest: string
}

/** Names that are looked for below the workspace; a prompt with more `@` than that is pasted text, not references. */
const MAX_SEARCHED = 100

/** By the written form. What no rule resolves is looked for by its name, all such names in one search. */
export const resolveReferences = Effect.fn("resolveReferences")(function* (
  written: ReadonlySet<string>,
  options: ReferenceOptions
) {
  const resolved = new Map<string, ResolvedReference>()
  const missing = new Map<string, ReferenceReading>()
  for (const text of written) {
    const readings = readingsOf(text)
    const found = yield* resolveReadings(readings, options)
    const last = readings.findLast(({ range }) => range === undefined)
    if (found !== undefined) resolved.set(text, found)
    else if (last !== undefined) missing.set(text, last)
  }
  const names = [...missing.values()].map(({ path }) => path).filter(isName)
  const hits = options.isRecursive && names.length <= MAX_SEARCHED ? yield* bestNamed(names) : new Map<string, string>()
  for (const [text, { path, rest }] of missing) {
    const hit = hits.get(path)
    const resolution = hit === undefined ? undefined : yield* resolveHit(hit)
    resolved.set(text, resolution === undefined ? nothing(yield* whyMissing(path)) : { resolution, rest })
  }
  return resolved
})

/** One path by itself, as it is: nothing is searched for and nobody is asked. */
export const resolvePath = Effect.fn("resolvePath")(function* (path: string) {
  const reading: ReferenceReading = { path, range: undefined, rest: "" }
  const found = yield* resolveReading(reading, { isRecursive: false, mayRead: () => Effect.succeed(false) })
  return found ?? nothing("there is no such file").resolution
})

const isName = (path: string): boolean => !isAbsolute(path) && /[\p{L}\p{N}]/u.test(path) && path.length <= 255

const nothing = (why: string | undefined): ResolvedReference => ({
  resolution: { _tag: "Nothing", ...(why === undefined ? {} : { why }) },
  rest: ""
})

/**
 * A name with an ending, or one below a folder that exists, is meant as a path; `@types/node` or `@user` may be
 * anything.
 */
const whyMissing = Effect.fnUntraced(function* (path: string) {
  const [folder = ""] = path.split(/[/\\]/, 1)
  const isPath = /\.\w+$|^[./~]/.test(path) || (folder !== path && (yield* isBelowRoot(folder)))
  return isPath ? "there is no such file" : undefined
})

const isBelowRoot = Effect.fnUntraced(function* (name: string) {
  const { roots } = yield* Workspace
  return (yield* roots).some((root) => exists(join(root, name)))
})

const resolveReadings = Effect.fnUntraced(function* (
  readings: ReadonlyArray<ReferenceReading>,
  options: ReferenceOptions
) {
  for (const reading of readings) {
    const resolution = yield* resolveReading(reading, options)
    if (resolution !== undefined) return { resolution, rest: reading.rest } satisfies ResolvedReference
  }
  return undefined
})

/** `undefined`: nothing of that name exists. */
const resolveReading = Effect.fnUntraced(function* ({ path, range }: ReferenceReading, options: ReferenceOptions) {
  const found = yield* locate(path, options)
  if (found._tag === "Refused") return { _tag: "Nothing", why: refusalText(found.error) } as const
  if (found._tag === "Found") return yield* describe(found.path, range)
  if (!path.includes("*") || range !== undefined) return undefined
  const paths = yield* filesMatching(path)
  return paths.length === 0
    ? ({ _tag: "Nothing", why: "no file matches" } as const)
    : ({ _tag: "Files", shown: path, pattern: path, paths } as const)
})

type Located =
  | { readonly _tag: "Found"; readonly path: ResolvedPath }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Refused"; readonly error: PathError }

/** The first workspace folder in which the path exists. */
const locate = Effect.fnUntraced(function* (path: string, options: ReferenceOptions) {
  const workspace = yield* Workspace
  const roots = isAbsolute(path) ? [""] : yield* workspace.roots
  let refusal: PathError | undefined
  for (const root of roots) {
    const target = root === "" ? path : join(root, path)
    if (!exists(target)) continue
    const resolved = yield* Effect.either(workspace.resolve(target, "read"))
    if (resolved._tag === "Right") return { _tag: "Found", path: resolved.right } satisfies Located as Located
    refusal = resolved.left
    if (resolved.left.kind !== "outside" || !(yield* options.mayRead(target))) continue
    const opened = yield* workspace
      .allowRead(target)
      .pipe(Effect.zipRight(workspace.resolve(target, "read")), Effect.option)
    if (opened._tag === "Some") return { _tag: "Found", path: opened.value } satisfies Located as Located
  }
  return (refusal === undefined ? { _tag: "Missing" } : { _tag: "Refused", error: refusal }) as Located
})

/** A text that cannot even be a path names nothing. */
const exists = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

const describe = Effect.fnUntraced(function* (path: ResolvedPath, range: LineRange | undefined) {
  const shown = (yield* shownPath(path.named)) + rangeText(range)
  const isFolder = statOrNone(path.real)?.isDirectory() === true
  if (yield* isIgnored(path, isFolder)) return { _tag: "Nothing", why: "ignore files hide it" } as const
  if (!isFolder) return { _tag: "File", shown, file: path, ...(range === undefined ? {} : { range }) } as const
  const pattern = shown === "" ? "**" : `${shown}/**`
  return { _tag: "Files", shown: pattern, pattern, paths: yield* filesBelow(path.real) } as const
})

const rangeText = (range: LineRange | undefined): string =>
  range === undefined ? "" : range.start === range.end ? `:${range.start}` : `:${range.start}-${range.end}`

const isIgnored = Effect.fnUntraced(function* (path: ResolvedPath, isFolder: boolean) {
  const filter = yield* FileFilter
  for (const candidate of new Set([path.named, path.real])) {
    const root = yield* rootOf(candidate)
    if (root !== undefined && (yield* filter.rules(root)).ignores(candidate, isFolder)) return true
  }
  return false
})

const resolveHit = Effect.fnUntraced(function* (hit: string) {
  const workspace = yield* Workspace
  const path = yield* Effect.option(workspace.resolve(hit, "read"))
  return path._tag === "None" ? undefined : yield* describe(path.value, undefined)
})

/** From the folder of the session where it lies there: that is where the model's tools start from. */
export const shownPath = Effect.fnUntraced(function* (path: string) {
  const { targetDir } = yield* Workspace
  return isInside(targetDir, path) ? relative(targetDir, path).replaceAll("\\", "/") : path
})

const refusalText = ({ kind }: PathError): string =>
  kind === "outside" ? "it lies outside the workspace (--include-directories opens it)" : "it is protected"
