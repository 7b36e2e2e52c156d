/** Checks a folder before it is given to others: what would keep it from being used, and what is probably not meant. */

import { join } from "node:path"
import { Effect, Either } from "effect"
import { type ConfigIssue, formatIssue } from "../config/config-error.ts"
import { lazy } from "../kernel/lazy.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { contextFileNames, MANIFEST_NAME, type Manifest } from "./manifest.ts"
import { contextFilesIn, contextPath, hookProblems, readHooks } from "./parts.ts"
import { inspectManifest } from "./read-manifest.ts"

export interface Validation {
  readonly manifest: Manifest | undefined
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

const MAX_BYTES = 1024 * 1024

/** Major, minor and patch, with a pre-release and a build if there are any. */
const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

export const validateExtension = Effect.fn("Extensions.validate")(function* (folder: string) {
  const inspected = yield* inspectManifest(folder)
  if (Either.isLeft(inspected)) {
    return { manifest: undefined, errors: inspected.left.map(formatIssue), warnings: [] } satisfies Validation
  }
  const manifest = inspected.right
  const { problems } = contextFilesIn(folder, contextFileNames(manifest))
  return {
    manifest,
    errors: [
      ...missingContext(folder, manifest),
      ...problems,
      ...(yield* hookProblems(readHooks(folder))),
      ...doubleSettings(manifest)
    ],
    warnings: [...versionWarning(manifest), ...(yield* unknownFields(folder))]
  } satisfies Validation
})

/** Only what the manifest names: without a name, the usual file may be there or not. */
const missingContext = (folder: string, manifest: Manifest): ReadonlyArray<string> => {
  if (manifest.contextFileName === undefined) return []
  return contextFileNames(manifest)
    .filter((name) => readRegularFile(contextPath(folder, name), MAX_BYTES).kind === "missing")
    .map((name) => `${join(folder, MANIFEST_NAME)}: contextFileName: ${name} does not exist`)
}

const doubleSettings = ({ settings = [] }: Manifest): ReadonlyArray<string> => {
  const variables = settings.map(({ envVar }) => envVar)
  return [...new Set(variables.filter((name, index) => variables.indexOf(name) !== index))].map(
    (name) => `settings: more than one setting uses the variable ${name}`
  )
}

const versionWarning = ({ version }: Manifest): ReadonlyArray<string> =>
  SEMVER.test(version) ? [] : [`version: "${version}" is not of the form 1.2.3 (semver); updates compare it as text`]

const unknownFields = Effect.fnUntraced(function* (folder: string) {
  const { unknownFields: find } = yield* lazy(() => import("./manifest-faults.ts"))
  const file = join(folder, MANIFEST_NAME)
  const content = readRegularFile(file, MAX_BYTES)
  const issues: ReadonlyArray<ConfigIssue> = content.kind === "text" ? find(file, content.text) : []
  return issues.map(formatIssue)
})
