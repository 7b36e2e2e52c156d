/**
 * What is installed: every folder of `~/.gemini/extensions`, each read by itself, so that a broken one costs nobody else.
 * Whether an extension is on here is not asked yet.
 */
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect, Either, Option, Schema } from "effect"
import { formatIssue } from "../config/config-error.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { ENABLEMENT_NAME } from "./enablement-file.ts"
import type { Manifest } from "./manifest.ts"
import { inspectManifest } from "./read-manifest.ts"
import { extensionId, InstallMetadata, METADATA_NAME } from "./source.ts"

export interface InstalledExtension {
  readonly name: string
  readonly id: string
  /** `~/.gemini/extensions/<name>`: what the program keeps about it. */
  readonly folder: string
  /** Where its files are: the folder, or the source of a linked one. */
  readonly path: string
  /** As written: variables are not filled in. */
  readonly manifest: Manifest
  /** Absent for a folder that somebody put there by hand. */
  readonly metadata: InstallMetadata | undefined
}

export interface Installed {
  readonly extensions: ReadonlyArray<InstalledExtension>
  /** Why folders were left out, one line each. */
  readonly problems: ReadonlyArray<string>
}

const MAX_BYTES = 64 * 1024

/** Names of the folders, sorted; a missing folder has none. Names with a dot before them are the program's own. */
export const extensionFolders = (extensionsDir: string): ReadonlyArray<string> => {
  try {
    return readdirSync(extensionsDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith(".") && !name.startsWith(ENABLEMENT_NAME))
      .sort()
  } catch {
    return []
  }
}

export const readInstalled = Effect.fn("Extensions.readInstalled")(function* (extensionsDir: string) {
  const extensions: Array<InstalledExtension> = []
  const problems: Array<string> = []
  for (const name of extensionFolders(extensionsDir)) {
    const read = yield* readOne(join(extensionsDir, name))
    const twin = Either.isRight(read) ? extensions.find((other) => other.name === read.right.name) : undefined
    if (Either.isLeft(read)) problems.push(read.left)
    else if (twin === undefined) extensions.push(read.right)
    else problems.push(`${read.right.folder} is left out: ${twin.folder} is an extension "${twin.name}" too`)
  }
  return { extensions, problems } satisfies Installed
})

const readOne = Effect.fnUntraced(function* (folder: string) {
  const metadata = readMetadata(folder)
  if (Either.isLeft(metadata)) return Either.left(metadata.left)
  const path = metadata.right?.type === "link" ? metadata.right.source : folder
  return Either.mapBoth(yield* inspectManifest(path), {
    onLeft: (issues) => `extension "${basename(folder)}" is left out: ${issues.map(formatIssue).join("; ")}`,
    onRight: (manifest): InstalledExtension => ({
      name: manifest.name,
      id: extensionId(manifest.name, metadata.right),
      folder,
      path,
      manifest,
      metadata: metadata.right
    })
  })
})

const readMetadata = (folder: string): Either.Either<InstallMetadata | undefined, string> => {
  const file = join(folder, METADATA_NAME)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") return Either.right(undefined)
  const decoded = content.kind === "text" ? decodeMetadata(content.text) : Option.none()
  return Option.match(decoded, {
    onNone: () =>
      Either.left(`extension "${basename(folder)}" is left out: ${file} cannot be understood; install it again`),
    onSome: (metadata) => Either.right(metadata)
  })
}

/** One schema for all: a new one for each file would be compiled anew. */
const MetadataText = Schema.parseJson(InstallMetadata)

const decodeMetadata = (text: string) => Schema.decodeUnknownOption(MetadataText)(text)
