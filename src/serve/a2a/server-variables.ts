/** What the variables of its process say to a server for other agents: those of the reference's server keep their meaning. */
import { tmpdir } from "node:os"
import { delimiter, isAbsolute, resolve } from "node:path"
import { Effect, LogLevel } from "effect"
import type { LoadInput } from "../../config/load.ts"
import { realPathOf } from "../../config/settings-files.ts"
import { isInside } from "../../files/containment.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { TaskFault } from "./task-host.ts"

type Variables = Readonly<Record<string, string | undefined>>

const LEVELS: Readonly<Record<string, LogLevel.LogLevel>> = {
  none: LogLevel.None,
  error: LogLevel.Error,
  warn: LogLevel.Warning,
  warning: LogLevel.Warning,
  info: LogLevel.Info,
  debug: LogLevel.Debug,
  trace: LogLevel.Debug
}

export const logLevelOf = ({ LOG_LEVEL: wanted = "" }: Variables): LogLevel.LogLevel =>
  LEVELS[wanted.toLowerCase()] ?? LogLevel.Info

/** Variables of such servers that stand for settings. */
export const settingsIn = (env: Variables): LoadInput["given"] => {
  const { CHECKPOINTING: checkpointing = "", CUSTOM_IGNORE_FILE_PATHS: paths = "", GEMINI_FOLDER_TRUST: trust } = env
  const customIgnoreFilePaths = paths.split(delimiter).filter((path) => path !== "")
  const settings = {
    ...(checkpointing === "" ? {} : { general: { checkpointing: { enabled: checkpointing === "true" } } }),
    ...(trust === "true" ? { security: { folderTrust: { enabled: true } } } : {}),
    ...(customIgnoreFilePaths.length === 0 ? {} : { context: { fileFiltering: { customIgnoreFilePaths } } })
  }
  return Object.keys(settings).length === 0
    ? undefined
    : { file: "the variables of the server", text: JSON.stringify(settings) }
}

interface ServerPlace {
  /** Where the server was started. */
  readonly cwd: string | undefined
  readonly env: Variables
  /** Of every task, whatever a caller names. */
  readonly workspace: string | undefined
}

/** Where a task works. What a caller names must lie where the server may work. */
export const taskFolder = (asked: string | undefined, place: ServerPlace): Effect.Effect<string, TaskFault> => {
  const { cwd: home = "/", workspace } = place
  const isOwn = workspace !== undefined && workspace !== ""
  const wanted = isOwn ? workspace : (asked ?? home)
  if (!isOwn && !isAbsolute(wanted)) return new TaskFault({ message: `the folder must be an absolute path: ${wanted}` })
  const folder = realPathOf(resolve(home, wanted))
  if (statOrNone(folder)?.isDirectory() !== true) {
    return new TaskFault({ message: `there is no such folder: ${wanted}` })
  }
  const roots = rootsOf(place).map(realPathOf)
  return isOwn || asked === undefined || roots.some((root) => isInside(root, folder))
    ? Effect.succeed(folder)
    : new TaskFault({ message: `the folder must lie in ${roots.join(", ")} (CODER_AGENT_ALLOWED_ROOT): ${wanted}` })
}

const rootsOf = ({ cwd = "/", env }: ServerPlace): ReadonlyArray<string> => {
  const named = (env.CODER_AGENT_ALLOWED_ROOT ?? "").split(delimiter).filter((root) => root !== "")
  if (named.length > 0) return named
  const usual = [...(env.HOME === undefined ? [] : [env.HOME]), env.TMPDIR ?? tmpdir()]
  // A server that was started in `/` does not work everywhere for that.
  return usual.some((root) => isInside(realPathOf(cwd), realPathOf(root))) ? usual : [cwd, ...usual]
}
