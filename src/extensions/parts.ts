/** What one extension brings to a run: settings looked up, variables filled in, files found. */

import { realpathSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { Effect, Option, Predicate, Schema } from "effect"
import { formatIssue } from "../config/config-error.ts"
import { interpolate, type Lookup } from "../config/interpolate.ts"
import { secretReason } from "../files/brought-file.ts"
import { isInside } from "../files/containment.ts"
import { fillAllVariables, fillVariables } from "../kernel/extension-variables.ts"
import { lazy } from "../kernel/lazy.ts"
import type { EnabledExtension } from "../protocol/run-facts.ts"
import { readRegularFile } from "../system/regular-file.ts"
import type { InstalledExtension } from "./installed.ts"
import { contextFileNames, type ExtensionSetting, hasUnknownFields } from "./manifest.ts"
import { readValues, type SettingPlace } from "./setting-values.ts"

export interface PartsInput {
  readonly workspace: string
  readonly isTrusted: boolean
  /** Variables of the process. */
  readonly variable: Lookup
  /** Absent: `experimental.extensionConfig` is off, and stored values are not used. */
  readonly credentials: SettingPlace["credentials"] | undefined
}

export interface Parts {
  readonly extension: EnabledExtension
  readonly problems: ReadonlyArray<string>
}

export const partsOf = Effect.fnUntraced(function* (extension: InstalledExtension, input: PartsInput) {
  const { id, manifest, name, path } = extension
  const place = { extensionPath: path, workspacePath: input.workspace }
  const declared = manifest.settings ?? []
  const environment = yield* valuesOf(extension, declared, input)
  const lookup: Lookup = (variable) =>
    Object.hasOwn(environment, variable) ? environment[variable] : input.variable(variable)
  const fill = (value: unknown) => interpolate(fillAllVariables(value, place), lookup)
  const context = contextFilesIn(path, textsOf(fill(contextFileNames(manifest))))
  const hooks = readHooks(path)
  const plans = planFolder(textOf(fill(manifest.plan?.directory)), extension, input.workspace)
  const missing = declared.filter(
    ({ envVar }) => !Object.hasOwn(environment, envVar) && input.variable(envVar) === undefined
  )
  const parts: EnabledExtension = {
    name,
    id,
    version: manifest.version,
    autoUpdates: extension.metadata?.autoUpdate === true,
    path,
    mcpServers: recordOf(fill(manifest.mcpServers ?? {})),
    contextFiles: context.files,
    excludeTools: textsOf(fill(manifest.excludeTools ?? [])),
    hooks: recordOf(fillAllVariables(hooks.hooks, place)),
    hooksFile: hooks.file,
    environment,
    secretVariables: declared.filter(({ sensitive }) => sensitive === true).map(({ envVar }) => envVar),
    planDirectory: plans.folder
  }
  const problems = [
    ...(yield* misspeltIn(extension)),
    ...context.problems,
    ...(yield* hookProblems(hooks)),
    ...plans.problems,
    ...missingNote(name, missing)
  ]
  return { extension: parts, problems } satisfies Parts
})

const misspeltIn = Effect.fnUntraced(function* ({ manifest, path }: InstalledExtension) {
  if (!hasUnknownFields(manifest)) return []
  const { misspeltFields } = yield* lazy(() => import("./manifest-faults.ts"))
  return misspeltFields(path)
})

const valuesOf = Effect.fnUntraced(function* (
  { folder, id, name }: InstalledExtension,
  declared: ReadonlyArray<ExtensionSetting>,
  { credentials, isTrusted, workspace }: PartsInput
) {
  if (declared.length === 0 || credentials === undefined) return {}
  const values = yield* readValues(declared, { name, id, folder, workspace, isTrusted, credentials })
  const plain: Readonly<Record<string, string>> = Object.fromEntries(
    [...values].map(([key, { value }]) => [key, value])
  )
  return plain
})

const missingNote = (name: string, missing: ReadonlyArray<ExtensionSetting>): ReadonlyArray<string> =>
  missing.length === 0
    ? []
    : [
        `extension "${name}" has no value for ${missing.map((setting) => setting.name).join(", ")}: run gemini extensions config ${name}`
      ]

/** A name that leads out of the extension is refused; one that leads nowhere is not missed. */
export const contextFilesIn = (path: string, names: ReadonlyArray<string>) => {
  const root = realPath(path) ?? path
  const files: Array<string> = []
  const problems: Array<string> = []
  for (const name of names) {
    const file = contextPath(path, name)
    const real = realPath(file)
    if (!isInside(resolve(path), file) || (real !== undefined && !isInside(root, real))) {
      problems.push(
        `${join(path, "gemini-extension.json")}: contextFileName: ${name} is outside the extension; ignored`
      )
    } else if (secretReason(relative(resolve(path), file)) !== undefined) {
      problems.push(`${join(path, "gemini-extension.json")}: contextFileName: ${name} is kept closed; ignored`)
    } else if (real !== undefined) files.push(file)
  }
  return { files, problems }
}

/** Where a name of the manifest leads to. */
export const contextPath = (path: string, name: string): string =>
  resolve(path, fillVariables(name, { extensionPath: path, workspacePath: path }))

const realPath = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const MAX_HOOK_BYTES = 1024 * 1024

const HookFile = Schema.parseJson(
  Schema.Struct({ hooks: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })
)

/** As written; what an event and a hook may look like is for the room of hooks to say. */
interface WrittenHooks {
  readonly file: string
  readonly hooks: Readonly<Record<string, unknown>>
  readonly problem?: { readonly file: string; readonly what: string; readonly text: string }
}

export const readHooks = (path: string): WrittenHooks => {
  const usual = join(path, "hooks", "hooks.json")
  const written = readRegularFile(usual, MAX_HOOK_BYTES)
  // An older place, where there is nothing in the present one.
  const file = written.kind === "missing" ? join(path, "hooks.json") : usual
  const content = written.kind === "missing" ? readRegularFile(file, MAX_HOOK_BYTES) : written
  if (content.kind === "missing") return { file: usual, hooks: {} }
  if (content.kind === "refused") return { file, hooks: {}, problem: { file, what: content.reason, text: "" } }
  return Option.match(Schema.decodeUnknownOption(HookFile)(content.text), {
    onNone: () => ({
      file,
      hooks: {},
      problem: { file, what: 'is not JSON of the form { "hooks": { … } }', text: content.text }
    }),
    onSome: ({ hooks }) => ({ file, hooks })
  })
}

/** With its line, where the text is no JSON at all. */
export const hookProblems = Effect.fnUntraced(function* ({ problem }: WrittenHooks) {
  if (problem === undefined) return []
  const { file, text, what } = problem
  const { syntaxFaults } = yield* lazy(() => import("./manifest-faults.ts"))
  const [fault] = syntaxFaults(file, text)
  return [`${fault === undefined ? `${file} ${what}` : formatIssue(fault)}; its hooks do not run`]
})

/** Plans may be written without a question, so they go nowhere but into the workspace. */
const planFolder = (wanted: string | undefined, { name }: InstalledExtension, workspace: string) => {
  if (wanted === undefined || isInside(workspace, resolve(workspace, wanted))) return { folder: wanted, problems: [] }
  const problem = `extension "${name}": plan.directory ${wanted} is outside the workspace; ignored`
  return { folder: undefined, problems: [problem] }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (Predicate.isRecord(value) ? value : {})

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []
