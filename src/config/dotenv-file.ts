/**
 * Which `.env` file applies, and what it may add. Exactly one file is taken: the nearest on the way up from the
 * working folder, else the user's. An untrusted folder contributes nothing; the files in the home folder always count.
 */
import { statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { readRegularFile } from "../kernel/regular-file.ts"
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
  readonly findings: ReadonlyArray<Finding>
}

const MAX_DOTENV_BYTES = 1024 * 1024

export const loadDotenv = (input: DotenvInput): DotenvResult => {
  const findings: Array<Finding> = []
  for (const file of candidates(input)) {
    const owner = ownerOfRegularFile(file)
    if (owner === undefined) continue
    if (isForeign(file, owner, input)) {
      findings.push({ severity: "warning", file, message: "belongs to another user; ignored" })
      continue
    }
    const content = readRegularFile(file, MAX_DOTENV_BYTES)
    if (content.kind === "text") return { ...contribution(file, content.text, input), findings }
    if (content.kind === "refused") findings.push({ severity: "warning", file, message: `${content.reason}; ignored` })
    break
  }
  return { file: undefined, added: {}, values: {}, findings }
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

const contribution = (file: string, text: string, { excluded, variables }: DotenvInput) => {
  const values = parseDotenv(text)
  const withheld = new Set(file.includes(".gemini") ? [] : excluded)
  const added = Object.entries(values).filter(([name]) => !Object.hasOwn(variables, name) && !withheld.has(name))
  return { file, added: Object.fromEntries(added), values }
}

/** Undefined for what is not there, and for folders, FIFOs and devices, which the search passes over. */
const ownerOfRegularFile = (file: string): number | undefined => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat?.isFile() === true ? stat.uid : undefined
  } catch {
    return undefined
  }
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
