/**
 * The file that `write_file` or `replace` is about to change: found, read, compared with what the model and the person
 * have seen of it, and written.
 *
 * A file that changed since the model read it is refused, and so is one that changed since a person looked at the diff.
 * One that the model never read may be changed, but the answer says so.
 */
import { extname, relative } from "node:path"
import { Effect } from "effect"
import { isInside } from "../../files/containment.ts"
import type { FileError } from "../../files/file-error.ts"
import { ReadLedger } from "../../files/read-ledger.ts"
import { realPathOf } from "../../files/real-path.ts"
import { type DecodedText, decodeText, encodeText, type TextFormat, unencodable } from "../../files/text-encoding.ts"
import { type ResolvedPath, Workspace } from "../../files/workspace.ts"
import { lazy } from "../../kernel/lazy.ts"
import { PlanMode, planPath } from "../../policy/plan-mode.ts"
import { invalidPath, pathNotAllowed, writeFailure } from "../file-failure.ts"
import { ToolFailure } from "../tool.ts"

/** Larger files are not edited through a model. */
const MAX_EDIT_BYTES = 50 * 1024 * 1024

export interface CurrentFile extends DecodedText {
  readonly bytes: Uint8Array
}

/** While arguments are checked, a refused path is the model's mistake. */
export const resolveTarget = Effect.fn("EditTarget.resolve")(function* (filePath: string) {
  const workspace = yield* Workspace
  const path = yield* plannedPath(filePath)
  const target = yield* workspace.resolve(path, "write").pipe(Effect.mapError(invalidPath))
  yield* requirePlan(target)
  return target
})

/** Once more when the call runs. What was judged and shown is what is written: a link that leads elsewhere by now ends it. */
export const resolveAgain = Effect.fn("EditTarget.resolveAgain")(function* (target: ResolvedPath) {
  const workspace = yield* Workspace
  const again = yield* workspace.resolve(target.named, "write").pipe(Effect.mapError(pathNotAllowed))
  if (again.real !== target.real) return yield* ledElsewhere(target, again)
  yield* requirePlan(again)
  return again
})

const ledElsewhere = (target: ResolvedPath, now: ResolvedPath) =>
  new ToolFailure({
    type: "edit_preparation_failure",
    message: `Nothing was changed: ${target.named} led to ${target.real} when the edit was decided on, and leads to ${now.real} now.`,
    display: "The path leads elsewhere by now."
  })

const plannedPath = Effect.fnUntraced(function* (filePath: string) {
  const planMode = yield* PlanMode
  const workspace = yield* Workspace
  if ((yield* planMode.mode) !== "plan") return filePath
  return planPath(filePath, { plansDir: planMode.plansDir, projectRoot: workspace.targetDir }) ?? filePath
})

const requirePlan = Effect.fnUntraced(function* (target: ResolvedPath) {
  const planMode = yield* PlanMode
  if ((yield* planMode.mode) !== "plan") return
  if (extname(target.real) === ".md" && isInside(realOr(planMode.plansDir), target.real)) return
  return yield* new ToolFailure({
    type: "invalid_tool_params",
    message: `In plan mode only Markdown files (.md) in ${planMode.plansDir} may be written, not ${target.named}.`
  })
})

const realOr = (path: string): string => {
  try {
    return realPathOf(path)
  } catch {
    return path
  }
}

/** `null` for a file that does not exist. */
export const readTarget = Effect.fn("EditTarget.read")(function* (target: ResolvedPath) {
  const workspace = yield* Workspace
  return yield* workspace.read(target, { maxBytes: MAX_EDIT_BYTES }).pipe(
    Effect.map(({ bytes }): CurrentFile | null => ({ bytes, ...decodeText(bytes) })),
    Effect.catchIf(
      (error) => error.kind === "not-found",
      () => Effect.succeed(null)
    )
  )
})

/** Fails when the model's picture of the file is out of date; tells whether it has one at all. */
export const requireFresh = Effect.fnUntraced(function* (target: ResolvedPath, current: CurrentFile) {
  const ledger = yield* ReadLedger
  const freshness = yield* ledger.check(target.real, current.bytes)
  if (freshness !== "changed") return { wasRead: freshness === "unchanged" }
  return yield* new ToolFailure({
    type: "edit_preparation_failure",
    message: `Nothing was changed: ${target.named} was changed by someone else since you read it. Read the file again, then repeat the edit if it is still right.`,
    display: "The file changed since it was read."
  })
})

/** Bytes of a text in the encoding that the file has, or why that encoding cannot hold it. */
export const encodeFor = (
  target: ResolvedPath,
  text: string,
  format: TextFormat
): Effect.Effect<Uint8Array, ToolFailure> => {
  const bytes = encodeText(text, format)
  if (bytes !== null) return Effect.succeed(bytes)
  const character = unencodable(text, format.encoding) ?? "?"
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
  return new ToolFailure({
    type: "file_write_failure",
    message: `Nothing was written: ${target.named} is encoded as ${format.encoding}, which cannot hold the character U+${code}. Use other characters, or convert the file first.`
  })
}

/** Writes, unless the file is no longer what the new content was made from. Gives remarks for the answer. */
export const writeTarget = Effect.fn("EditTarget.write")(function* (
  target: ResolvedPath,
  expected: CurrentFile | null,
  content: Uint8Array
) {
  const workspace = yield* Workspace
  const ledger = yield* ReadLedger
  const now = yield* readTarget(target).pipe(Effect.mapError(writeFailure))
  if (!isSameState(expected, now)) return yield* changedMeanwhile(target)
  const report = yield* workspace.write(target, content).pipe(Effect.mapError(writeFailure))
  yield* ledger.remember(target.real, content)
  return [
    ...(report.brokeHardLink ? ["Other hard links to the file still hold the old content."] : []),
    ...(report.changedOwner ? ["The owner of the file changed to the current user."] : [])
  ]
})

/** What a person saw of the file before they agreed. */
export type ShownState =
  | { readonly _tag: "NotAsked" }
  | { readonly _tag: "Shown"; readonly current: CurrentFile | null }
  /** There was nothing to agree to, because the edit could not be made: it may not be made later either. */
  | { readonly _tag: "Impossible" }

export const isAsShown = (shown: ShownState, current: CurrentFile | null): boolean =>
  shown._tag === "NotAsked" || (shown._tag === "Shown" && isSameState(shown.current, current))

const isSameState = (left: CurrentFile | null, right: CurrentFile | null): boolean =>
  left === null || right === null ? left === right : Buffer.compare(left.bytes, right.bytes) === 0

export const changedMeanwhile = (target: ResolvedPath) =>
  new ToolFailure({
    type: "edit_preparation_failure",
    message: `Nothing was changed: ${target.named} changed between the moment when the edit was prepared and its writing. Read the file again, then repeat the edit if it is still right.`,
    display: "The file changed while the edit was being confirmed."
  })

/** What could not be read cannot be edited. */
export const unreadable = (error: FileError): ToolFailure =>
  new ToolFailure({
    type: error.kind === "is-directory" ? "target_is_directory" : "edit_preparation_failure",
    message: error.message
  })

/** How an edit is shown: short paths, and the diff code, which is loaded when the first edit needs it. */

/** Relative inside the working directory, absolute elsewhere. */
export const describePath = (path: string, workspaceDir: string): string =>
  isInside(workspaceDir, path) && path !== workspaceDir ? relative(workspaceDir, path) : path

export const loadDiff = lazy(() => import("./file-diff.live.ts"))
