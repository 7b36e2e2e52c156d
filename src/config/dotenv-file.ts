/**
 * Which `.env` file applies, and what it may add. Exactly one file is taken: the nearest on the way up from the
 * working folder, else the user's. An untrusted folder contributes nothing; the files in the home folder always count.
 *
 * Trust in a project covers what it computes with, not what computes: whatever decides which programs run, what they
 * load, where connections go or how this program is set up is left out and told. `~/.gemini/.env` is a file of the user
 * for this program alone, as good as the shell that started it, so everything counts there. `~/.env` is not: other
 * programs write it, and where the home folder is a checkout it came with the repository.
 */
import { basename, dirname, join } from "node:path"
import { guidesAnything } from "../system/guiding-variables.ts"
import { readRegularFile, statOrNone } from "../system/regular-file.ts"
import type { Finding } from "./config-error.ts"
import { parseDotenv } from "./dotenv.ts"

export interface DotenvInput {
  readonly cwd: string
  readonly home: string | undefined
  readonly isTrusted: boolean
  /** Skip plain `.env` files outside the home folder. */
  readonly ignoreLocal: boolean
  /** Names that a project's file may not set. */
  readonly excluded: ReadonlyArray<string>
  readonly variables: Readonly<Record<string, string>>
}

export interface DotenvResult {
  /** Undefined when no file applies. */
  readonly file: string | undefined
  /** What was added; variables that exist already, even empty ones, are never changed. */
  readonly added: Readonly<Record<string, string>>
  /** Everything that the file sets, added or not. */
  readonly values: Readonly<Record<string, string>>
  /** The user wrote it for this program; anything else may have come with a project. */
  readonly isOwn: boolean
  readonly findings: ReadonlyArray<Finding>
}

const MAX_DOTENV_BYTES = 1024 * 1024

export const loadDotenv = (input: DotenvInput): DotenvResult => {
  const findings: Array<Finding> = []
  for (const file of candidates(input)) {
    const stat = statOrNone(file)
    // A folder of that name is an environment of Python; from a pipe, secrets may have been meant to come.
    if (stat?.isFIFO() === true || stat?.isSocket() === true) {
      findings.push({ severity: "warning", file, message: "is not a regular file; ignored" })
    }
    if (stat?.isFile() !== true) continue
    if (isForeign(file, stat.uid, input)) {
      findings.push({ severity: "warning", file, message: "belongs to another user; ignored" })
      continue
    }
    const content = readRegularFile(file, MAX_DOTENV_BYTES)
    if (content.kind === "text") {
      const { withheld, ...contributed } = contribution(file, content.text, input)
      return { ...contributed, findings: [...findings, ...withheldFindings(file, withheld)] }
    }
    if (content.kind === "refused") findings.push({ severity: "warning", file, message: `${content.reason}; ignored` })
    break
  }
  return { file: undefined, added: {}, values: {}, isOwn: true, findings }
}

/** In the order of the search. */
export const candidates = ({ cwd, home, isTrusted, ignoreLocal }: DotenvInput): ReadonlyArray<string> => {
  const folders = new Set([...(isTrusted ? ancestors(cwd) : []), ...(home === undefined ? [] : [home])])
  return [...folders].flatMap((folder) => [
    join(folder, ".gemini", ".env"),
    ...(ignoreLocal && folder !== home ? [] : [join(folder, ".env")])
  ])
}

const ancestors = (folder: string): ReadonlyArray<string> => {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestors(parent)]
}

const contribution = (file: string, text: string, { excluded, home, variables }: DotenvInput) => {
  const values = parseDotenv(text)
  const isOwn = home !== undefined && file === join(home, ".gemini", ".env")
  const unwanted = new Set(basename(dirname(file)) === ".gemini" ? [] : excluded)
  const fresh = Object.entries(values).filter(([name]) => !Object.hasOwn(variables, name) && !unwanted.has(name))
  const isWithheld = ([name]: readonly [string, string]) => !isOwn && isNotForProjects(name)
  return {
    file,
    added: Object.fromEntries(fresh.filter((entry) => !isWithheld(entry))),
    values,
    isOwn,
    withheld: fresh.filter(isWithheld).map(([name]) => name)
  }
}

/** How this program is set up: its places and limits, the servers that get the user's key, its own records. */
const OURS =
  /^(?:GEMINI_.*|(?:BUILD_)?SANDBOX(?:_.*)?|SEATBELT_PROFILE|GOOGLE_(?:GEMINI|VERTEX)_BASE_URL|(?:CODE_ASSIST|OAUTH_CALLBACK)_.*|GOOGLE_(?:APPLICATION_CREDENTIALS|CLOUD_ACCESS_TOKEN|GENAI_USE_GCA)|OTEL_EXPORTER_.*|GITHUB_API_URL|CLOUD_SHELL)$/i
/** What such files are written for. A system prompt that a project names is read in the project only, where it is read. */
const FOR_PROJECTS = /^GEMINI_(?:API_KEY|API_KEY_AUTH_MECHANISM|MODEL|SYSTEM_MD)$/

export const isNotForProjects = (name: string): boolean =>
  !FOR_PROJECTS.test(name) && (OURS.test(name) || guidesAnything(name))

const MAX_NAMED = 8

const withheldFindings = (file: string, names: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  if (names.length === 0) return []
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ""
  const message = `${names.slice(0, MAX_NAMED).join(", ")}${more}: such a file may not choose programs, what they load, servers or limits; left out (set it in the shell that starts gemini)`
  return [{ severity: "warning", file, message }]
}

/** Above the working folder anybody may have left a file, as in `/tmp`; it must be ours or the administrator's. */
const isForeign = (file: string, owner: number, { cwd, home }: DotenvInput): boolean => {
  const isNear = [cwd, home].some((folder) => folder !== undefined && candidateFolder(file) === folder)
  return !isNear && process.getuid !== undefined && owner !== 0 && owner !== process.getuid()
}

const candidateFolder = (file: string): string => {
  const folder = dirname(file)
  return basename(folder) === ".gemini" ? dirname(folder) : folder
}
