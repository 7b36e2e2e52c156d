/**
 * Collects the rule files of all sources: administrator, user, project, extensions.
 *
 * Whose file it is decides how much is believed: an extension may not allow anything, a project only what the user has
 * confirmed; and what happens when it is broken: an administrator's file stops the run, a user's file forces a question
 * for everything, others are reported.
 */

import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { Effect } from "effect"
import { errnoOf } from "../files/file-error.ts"
import { lazy } from "../kernel/lazy.ts"
import { hashOf, isAccepted } from "./integrity.ts"
import { PolicyError, type PolicyProblem, problemText, type RuleFile } from "./policy-problem.ts"
import type { PolicyRule, Tier } from "./rule.ts"
import type { CheckerRule } from "./safety-checkers.ts"

export interface PolicySources {
  /** The user's `.gemini` folder; absent where there is no home. */
  readonly geminiDir: string | undefined
  readonly project: string
  readonly home: string | undefined
  readonly isTrusted: boolean
  /** `--policy` or `policyPaths`: instead of the user's own files. Absent: not given. */
  readonly policyPaths?: ReadonlyArray<string>
  /** Of a file with a prompt that is run: beside those, never instead. */
  readonly programPolicies?: ReadonlyArray<string>
  /** `--admin-policy` or `adminPolicyPaths`. */
  readonly adminPolicyPaths?: ReadonlyArray<string>
  readonly systemDir: string
  readonly extensions: ReadonlyArray<{ readonly name: string; readonly dir: string }>
  /** The project's allowing rules count without the user's confirmation of this very content. */
  readonly acceptsWorkspace: boolean
}

/** Allowing rules of the project that wait for the user's agreement. */
export interface PendingWorkspace {
  readonly hash: string
  readonly rules: ReadonlyArray<PolicyRule>
}

export interface LoadedPolicies {
  readonly rules: ReadonlyArray<PolicyRule>
  readonly checkers: ReadonlyArray<CheckerRule>
  readonly problems: ReadonlyArray<PolicyProblem>
  /** Why everything must be asked; absent when all of the user's files could be read. */
  readonly forceAsk: string | undefined
  readonly pending: PendingWorkspace | undefined
}

export const systemPolicyDir = (platform: NodeJS.Platform): string => {
  if (platform === "darwin") return "/Library/Application Support/GeminiCli/policies"
  return platform === "win32" ? "C:\\ProgramData\\gemini-cli\\policies" : "/etc/gemini-cli/policies"
}

export const loadPolicyFiles = Effect.fn("Policy.loadFiles")(function* (sources: PolicySources) {
  const found = findFiles(sources)
  if (found.files.length === 0) return { ...nothingLoaded, problems: found.problems }
  const { readRuleFile } = yield* lazy(() => import("./rule-file.live.ts"))
  const rules: Array<PolicyRule> = []
  const confirmed: Array<PolicyRule> = []
  const checkers: Array<CheckerRule> = []
  const problems: Array<PolicyProblem> = [...found.problems]
  let forceAsk: string | undefined
  for (const file of found.files) {
    const read =
      file.content === undefined
        ? unreadable(file.path, file.fault ?? "")
        : readRuleFile(file.content, { ...file, file: file.path })
    problems.push(...read.problems)
    if (!read.isParsed) {
      const [problem] = read.problems
      if (file.tier === "admin") {
        return yield* new PolicyError({
          file: file.path,
          ...(problem?.line === undefined ? {} : { atLine: problem.line }),
          detail: problem?.message ?? "unreadable"
        })
      }
      if (file.tier === "user" && problem !== undefined)
        forceAsk ??= `the policy file cannot be read: ${problemText(problem)}`
    }
    const counting = read.rules.filter((rule) => file.tier !== "extension" || isFitForExtension(rule))
    rules.push(...counting)
    if (file.isRun === true) confirmed.push(...counting)
    checkers.push(
      ...read.checkers.filter((checker) => file.tier !== "extension" || !(checker.modes ?? []).includes("yolo"))
    )
  }
  return {
    ...confirmedOnly(rules, confirmed, found.files, sources),
    checkers,
    problems,
    forceAsk
  } satisfies LoadedPolicies
})

const nothingLoaded: LoadedPolicies = { rules: [], checkers: [], problems: [], forceAsk: undefined, pending: undefined }

interface FoundFile {
  readonly path: string
  readonly tier: Tier
  readonly content: string | undefined
  readonly fault?: string
  /** The person runs the program that it belongs to, which is the confirmation. */
  readonly isRun?: boolean
}

interface Found {
  readonly files: ReadonlyArray<FoundFile>
  readonly problems: ReadonlyArray<PolicyProblem>
}

const unreadable = (file: string, message: string): RuleFile => ({
  rules: [],
  checkers: [],
  problems: [{ kind: "file_read", severity: "error", file, message }],
  isParsed: false
})

/** It stands among them, and says what commands may use instead of which may run. */
const OF_THE_SANDBOX = "sandbox.toml"

const findFiles = (sources: PolicySources): Found => {
  const problems: Array<PolicyProblem> = []
  const skip = (file: string, message: string) =>
    void problems.push({ kind: "source_skipped", severity: "warning", file, message })
  const files: Array<FoundFile> = [...adminFiles(sources, skip)]
  const given = sources.policyPaths ?? []
  if (given.length > 0) files.push(...given.flatMap((path) => filesAt(resolve(sources.project, path), "user", skip)))
  else if (sources.geminiDir !== undefined) {
    const folder = join(sources.geminiDir, "policies")
    files.push(
      ...filesAt(folder, "user").filter(({ path }) => path !== join(folder, OF_THE_SANDBOX)),
      ...singleFiles(sources.geminiDir, "user")
    )
  }
  // Of a program: like rules of the project, below everything that the person wrote or typed.
  const ofProgram = (sources.programPolicies ?? []).flatMap((path) => filesAt(path, "workspace", skip))
  files.push(...ofProgram.map((file) => ({ ...file, isRun: true })))
  if (sources.isTrusted && sources.project !== sources.home) {
    const folder = join(sources.project, ".gemini")
    files.push(...filesAt(join(folder, "policies"), "workspace"), ...singleFiles(folder, "workspace"))
  }
  for (const extension of sources.extensions) files.push(...filesAt(join(extension.dir, "policies"), "extension"))
  return { files, problems }
}

type Skip = (file: string, message: string) => void

const adminFiles = (sources: PolicySources, skip: Skip): ReadonlyArray<FoundFile> => {
  const system = filesAt(sources.systemDir, "admin")
  const given = sources.adminPolicyPaths ?? []
  if (system.length === 0) return given.flatMap((path) => filesAt(resolve(sources.project, path), "admin", skip))
  for (const path of given) skip(path, `ignored, because ${sources.systemDir} holds policies`)
  const stats = statOf(sources.systemDir)
  if (stats !== undefined && isProtected(stats)) return system
  skip(sources.systemDir, "ignored: it must belong to root, and nobody else may write to it")
  return []
}

/** Only an administrator can put files there. Windows grants no such bits; its access lists are the system's concern. */
export const isProtected = (
  stats: Pick<Stats, "uid" | "mode">,
  platform: NodeJS.Platform = process.platform
): boolean => platform === "win32" || (stats.uid === 0 && (stats.mode & 0o022) === 0)

/** A folder gives its own `*.toml` files in order of name. Something missing gives nothing. */
const filesAt = (path: string, tier: Tier, skip?: Skip): ReadonlyArray<FoundFile> => {
  const stats = statOf(path)
  if (stats === undefined) {
    skip?.(path, "there is no such file or folder")
    return []
  }
  if (!stats.isDirectory()) return [readAt(path, tier)]
  return namesIn(path).map((name) => readAt(join(path, name), tier))
}

/** Older places of rules. Whatever stands there was meant to count: what cannot be read is reported, not passed over. */
const singleFiles = (folder: string, tier: Tier): ReadonlyArray<FoundFile> =>
  ["policies.toml", "policy.toml"]
    .map((name) => join(folder, name))
    .filter((path) => statOf(path) !== undefined)
    .map((path) => readAt(path, tier))

const namesIn = (folder: string): ReadonlyArray<string> =>
  attempt((): ReadonlyArray<Dirent> => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.name.endsWith(".toml") && !entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted()

const MAX_FILE_BYTES = 1_048_576

const readAt = (path: string, tier: Tier): FoundFile => {
  try {
    // A pipe or a device in the folder would block or never end.
    const stats = statSync(path)
    if (!stats.isFile()) return { path, tier, content: undefined, fault: "it is no regular file" }
    if (stats.size > MAX_FILE_BYTES) return { path, tier, content: undefined, fault: "it is larger than 1 MiB" }
    return { path, tier, content: readFileSync(path, "utf8") }
  } catch (cause) {
    return { path, tier, content: undefined, fault: `it cannot be read (${errnoOf(cause)})` }
  }
}

const statOf = (path: string): Stats | undefined => attempt(() => statSync(path), undefined)

const attempt = <A>(action: () => A, otherwise: A): A => {
  try {
    return action()
  } catch {
    return otherwise
  }
}

/** An extension may deny and ask, but allow nothing, and say nothing about YOLO. */
export const isFitForExtension = (rule: PolicyRule): boolean =>
  rule.decision !== "allow" && !(rule.modes ?? []).includes("yolo")

/** A project's prohibitions and questions count at once; its permissions only in the state that the user confirmed. */
const confirmedOnly = (
  rules: ReadonlyArray<PolicyRule>,
  confirmed: ReadonlyArray<PolicyRule>,
  files: ReadonlyArray<FoundFile>,
  sources: PolicySources
): Pick<LoadedPolicies, "rules" | "pending"> => {
  const allowing = rules.filter(
    (rule) => rule.tier === "workspace" && rule.decision === "allow" && !confirmed.includes(rule)
  )
  if (allowing.length === 0 || sources.acceptsWorkspace) return { rules, pending: undefined }
  const hash = hashOfProject(files, sources)
  if (sources.geminiDir !== undefined && isAccepted(sources.geminiDir, sources.project, hash))
    return { rules, pending: undefined }
  return { rules: rules.filter((rule) => !allowing.includes(rule)), pending: { hash, rules: allowing } }
}

const hashOfProject = (files: ReadonlyArray<FoundFile>, sources: PolicySources): string =>
  hashOf(
    files
      .filter((file) => file.tier === "workspace" && file.isRun !== true)
      .map((file) => ({ path: relative(sources.project, file.path), content: file.content ?? "" }))
  )

/** The hash of the project's policy files as they stand now. */
export const workspaceHash = (sources: PolicySources): string => hashOfProject(findFiles(sources).files, sources)
