/**
 * Something that a project brings along and that would run, or be connected to, with the rights of whoever works in
 * it; settings that hold a command line are such. A person agrees to it in one form: what it is, and the content of
 * the project's files that it runs. Any change makes another fingerprint, and has to be agreed to again.
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import type { SettingKey } from "../setting-table.ts"
import type { SettingSource, SettingsView } from "../settings.ts"
import { type Places, runFiles } from "./run-files.ts"

export type ProgramKind = "hook" | "server" | "command"

/** In the plural, for people. */
export const PROGRAM_KINDS: Readonly<Record<ProgramKind, string>> = {
  hook: "hooks",
  server: "MCP servers",
  command: "commands in the settings"
}

export interface ProjectProgram {
  readonly kind: ProgramKind
  /** One line for people: what it is, and what would run. */
  readonly what: string
  /** Where it stands: `file:line`. */
  readonly place: string
  readonly fingerprint: string
}

export interface ProgramContent {
  readonly kind: ProgramKind
  /** Everything that decides what it does; plain data. */
  readonly says: unknown
  /** Command lines, whose files of the project count as well. */
  readonly commands: ReadonlyArray<string>
  /** Where the commands run; the project where nothing is said. */
  readonly folder?: string | undefined
}

/** Hooks were first, and bear no word in front. */
const MARKS: Readonly<Record<ProgramKind, string>> = {
  hook: "sha256:",
  server: "server:sha256:",
  command: "command:sha256:"
}

export const fingerprintOf = ({ commands, folder, kind, says }: ProgramContent, project: string): string => {
  const hash = new Bun.CryptoHasher("sha256")
  hash.update(JSON.stringify(says))
  for (const file of commands.flatMap((command) => runFiles(command, placesIn(project), project, folder))) {
    hash.update(`\0${relative(project, file)}\0`)
    hash.update(contentOf(file))
  }
  return `${MARKS[kind]}${hash.digest("hex")}`
}

export const isFingerprint = (entry: string): boolean => Object.values(MARKS).some((mark) => entry.startsWith(mark))

export const isOfKind = (fingerprint: string, kind: ProgramKind): boolean => fingerprint.startsWith(MARKS[kind])

/** Names in order: the same settings written in another order are the same. */
export const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, entry]) => [name, inOrder(entry)])
}

/** Those that are the same in every session. */
const placesIn = (project: string): Places => ({
  GEMINI_PROJECT_DIR: project,
  GEMINI_CWD: project,
  CLAUDE_PROJECT_DIR: project
})

/** One that cannot be read is not the one that could. */
const contentOf = (file: string): Uint8Array | string => {
  try {
    return readFileSync(file)
  } catch {
    return "unreadable"
  }
}

const COMMAND_KEYS = ["tools.discoveryCommand", "tools.callCommand", "tools.shell.pager"] as const

type CommandKey = (typeof COMMAND_KEYS)[number]

export interface ProjectCommand extends ProjectProgram {
  readonly key: CommandKey
}

/** Settings whose value is a command line that is run: those that the project sets are confirmed like its hooks. */
export const projectCommands = (settings: SettingsView, project: string): ReadonlyArray<ProjectCommand> =>
  COMMAND_KEYS.flatMap((key) => {
    const source = projectSource(settings, key)
    if (source === undefined) return []
    const command = String(source.value)
    return [
      {
        key,
        kind: "command" as const,
        what: `${key}: ${command}`,
        place: `${source.file}:${source.line}`,
        fingerprint: fingerprintOf({ kind: "command", says: [key, command], commands: [command] }, project)
      }
    ]
  })

/** The project's file has the last word on a key, and says something else than the user's own files. */
export const projectSource = (settings: SettingsView, key: SettingKey): SettingSource | undefined => {
  const { sources } = settings.explain(key)
  const last = sources.at(-1)
  if (last?.scope !== "workspace" || last.value === null) return undefined
  const isOwn = sources.some(({ scope, value }) => scope !== "workspace" && value === last.value)
  return isOwn ? undefined : last
}
