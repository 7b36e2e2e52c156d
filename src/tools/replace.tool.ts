/**
 * `replace`: changes a part of a file, found by the matching ladder.
 *
 * Only the matched ranges change; encoding, byte order mark and the line endings of everything else stay as they are.
 * An empty `old_string` creates a file.
 */
import { existsSync, readdirSync } from "node:fs"
import { basename, isAbsolute, join, normalize, resolve, sep } from "node:path"
import { Effect, Ref, Schema } from "effect"
import { FileFilter } from "../files/file-filter.ts"
import type { IgnoreRules } from "../files/ignore-rules.ts"
import { type ResolvedPath, Workspace } from "../files/workspace.ts"
import {
  changedMeanwhile,
  describePath,
  isAsShown,
  loadDiff,
  resolveAgain,
  resolveTarget,
  type ShownState,
  writeTarget
} from "./edit/edit-target.ts"
import { newOmissionPlaceholders } from "./edit/omission.ts"
import { type EditProposal, proposeEdit, tellOfEdit } from "./edit/propose-edit.ts"
import { linesIn } from "./edit/text-edit.ts"
import { defineTool, ToolFailure, type ToolOutput } from "./tool.ts"

const Declared = Schema.Struct({
  file_path: Schema.NonEmptyString.annotations({
    description: "Path of the file to change: absolute, or relative to the working directory."
  }),
  instruction: Schema.String.annotations({
    description:
      "What the change is for and how the file should read afterwards, in one or two sentences that make sense without the conversation."
  }),
  old_string: Schema.String.annotations({
    description:
      "The text to be replaced, exactly as it stands in the file, with indentation and line breaks, and with enough lines around it to be found once. Empty: create the file."
  }),
  new_string: Schema.String.annotations({
    description: "The text to put in its place, complete and literal. Never leave out text with '...'."
  }),
  allow_multiple: Schema.optionalWith(
    Schema.Boolean.annotations({ description: "Replace every match of old_string. Default: exactly one must match." }),
    { exact: true }
  )
})

const Accepted = Schema.Struct({
  ...Declared.fields,
  /** Asked for, because it helps the corrector; a call without it is fine. */
  instruction: Schema.optionalWith(Schema.String, { exact: true }),
  /** Older form: 1 is the default, a larger number must be matched exactly. */
  expected_replacements: Schema.optionalWith(Schema.Int.pipe(Schema.greaterThanOrEqualTo(1)), { exact: true }),
  /** Set when a person edited the proposal before agreeing to it. */
  modified_by_user: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** The whole file as the model had proposed it. */
  ai_proposed_content: Schema.optionalWith(Schema.String, { exact: true })
})
export type ReplaceParams = typeof Accepted.Type

// The file that a `replace` call means. A relative path that leads nowhere is looked for below the workspace folders:
// models often leave out the first folders of a path. Only a single find counts.

const MAX_FOLDERS = 50
/** Never worth a look, ignore files or not. */
const SKIPPED_FOLDERS = new Set(["node_modules", ".git", "bower_components", ".svn", ".hg"])

const locateTarget = Effect.fnUntraced(function* (filePath: string) {
  const workspace = yield* Workspace
  const filter = yield* FileFilter
  if (isAbsolute(filePath) || filePath.startsWith("file://") || existsSync(resolve(workspace.targetDir, filePath))) {
    return yield* resolveTarget(filePath)
  }
  const roots = yield* workspace.roots
  const places = yield* Effect.forEach(roots, (folder) =>
    Effect.map(filter.rules(folder), (rules) => ({ folder, rules }))
  )
  const [found, ...others] = findBySuffix(places, normalize(filePath))
  return yield* resolveTarget(found !== undefined && others.length === 0 ? found : filePath)
})

interface Place {
  readonly folder: string
  readonly rules: IgnoreRules
}

/** Breadth first, at most 50 folders in all. */
const findBySuffix = (roots: ReadonlyArray<Place>, suffix: string): ReadonlyArray<string> => {
  const name = basename(suffix)
  const found = new Set<string>()
  const queue = [...roots]
  for (let visited = 0; visited < MAX_FOLDERS; visited++) {
    const place = queue.shift()
    if (place === undefined) break
    const { folder, rules } = place
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      const isFolder = entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)
      const isMeant = entry.isFile() && entry.name === name && path.endsWith(sep + suffix)
      if ((!isFolder && !isMeant) || rules.ignores(path, isFolder)) continue
      if (isFolder) queue.push({ folder: path, rules })
      else found.add(path)
    }
  }
  return [...found]
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

export const replace = defineTool({
  name: "replace",
  aliases: ["edit"],
  classNames: ["EditTool"],
  displayName: "Edit",
  kind: "edit",
  description:
    "Replaces a piece of text in a file by another. By default `old_string` must match in exactly one place; set " +
    "`allow_multiple` to change every match. Read the part of the file that you change first, and quote it exactly. " +
    "With an empty `old_string` a new file is created.",
  params: Accepted,
  declares: Declared,
  prepare: Effect.fnUntraced(function* (params: ReplaceParams) {
    const workspace = yield* Workspace
    const [placeholder] = newOmissionPlaceholders(params.new_string, params.old_string)
    if (placeholder !== undefined) return yield* omitted(placeholder)
    const target = yield* locateTarget(params.file_path)
    const seen = yield* Ref.make<ShownState>({ _tag: "NotAsked" })
    const shortPath = describePath(target.named, workspace.targetDir)

    return {
      description: `${shortPath}: ${excerpt(params.old_string)} => ${excerpt(params.new_string)}`,
      locations: [{ path: target.real }],
      narrowing: { by: "argument", key: "file_path", value: params.file_path },
      confirmation: proposeEdit(params, target).pipe(
        Effect.tap(({ current }) => Ref.set(seen, { _tag: "Shown", current })),
        Effect.flatMap((proposal) => diffOf(params, target, proposal)),
        Effect.map((diff) => ({ type: "edit" as const, title: `Edit ${shortPath}`, diff })),
        Effect.catchTag("ToolFailure", () => Effect.as(Ref.set(seen, { _tag: "Impossible" }), null))
      ),
      revise: (content: string) =>
        proposeEdit(params, target).pipe(
          Effect.map(({ current, newText }) => ({
            ...params,
            old_string: current?.text ?? "",
            new_string: content,
            ai_proposed_content: params.ai_proposed_content ?? newText,
            modified_by_user: true
          })),
          Effect.catchTag("ToolFailure", () => Effect.succeed({ ...params, new_string: content }))
        ),
      run: Effect.fnUntraced(function* () {
        const path = yield* resolveAgain(target)
        const proposal = yield* proposeEdit(params, path)
        if (!isAsShown(yield* Ref.get(seen), proposal.current)) return yield* changedMeanwhile(path)
        const remarks = yield* writeTarget(path, proposal.current, proposal.bytes)
        yield* tellOfEdit(proposal)
        return yield* report(params, path, proposal, remarks)
      })
    }
  })
})

const EXCERPT_CHARS = 30

const excerpt = (text: string): string => {
  const [line = ""] = text.split("\n")
  const start = Array.from(line.slice(0, 2 * EXCERPT_CHARS))
    .slice(0, EXCERPT_CHARS)
    .join("")
  return start === text ? start : `${start}...`
}

const diffOf = Effect.fnUntraced(function* (params: ReplaceParams, target: ResolvedPath, proposal: EditProposal) {
  const { fileDiff } = yield* loadDiff
  return fileDiff({
    path: target.named,
    before: proposal.current?.text ?? null,
    after: proposal.newText,
    labels: ["Current", "Proposed"],
    proposed: params.ai_proposed_content
  })
})

const report = Effect.fnUntraced(function* (
  params: ReplaceParams,
  target: ResolvedPath,
  proposal: EditProposal,
  remarks: ReadonlyArray<string>
) {
  const { changedRegions } = yield* loadDiff
  const { current, newText, occurrences } = proposal
  const isModified = params.modified_by_user === true
  const diff = yield* diffOf(params, target, proposal)
  const answer = [
    current === null
      ? `Created the file ${target.named} with ${linesIn(newText)}.`
      : `Changed ${target.named} (${occurrences} ${occurrences === 1 ? "replacement" : "replacements"}).`,
    ...proposal.remarks,
    ...remarks.map((remark) => `Note: ${remark}`),
    ...(current === null || isModified
      ? []
      : [`The changed parts of the file are now:\n${changedRegions(current.text, newText)}`]),
    ...(isModified ? [`The user changed new_string before it was written. It is now:\n${params.new_string}`] : [])
  ]
  const display: ToolOutput["display"] =
    current === null ? { type: "text", text: `Created ${target.named}` } : { type: "diff", text: diff.fileDiff, diff }
  return { forModel: answer.join("\n"), display, data: { diffStat: diff.diffStat } }
})

const omitted = (placeholder: string) =>
  new ToolFailure({
    type: "invalid_tool_params",
    message: `new_string contains the placeholder '${placeholder}' in place of text. Give the complete text.`
  })
