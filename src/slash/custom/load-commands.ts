/** Commands from files: of the user, of a trusted project, of extensions. One bad file is told of; the others count. */

import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect, Either } from "effect"
import { strayReason } from "../../files/brought-file.ts"
import { lazy } from "../../kernel/lazy.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import type { Command, CommandSource } from "../command.ts"
import type { CustomServices } from "./run-custom.ts"

export interface CommandFolder {
  readonly folder: string
  /** Its files lie in here, links followed; absent for those of the user. */
  readonly border?: string
  readonly sourceOf: (file: string) => CommandSource
}

const MAX_BYTES = 1024 * 1024

/** In the order of the folders, and within each by name. */
export const loadCommands = Effect.fn("loadCommands")(function* <C>(
  folders: ReadonlyArray<CommandFolder>,
  provide: (command: Command<CustomServices>) => C
) {
  const places = folders.flatMap(({ border, folder, sourceOf }) =>
    findCommandFiles(folder).map((file) => ({ border, file, name: commandName(folder, file), source: sourceOf(file) }))
  )
  const commands: Array<C> = []
  const notices: Array<string> = []
  const found = { commands, notices }
  if (places.length === 0) return found
  const { readCommandFile } = yield* lazy(() => import("./command-file.live.ts"))
  const { customCommand } = yield* lazy(() => import("./run-custom.ts"))
  for (const { border, file, name, source } of places) {
    const read = Either.flatMap(textOf(file, border), (text) => readCommandFile(file, text))
    if (Either.isLeft(read)) notices.push(read.left)
    else {
      notices.push(...read.right.notes)
      commands.push(provide(customCommand(name, source, read.right.command)))
    }
  }
  return found
})

const textOf = (file: string, border: string | undefined): Either.Either<string, string> => {
  const stray = border === undefined ? undefined : strayReason(file, [border])
  if (stray !== undefined) return Either.left(`${file}: the file ${stray}`)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "text") return Either.right(content.text)
  return Either.left(`${file}: ${content.kind === "missing" ? "the file is gone" : `the file ${content.reason}`}`)
}

/** A folder with more is not one of commands. */
const MAX_FILES = 1_000
const MAX_DEPTH = 20
const MAX_SEGMENT = 50

/** The TOML files of a folder in plain order; links are followed, each folder once. One that does not exist holds none. */
const findCommandFiles = (folder: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const seen = new Set<string>()
  const visit = (place: string, depth: number): void => {
    const real = realOf(place)
    if (real === undefined || seen.has(real) || depth > MAX_DEPTH) return
    seen.add(real)
    for (const entry of entriesOf(place)) {
      const path = join(place, entry.name)
      const kind = entry.isSymbolicLink() ? targetOf(path) : entry
      if (kind?.isDirectory() === true) visit(path, depth + 1)
      // What is no regular file is taken too: reading it says so.
      else if (kind !== undefined && entry.name.endsWith(".toml") && found.length < MAX_FILES) found.push(path)
    }
  }
  visit(folder, 0)
  return found.toSorted()
}

/** `git/fix.toml` is `/git:fix`. */
const commandName = (folder: string, file: string): string =>
  relative(folder, file)
    .slice(0, -".toml".length)
    .split(sep)
    .map((segment) => segment.replace(/[^A-Za-z0-9_.-]/g, "_"))
    .map((segment) => (segment.length > MAX_SEGMENT ? `${segment.slice(0, MAX_SEGMENT - 3)}...` : segment))
    .join(":")

const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const targetOf = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
