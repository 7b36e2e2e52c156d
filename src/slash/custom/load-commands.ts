/** Commands from files: of the user, of a trusted project, of extensions. One bad file is told of; the others count. */

import { Effect, Either } from "effect"
import { strayReason } from "../../files/brought-file.ts"
import { lazy } from "../../kernel/lazy.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import type { Command, CommandSource } from "../command.ts"
import type { Discovered } from "../command-registry.ts"
import { commandName, findCommandFiles } from "./find-command-files.ts"
import type { CustomServices } from "./run-custom.ts"

export interface CommandFolder {
  readonly folder: string
  /** Its files lie in here, links followed; absent for those of the user. */
  readonly border?: string
  readonly sourceOf: (file: string) => CommandSource
}

const MAX_BYTES = 1024 * 1024

/** In the order of the folders, and within each by name. */
export const loadCommands = Effect.fn("loadCommands")(function* (
  folders: ReadonlyArray<CommandFolder>,
  provide: (command: Command<CustomServices>) => Command
) {
  const places = folders.flatMap(({ border, folder, sourceOf }) =>
    findCommandFiles(folder).map((file) => ({ border, file, name: commandName(folder, file), source: sourceOf(file) }))
  )
  if (places.length === 0) return NONE
  const { readCommandFile } = yield* lazy(() => import("./command-file.live.ts"))
  const { customCommand } = yield* lazy(() => import("./run-custom.ts"))
  const commands: Array<Command> = []
  const notices: Array<string> = []
  for (const { border, file, name, source } of places) {
    const read = Either.flatMap(textOf(file, border), (text) => readCommandFile(file, text))
    if (Either.isLeft(read)) notices.push(read.left)
    else commands.push(provide(customCommand(name, source, read.right)))
  }
  return { commands, notices } satisfies Discovered as Discovered
})

const NONE: Discovered = { commands: [], notices: [] }

const textOf = (file: string, border: string | undefined): Either.Either<string, string> => {
  const stray = border === undefined ? undefined : strayReason(file, [border])
  if (stray !== undefined) return Either.left(`${file}: the file ${stray}`)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "text") return Either.right(content.text)
  return Either.left(`${file}: ${content.kind === "missing" ? "the file is gone" : `the file ${content.reason}`}`)
}
