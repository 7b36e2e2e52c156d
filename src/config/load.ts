/**
 * Reads the whole configuration once, in the only order that works: files outside the project, then trust, then the
 * project's file, then `.env`, then values with their variables expanded. With no settings files at all this is a
 * handful of `stat` calls.
 */
import { sep } from "node:path"
import { Context, Effect } from "effect"
import { services } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { Http } from "../system/http/http.ts"
import { ConfigError, type Finding, formatIssue } from "./config-error.ts"
import { type DotenvResult, loadDotenv } from "./dotenv-file.ts"
import { Environment, type EnvironmentView } from "./environment.ts"
import { FolderTrust, type FolderTrustView, settledTrust, trustByRules } from "./folder-trust.ts"
import { httpOf } from "./http.ts"
import type { Lookup } from "./interpolate.ts"
import type { ProjectGrounds } from "./project-direction.ts"
import { type Resolution, resolveSettings } from "./resolve-settings.ts"
import type { SettingKey } from "./setting-table.ts"
import { makeSettings, Settings, type SettingsView } from "./settings.ts"
import type { SettingsDocument } from "./settings-document.ts"
import {
  homeOf,
  readSettingsFile,
  realPathOf,
  type SettingsFile,
  type SettingsPlace,
  settingsFiles
} from "./settings-files.ts"
import { makeStorage, Storage, type StorageView } from "./storage.ts"
import { readTrustedFolders } from "./trusted-folders-file.ts"
import { locateFolder } from "./workspace-roots.ts"

export interface LoadInput extends SettingsPlace {
  readonly flags: {
    readonly skipTrust: boolean
    readonly ignoreEnv: boolean
    /** The settings and the `.env` of the project are left out, trusted or not. */
    readonly ignoreProject?: boolean
    /** Trust is asked about, whatever the settings say. */
    readonly asksTrust?: boolean
  }
  /** One more document of the user's own, above that of the project. */
  readonly given?: { readonly file: string; readonly text: string } | undefined
  /** Whether the person's editor trusts the folder. */
  readonly trustedByEditor?: boolean | undefined
  /** Go on with what can be read, and only report the rest: for commands that repair the configuration. */
  readonly tolerant?: boolean
  /** Variables that stay as written in settings, so that listing them shows no secrets. */
  readonly isHidden?: (name: string) => boolean
}

export interface LoadedConfig {
  readonly settings: SettingsView
  readonly environment: EnvironmentView
  readonly trust: FolderTrustView
  readonly storage: StorageView
  /** Files by scope, whether they exist or not. */
  readonly files: ReadonlyArray<SettingsFile>
  readonly findings: ReadonlyArray<Finding>
}

/** Which folders the settings of a project may add to the workspace: its own, and those that the user trusts as well. */
interface GroundsInput {
  readonly around: SettingsPlace
  readonly home: string | undefined
  readonly trust: FolderTrustView
  readonly trustedFoldersFile: string
  readonly documents: ReadonlyArray<SettingsDocument>
}

/** A flag or variable that trusts the working folder for one run says nothing about others. Rules are read if needed. */
const projectGrounds = Effect.fnUntraced(function* (input: GroundsInput) {
  const { around, documents, home, trust, trustedFoldersFile } = input
  const isAsked = documents.some(
    ({ entries, scope }) => scope === "workspace" && entries.has("context.includeDirectories")
  )
  if (!isAsked) return undefined
  const rules = yield* Effect.orElseSucceed(readTrustedFolders(trustedFoldersFile), () => [])
  const isTrusted = (folder: string) =>
    trustByRules(
      { skipTrust: false, variable: undefined, isFeatureOn: true, cwd: folder, platform: around.platform },
      rules
    ).trust === "trusted"
  const grounds: ProjectGrounds = {
    mayJoin: (folder) => {
      const place = realPathOf(locateFolder(folder, { cwd: around.cwd, home }))
      const isInside = place === around.cwd || place.startsWith(`${around.cwd}${sep}`)
      return isInside || trust.reason === "feature-off" || isTrusted(place)
    }
  }
  return grounds
})

/** Whether another folder than the working one is trusted: by a word for the whole run, else by the rules. */
export const isTrustedFolder = Effect.fnUntraced(function* (
  folder: string,
  { environment, storage, trust }: Pick<LoadedConfig, "environment" | "storage" | "trust">
) {
  if (trust.reason === "flag" || trust.reason === "variable" || trust.reason === "feature-off") {
    return trust.trust === "trusted"
  }
  const cwd = realPathOf(folder)
  const isInside = cwd === environment.cwd || cwd.startsWith(`${environment.cwd}${sep}`)
  if (trust.reason === "editor" && isInside) return trust.trust === "trusted"
  const rules = yield* Effect.orElseSucceed(readTrustedFolders(storage.trustedFoldersFile), () => [])
  const question = { skipTrust: false, variable: undefined, isFeatureOn: true, cwd, platform: environment.platform }
  return trustByRules(question, rules).trust === "trusted"
})

export const loadConfig = Effect.fn("Config.load")(function* (input: LoadInput) {
  const around: SettingsPlace = { ...input, cwd: realPathOf(input.cwd) }
  const home = homeOf(around)
  const { cwd, platform } = around
  const variables = definedVariables(input.env)
  const storage = yield* makeStorage({
    home,
    cwd,
    platform,
    trustedFoldersFile: variables.GEMINI_CLI_TRUSTED_FOLDERS_PATH
  })
  const files = settingsFiles(around, home)
  const read = withServerFile(files, storage.mcpSettingsFile)
  const outside = yield* Effect.forEach(
    read.filter(({ scope }) => scope !== "workspace"),
    readSettingsFile
  )
  const trustFindings: Array<Finding> = []
  const trust = yield* decideTrust(input, around, outside, storage.trustedFoldersFile).pipe(
    Effect.catchTag("ConfigError", (error) => {
      if (input.tolerant !== true) return error
      trustFindings.push(...error.issues.map((issue) => ({ ...issue, severity: "error" as const })))
      return Effect.succeed<FolderTrustView>({ trust: "untrusted", rule: undefined, reason: "no-rule" })
    })
  )
  const ignoreProject = input.flags.ignoreProject === true
  const found =
    trust.trust === "untrusted" || ignoreProject
      ? outside
      : yield* Effect.forEach(read, (file) => documentOf(file, outside))
  const documents = input.given === undefined ? found : yield* withGiven(found, input.given)

  const early = makeSettings(
    resolveSettings(documents, () => lookupIn(variables), { keys: EARLY_KEYS }),
    []
  )
  const dotenv = loadDotenv({
    cwd,
    home,
    isTrusted: trust.trust === "trusted",
    ignoreLocal: input.flags.ignoreEnv || ignoreProject || early.get("advanced.ignoreLocalEnv"),
    excluded: early.get("advanced.excludedEnvVars"),
    variables
  })
  const completed = { ...variables, ...dotenv.added, ...cloudShellProject(variables, dotenv, early) }
  const grounds = yield* projectGrounds({
    around,
    home,
    trust,
    trustedFoldersFile: storage.trustedFoldersFile,
    documents
  })
  const resolution = resolveSettings(
    documents,
    (scope) => lookupIn(scope === "workspace" || dotenv.isOwn ? completed : variables, input.isHidden),
    grounds === undefined ? {} : { grounds }
  )
  const findings = [...trustFindings, ...resolution.findings, ...dotenv.findings]
  if (input.tolerant !== true) yield* refuseErrors(findings)
  const warnings = findings.filter(({ severity }) => severity === "warning").map(formatIssue)
  const loaded: LoadedConfig = {
    settings: makeSettings(resolution, warnings),
    environment: environmentOf({ cwd, home, platform }, withStoredKey(completed, resolution), dotenv),
    trust,
    storage,
    files,
    findings
  }
  return loaded
})

export type ConfigServices = Settings | Environment | FolderTrust | Storage | Http

export const layer = (loaded: LoadedConfig) => services(contextOf(loaded))

/** The services of a run, from what was loaded. */
export const contextOf = (loaded: LoadedConfig): Context.Context<ConfigServices> =>
  Context.make(Settings, loaded.settings).pipe(
    Context.add(Environment, loaded.environment),
    Context.add(FolderTrust, loaded.trust),
    Context.add(Storage, loaded.storage),
    Context.add(Http, httpOf(loaded))
  )

/** Read before `.env` is, so variables in these keys come from the process only. */
const EARLY_KEYS: ReadonlySet<SettingKey> = new Set<SettingKey>([
  "security.folderTrust.enabled",
  "security.auth.selectedType",
  "advanced.excludedEnvVars",
  "advanced.ignoreLocalEnv"
])

const decideTrust = Effect.fnUntraced(function* (
  input: LoadInput,
  around: SettingsPlace,
  outside: ReadonlyArray<SettingsDocument>,
  file: string
) {
  const early = makeSettings(
    resolveSettings(outside, () => lookupIn(definedVariables(input.env)), { keys: EARLY_KEYS }),
    []
  )
  const question = {
    skipTrust: input.flags.skipTrust,
    variable: input.env.GEMINI_CLI_TRUST_WORKSPACE,
    isFeatureOn: input.flags.asksTrust === true || early.get("security.folderTrust.enabled"),
    byEditor: input.trustedByEditor,
    cwd: around.cwd,
    platform: around.platform
  }
  return settledTrust(question) ?? trustByRules(question, yield* readTrustedFolders(file))
})

/** Servers of the user may stand in a file of their own, which the settings beside it beat by name. */
const withServerFile = (files: ReadonlyArray<SettingsFile>, file: string): ReadonlyArray<SettingsFile> =>
  files.flatMap((one) =>
    one.scope === "user" ? [{ scope: "user" as const, file, isBeside: true as const }, one] : [one]
  )

/** A key in the settings is what the variable would say; as one it reaches whoever asks for it, and nobody else. */
const withStoredKey = (variables: Readonly<Record<string, string>>, { values }: Resolution) => {
  const key = values.get("security.auth.apiKey")
  const isMissing = (variables.GEMINI_API_KEY ?? "").trim() === ""
  return isMissing && typeof key === "string" && key.trim() !== "" ? { ...variables, GEMINI_API_KEY: key } : variables
}

const documentOf = (file: SettingsFile, outside: ReadonlyArray<SettingsDocument>) => {
  const known = outside.find((document) => document.file === file.file)
  return known === undefined ? readSettingsFile(file) : Effect.succeed(known)
}

/** Only the administrator's file is stronger. */
const withGiven = Effect.fnUntraced(function* (
  documents: ReadonlyArray<SettingsDocument>,
  { file, text }: NonNullable<LoadInput["given"]>
) {
  const { readSettingsText } = yield* lazy(() => import("./settings-document.ts"))
  const own = readSettingsText("user", file, text)
  return [
    ...documents.filter(({ scope }) => scope !== "system"),
    own,
    ...documents.filter(({ scope }) => scope === "system")
  ]
})

const refuseErrors = (findings: ReadonlyArray<Finding>): Effect.Effect<void, ConfigError> => {
  const [first, ...rest] = findings
    .filter(({ severity }) => severity === "error")
    .map(({ severity: _, ...issue }) => issue)
  return first === undefined ? Effect.void : new ConfigError({ issues: [first, ...rest] })
}

/** In Cloud Shell the project of the shell is not the one to bill, unless a `.env` names it or Vertex AI is meant. */
const cloudShellProject = (
  variables: Readonly<Record<string, string>>,
  dotenv: DotenvResult,
  early: SettingsView
): Readonly<Record<string, string>> => {
  if (variables.CLOUD_SHELL !== "true") return {}
  const isVertex =
    early.get("security.auth.selectedType") === "vertex-ai" || variables.GOOGLE_GENAI_USE_VERTEXAI === "true"
  const { _GEMINI_USER_GCP_PROJECT: before, GOOGLE_CLOUD_PROJECT: given } = variables
  if (isVertex) return given === OF_THE_SHELL && before !== undefined ? { GOOGLE_CLOUD_PROJECT: before } : {}
  return {
    GOOGLE_CLOUD_PROJECT: dotenv.values.GOOGLE_CLOUD_PROJECT ?? OF_THE_SHELL,
    // Programs that we start may mean Vertex AI.
    ...(given === undefined || given === OF_THE_SHELL ? {} : { _GEMINI_USER_GCP_PROJECT: given })
  }
}

const OF_THE_SHELL = "cloudshell-gca"

const environmentOf = (
  place: Pick<EnvironmentView, "cwd" | "home" | "platform">,
  variables: Readonly<Record<string, string>>,
  dotenv: DotenvResult
): EnvironmentView => ({
  ...place,
  variables,
  get: lookupIn(variables),
  dotenv: dotenv.file === undefined ? undefined : { file: dotenv.file, names: Object.keys(dotenv.added) }
})

const definedVariables = (env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const lookupIn =
  (variables: Readonly<Record<string, string>>, isHidden: (name: string) => boolean = () => false): Lookup =>
  (name) =>
    Object.hasOwn(variables, name) && !isHidden(name) ? variables[name] : undefined
