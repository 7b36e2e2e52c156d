/**
 * Which data folder belongs to which project, and how it is named: `projects.json` maps paths to short names, and a
 * marker file in each data folder says whose it is. The markers are the truth: they rebuild a lost registry and
 * overrule a wrong entry.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect, Either, Option, Schema } from "effect"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { StorageError } from "../system/storage-error.ts"

const MARKER = ".project_root"
const MAX_REGISTRY_BYTES = 10 * 1024 * 1024
const MAX_MARKER_BYTES = 64 * 1024

const Registry = Schema.parseJson(
  Schema.Struct({ projects: Schema.Record({ key: Schema.String, value: Schema.String }) })
)

/** Names that this program uses itself below `tmp/`. */
const RESERVED = new Set(["bin", "background-processes"])

interface Folders {
  /** `~/.gemini` */
  readonly userDir: string
  /** Absolute path of the project, as it stands in the registry. */
  readonly project: string
}

/** The short name of the project, registered and with its data folders made. Nothing is written when all is in place. */
export const claimProject = Effect.fn("Storage.claimProject")(function* (folders: Folders) {
  const known = registeredSlug(folders)
  if (known !== undefined && isComplete(folders, known)) return known
  const file = join(folders.userDir, "projects.json")
  yield* attempt(folders.userDir, () => mkdirSync(folders.userDir, { recursive: true, mode: 0o700 }))
  return yield* withLock(file, register(folders, file))
})

/** Every project that has data, by its absolute path. */
export const knownProjects = (userDir: string): ReadonlyArray<{ readonly project: string; readonly slug: string }> =>
  Object.keys(readRegistry(userDir)).flatMap((project) => {
    const slug = registeredSlug({ userDir, project })
    return slug === undefined ? [] : [{ project, slug }]
  })

/** The short name of a project that has one; nothing is written. */
export const findProject = (folders: Folders): string | undefined => registeredSlug(folders) ?? markedSlug(folders)

/** The short name that the project has, or would get now; nothing is written. */
export const plannedProject = (folders: Folders): string =>
  findProject(folders) ?? freeName(folders, readRegistry(folders.userDir))

const freeName = (folders: Folders, projects: Readonly<Record<string, string>>): string =>
  freeSlug(folders.project, (candidate) => isTaken(folders, projects, candidate))

const register = Effect.fnUntraced(function* (folders: Folders, file: string) {
  const projects = readRegistry(folders.userDir)
  const slug = findProject(folders) ?? freeName(folders, projects)
  if (projects[folders.project] !== slug) {
    const content = `${JSON.stringify({ projects: { ...projects, [folders.project]: slug } }, null, 2)}\n`
    yield* writeFileAtomic({ file, content, mode: 0o600 }).pipe(
      Effect.mapError((error) => new StorageError({ path: file, kind: "write", detail: error.code }))
    )
  }
  for (const root of dataRoots(folders.userDir)) {
    yield* attempt(join(root, slug), () => prepareFolder(root, slug, folders.project))
  }
  return slug
})

/** The entry of the registry, unless a marker says that the folder is somebody else's. */
const registeredSlug = (folders: Folders): string | undefined => {
  const projects = readRegistry(folders.userDir)
  const slug = Object.hasOwn(projects, folders.project) ? projects[folders.project] : undefined
  // The file may have been edited: a name that leaves the data folder is no name.
  if (slug === undefined || !/^[a-z0-9][a-z0-9-]*$/.test(slug)) return undefined
  return owners(folders.userDir, slug).every((owner) => owner === undefined || owner === folders.project)
    ? slug
    : undefined
}

const isComplete = (folders: Folders, slug: string): boolean =>
  owners(folders.userDir, slug).every((owner) => owner === folders.project)

/** Looks through the markers for a folder that is ours: the registry was lost, or never had us. */
const markedSlug = (folders: Folders): string | undefined =>
  dataRoots(folders.userDir)
    .flatMap((root) => entriesOf(root).map((name) => ({ root, name })))
    .find(({ root, name }) => ownerOf(root, name) === folders.project)?.name

const isTaken = (folders: Folders, projects: Readonly<Record<string, string>>, slug: string): boolean =>
  RESERVED.has(slug) ||
  Object.entries(projects).some(([path, other]) => other === slug && path !== folders.project) ||
  dataRoots(folders.userDir).some((root) => {
    const owner = ownerOf(root, slug)
    return owner === undefined ? entriesOf(join(root, slug)).length > 0 : owner !== folders.project
  })

const prepareFolder = (root: string, slug: string, project: string): void => {
  const folder = join(root, slug)
  adoptLegacyFolder(join(root, projectHashOf(project)), folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (ownerOf(root, slug) === undefined) writeFileSync(join(folder, MARKER), project, { mode: 0o600 })
}

/** Data of earlier versions lay under the hash of the path. What exists in both places stays where it is. */
const adoptLegacyFolder = (legacy: string, folder: string): void => {
  if (!existsSync(legacy)) return
  if (!existsSync(folder)) {
    renameSync(legacy, folder)
    return
  }
  for (const name of entriesOf(legacy)) {
    if (!existsSync(join(folder, name))) renameSync(join(legacy, name), join(folder, name))
  }
  if (entriesOf(legacy).length === 0) rmdirSync(legacy)
}

/** Broken or missing: empty, to be rebuilt from the markers. */
const readRegistry = (userDir: string): Readonly<Record<string, string>> => {
  const content = readRegularFile(join(userDir, "projects.json"), MAX_REGISTRY_BYTES)
  if (content.kind !== "text") return {}
  return Option.match(Schema.decodeUnknownOption(Registry)(content.text), {
    onNone: () => ({}),
    onSome: ({ projects }) => projects
  })
}

const dataRoots = (userDir: string): ReadonlyArray<string> => [join(userDir, "tmp"), join(userDir, "history")]

const owners = (userDir: string, slug: string): ReadonlyArray<string | undefined> =>
  dataRoots(userDir).map((root) => ownerOf(root, slug))

const ownerOf = (root: string, slug: string): string | undefined => {
  const content = readRegularFile(join(root, slug, MARKER), MAX_MARKER_BYTES)
  return content.kind === "text" && content.text.trim() !== "" ? content.text.trim() : undefined
}

const entriesOf = (folder: string): ReadonlyArray<string> =>
  Either.getOrElse(
    Either.try(() => readdirSync(folder)),
    () => []
  )

const attempt = (path: string, change: () => void): Effect.Effect<void, StorageError> =>
  Effect.try({
    try: change,
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
      return new StorageError({ path, kind: "write", detail: code })
    }
  })

/**
 * The short name under which a project's data is kept, and the longer one that session files carry.
 * `/work/My App` becomes `my-app`.
 */
export const slugOf = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "project"

/** `my-app`, else `my-app-1`, `my-app-2`, … */
export const freeSlug = (folder: string, isTaken: (slug: string) => boolean): string => {
  const base = slugOf(folder)
  let slug = base
  for (let number = 1; isTaken(slug); number++) slug = `${base}-${number}`
  return slug
}

/** Paths of Windows are the same in any case. */
export const projectPath = (folder: string, platform: NodeJS.Platform): string =>
  platform === "win32" ? folder.toLowerCase() : folder

/** SHA-256 of the absolute path: the name of older data folders, and `projectHash` in session files. */
export const projectHashOf = (folder: string): string => new Bun.CryptoHasher("sha256").update(folder).digest("hex")
