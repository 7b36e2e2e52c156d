/**
 * What a folder would contribute if it were trusted, for the question whether to trust it. Only names are read, within
 * limits; nothing of it acts.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Clock, Duration, Effect, Predicate } from "effect"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { statOrNone } from "../system/regular-file.ts"
import type { LoadedConfig } from "./load.ts"
import type { SettingsDocument } from "./settings-document.ts"
import { readSettingsFile } from "./settings-files.ts"

export interface Contribution {
  /** In the plural, such as `hooks`. */
  readonly kind: string
  /** What they are; the first few. */
  readonly names: ReadonlyArray<string>
  readonly count: number
}

const MAX_NAMES = 8
/** A folder of commands with more entries is only counted up to here. */
const MAX_ENTRIES = 1000

export const projectContents = Effect.fn("FolderTrust.contents")(function* (
  cwd: string,
  contextFileNames: ReadonlyArray<string>
) {
  const own = join(cwd, ".gemini")
  const document = yield* readSettingsFile({ scope: "workspace", file: join(own, "settings.json") })
  return [
    contribution("hooks", [...hookNames(document), ...present(own, ["hooks.toml"])]),
    contribution("MCP servers", serverNames(document)),
    contribution("settings", settingNames(document)),
    contribution("commands", filesBelow(join(own, "commands"), ".toml")),
    contribution("skills", foldersIn(join(own, "skills"))),
    contribution("agents", filesBelow(join(own, "agents"), ".md")),
    contribution("policies", filesBelow(join(own, "policies"), ".toml")),
    contribution("environment files", present(cwd, [".gemini/.env", ".env"])),
    contribution("context files", present(cwd, contextFileNames))
  ].filter(({ count }) => count > 0)
})

/**
 * What a run leaves out because the folder is not trusted, in one line: only where there is something, and for each folder
 * once a day. `isKept`: that it was told may be remembered.
 */
export const untrustedNotices = Effect.fn("FolderTrust.notices")(function* (
  { environment, settings, storage, trust }: Pick<LoadedConfig, "environment" | "settings" | "storage" | "trust">,
  { isKept }: { readonly isKept: boolean }
) {
  if (trust.trust === "trusted") return []
  const contents = yield* projectContents(environment.cwd, settings.get("context.fileName") ?? ["GEMINI.md"])
  if (contents.length === 0) return []
  const known = storage.knownProjectTempDir()
  if (known !== undefined && (yield* wasToldToday(join(known, TOLD)))) return []
  if (isKept) {
    yield* storage.projectTempDir.pipe(
      Effect.flatMap((folder) => writeFileAtomic({ file: join(folder, TOLD), content: "", mode: 0o600 })),
      Effect.ignore
    )
  }
  const left = contents.map(({ count, kind, names }) => `${kind} (${count > 3 ? count : names.join(", ")})`)
  return [
    `[INFO] ${environment.cwd} is not trusted, so this is left out: ${left.join("; ")} (--skip-trust trusts it for this run)`
  ]
})

/** Its time says when. */
const TOLD = "untrusted-told"

const wasToldToday = (file: string): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const age = now - (statOrNone(file)?.mtimeMs ?? Number.NEGATIVE_INFINITY)
    return age >= 0 && age < Duration.toMillis("1 day")
  })

const contribution = (kind: string, names: ReadonlyArray<string>): Contribution => ({
  kind,
  names: names.slice(0, MAX_NAMES),
  count: names.length
})

/** Hooks are named by the commands that they run: that is what one agrees to. */
const hookNames = ({ entries }: SettingsDocument): ReadonlyArray<string> =>
  [...entries]
    .filter(([key]) => key.startsWith("hooks."))
    .flatMap(([key, { value }]) => commandsIn(value).map((command) => `${key.slice("hooks.".length)}: ${command}`))

const commandsIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(commandsIn)
  if (!Predicate.isRecord(value)) return []
  return typeof value.command === "string" ? [value.command] : commandsIn(value.hooks)
}

const serverNames = ({ entries }: SettingsDocument): ReadonlyArray<string> => {
  const servers = entries.get("mcpServers")?.value
  if (!Predicate.isRecord(servers)) return []
  return Object.entries(servers).map(([name, server]) => `${name}: ${serverTarget(server)}`)
}

const serverTarget = (server: unknown): string => {
  if (!Predicate.isRecord(server)) return "?"
  const words = [server.command, ...(Array.isArray(server.args) ? server.args : [])].filter(Predicate.isString)
  return words.length > 0 ? words.join(" ") : String(server.httpUrl ?? server.url ?? server.tcp ?? "?")
}

const settingNames = ({ entries }: SettingsDocument): ReadonlyArray<string> =>
  [...entries.keys()].filter((key) => !key.startsWith("hooks.") && key !== "mcpServers" && key !== "$schema")

const present = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => existsSync(join(folder, name)))

const filesBelow = (folder: string, ending: string): ReadonlyArray<string> =>
  entriesOf(folder, true).filter((name) => name.endsWith(ending))

const foldersIn = (folder: string): ReadonlyArray<string> =>
  entriesOf(folder, false).filter((name) => existsSync(join(folder, name, "SKILL.md")))

const entriesOf = (folder: string, recursive: boolean): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive, encoding: "utf8" }).slice(0, MAX_ENTRIES).sort()
  } catch {
    return []
  }
}
