/**
 * Reads the manifest of a folder. A good one is plain JSON and costs one parse; comments, and everything that is wrong,
 * are left to the parser that knows positions, which is loaded only then.
 */

import { join } from "node:path"
import { Effect, Either } from "effect"
import { type ConfigIssue, formatIssue } from "../config/config-error.ts"
import { lazy } from "../kernel/lazy.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { ExtensionError } from "./extension-error.ts"
import { decodeManifest, MANIFEST_NAME, type Manifest } from "./manifest.ts"

const MAX_BYTES = 1024 * 1024

/** The manifest, or what is wrong with it, each with its place. */
export const inspectManifest = Effect.fnUntraced(function* (
  folder: string
): Effect.fn.Return<Either.Either<Manifest, ReadonlyArray<ConfigIssue>>> {
  const file = join(folder, MANIFEST_NAME)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") return Either.left([{ file, message: "is missing" }])
  if (content.kind === "refused") return Either.left([{ file, message: content.reason }])
  const quick = Either.flatMap(parsed(content.text), decodeManifest)
  if (Either.isRight(quick)) return Either.right(quick.right)
  const { locateFaults } = yield* lazy(() => import("./manifest-faults.ts"))
  return locateFaults(file, content.text)
})

/** Fails with everything that is wrong. */
export const readManifest = (folder: string): Effect.Effect<Manifest, ExtensionError> =>
  Effect.flatMap(
    inspectManifest(folder),
    Either.match({
      onLeft: (issues) => new ExtensionError({ kind: "invalid", detail: issues.map(formatIssue).join("\n") }),
      onRight: (manifest) => Effect.succeed(manifest)
    })
  )

const parsed = (text: string): Either.Either<unknown, unknown> => Either.try(() => JSON.parse(text) as unknown)
