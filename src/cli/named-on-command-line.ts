/**
 * Folders and extensions that the command line names must be there: a run without them would do something else than was
 * asked, and say that it succeeded. What settings name may be missing on this machine, and is only said.
 */
import { statSync } from "node:fs"
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { includeDirectories, locateFolder } from "../config/workspace-roots.ts"
import { unknownExtensions } from "../extensions/load-enabled.ts"
import { oneLine } from "../kernel/one-line.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { RunOptions } from "./run-options.ts"
import { UsageError } from "./usage-error.ts"

/** Lines about what is missing and not fatal. */
export const checkNames = Effect.fnUntraced(function* (
  { bare, extensions, includeDirectories: named = [] }: Pick<RunOptions, "bare" | "extensions" | "includeDirectories">,
  config: LoadedConfig
) {
  const folder = named.find((path) => !isFolder(locateFolder(path, config.environment)))
  if (folder !== undefined) {
    return yield* missing(`--include-directories: there is no folder "${folder}"`, "Correct the path, or leave it out.")
  }
  const [extension] = extensions === undefined || bare ? [] : yield* unknownExtensions({ config, named: extensions })
  if (extension !== undefined) {
    return yield* missing(
      `-e names an extension that is not installed: "${extension}"`,
      "gemini --list-extensions shows what there is."
    )
  }
  return includeDirectories(config, [])
    .filter((path) => !isFolder(path))
    .map((path) => `[WARNING] context.includeDirectories: there is no folder ${path}; it is left out`)
})

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const LINE_LENGTH = 200

const missing = (message: string, hint: string) =>
  new UsageError({ message: oneLine(message, LINE_LENGTH), hint, exitCode: ExitCode.input })
