/**
 * `write_file`: creates a file, or replaces the whole content of one.
 *
 * An existing file keeps its encoding, its byte order mark and its line endings. The content is taken as it is given;
 * escapes are repaired only by the corrector, where the user has switched it on.
 */
import { Effect, Ref, Schema } from "effect"
import { newlineOf, UTF8 } from "../files/text-encoding.ts"
import { type ResolvedPath, Workspace } from "../files/workspace.ts"
import { EditCorrector, isCorrectable } from "./edit/edit-corrector.ts"
import {
  type CurrentFile,
  changedMeanwhile,
  describePath,
  encodeFor,
  isAsShown,
  loadDiff,
  readTarget,
  requireFresh,
  resolveAgain,
  resolveTarget,
  type ShownState,
  writeTarget
} from "./edit/edit-target.ts"
import { omissionPlaceholders, redactionFault } from "./edit/omission.ts"
import { linesIn, toUnixNewlines } from "./edit/text-edit.ts"
import { writeFailure } from "./file-failure.ts"
import { defineTool, ToolFailure } from "./tool.ts"

const Declared = Schema.Struct({
  file_path: Schema.String.annotations({
    description: "Path of the file to write: absolute, or relative to the working directory."
  }),
  content: Schema.String.annotations({
    description:
      "The complete content of the file. Give all of it: a placeholder such as '// rest of code ...' would be written as it stands."
  })
})

const Accepted = Schema.Struct({
  ...Declared.fields,
  /** Keeps the file that is overwritten beside it, with `.bak` behind its name. */
  createBackup: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Set when a person edited the proposal before agreeing to it. */
  modified_by_user: Schema.optionalWith(Schema.Boolean, { exact: true }),
  ai_proposed_content: Schema.optionalWith(Schema.String, { exact: true })
})
type Params = typeof Accepted.Type

export const writeFile = defineTool({
  name: "write_file",
  classNames: ["WriteFileTool"],
  displayName: "WriteFile",
  kind: "edit",
  description:
    "Writes a file, creating it and missing parent directories, or replacing its whole content. " +
    "Read an existing file before you overwrite it. To change a part of a file, use `replace` instead.",
  params: Accepted,
  declares: Declared,
  prepare: Effect.fnUntraced(function* (params: Params) {
    const workspace = yield* Workspace
    const [placeholder] = omissionPlaceholders(params.content)
    if (placeholder !== undefined) return yield* omitted(placeholder)
    const target = yield* resolveTarget(params.file_path)
    const backup = params.createBackup === true ? yield* resolveTarget(`${params.file_path}.bak`) : undefined
    const seen = yield* Ref.make<ShownState>({ _tag: "NotAsked" })

    return {
      description: `Writing to ${describePath(target.named, workspace.targetDir)}`,
      locations: [target, ...(backup === undefined ? [] : [backup])].map(({ real }) => ({ path: real })),
      narrowing: { by: "argument", key: "file_path", value: params.file_path },
      confirmation: proposeWrite(params, target).pipe(
        Effect.tap(({ current }) => Ref.set(seen, { _tag: "Shown", current })),
        Effect.flatMap(({ current, text }) => confirmWrite(params, target, workspace.targetDir, current, text)),
        Effect.catchTag("ToolFailure", () => Effect.as(Ref.set(seen, { _tag: "Impossible" }), null))
      ),
      revise: (content: string) =>
        Effect.succeed({
          ...params,
          content,
          ai_proposed_content: params.ai_proposed_content ?? params.content,
          modified_by_user: true
        }),
      run: Effect.fnUntraced(function* () {
        const path = yield* resolveAgain(target)
        const proposal = yield* proposeWrite(params, path)
        if (!isAsShown(yield* Ref.get(seen), proposal.current)) return yield* changedMeanwhile(path)
        const kept = backup === undefined ? [] : yield* keepBackup(backup, path, proposal.current)
        const remarks = yield* writeTarget(path, proposal.current, proposal.bytes)
        return yield* report(params, path, proposal, [...kept, ...remarks])
      })
    }
  })
})

const keepBackup = Effect.fnUntraced(function* (backup: ResolvedPath, path: ResolvedPath, current: CurrentFile | null) {
  if (current === null) return ["there was no file to keep a backup of."]
  const place = yield* resolveAgain(backup)
  const before = yield* readTarget(place).pipe(Effect.mapError(writeFailure))
  yield* writeTarget(place, before, yield* encodeFor(path, current.text, current.format))
  return [`what the file held before is kept in ${place.named}.`]
})

interface Proposal {
  readonly current: CurrentFile | null
  readonly wasRead: boolean
  readonly text: string
  readonly bytes: Uint8Array
}

/** What the file would hold after the call, in its own encoding and line endings. */
const proposeWrite = Effect.fnUntraced(function* (params: Params, target: ResolvedPath) {
  const corrector = yield* EditCorrector
  const current = yield* readTarget(target).pipe(Effect.mapError(writeFailure))
  const { wasRead } = current === null ? { wasRead: true } : yield* requireFresh(target, current)
  const marker = redactionFault(params.content, current?.text ?? "", target.named)
  if (marker !== null) return yield* marker
  const content =
    isCorrectable(target.named) && params.modified_by_user !== true
      ? yield* corrector.fixEscaping(params.content)
      : params.content
  const text = current === null ? content : withNewlinesOf(current.text, content)
  const bytes = yield* encodeFor(target, text, current?.format ?? UTF8)
  return { current, wasRead, text, bytes } satisfies Proposal
})

const withNewlinesOf = (old: string, content: string): string =>
  newlineOf(old).newline === "\r\n" ? toUnixNewlines(content).replaceAll("\n", "\r\n") : content

const confirmWrite = Effect.fnUntraced(function* (
  params: Params,
  target: ResolvedPath,
  workspaceDir: string,
  current: CurrentFile | null,
  text: string
) {
  const { fileDiff } = yield* loadDiff
  return {
    type: "edit" as const,
    title: `Write ${describePath(target.named, workspaceDir)}`,
    diff: fileDiff({
      path: target.named,
      before: current?.text ?? null,
      after: text,
      labels: ["Current", "Proposed"],
      proposed: params.ai_proposed_content
    })
  }
})

const report = Effect.fnUntraced(function* (
  params: Params,
  target: ResolvedPath,
  { current, text, wasRead }: Proposal,
  remarks: ReadonlyArray<string>
) {
  const { changedRegions, fileDiff } = yield* loadDiff
  const diff = fileDiff({
    path: target.named,
    before: current?.text ?? null,
    after: text,
    labels: ["Original", "Written"],
    proposed: params.ai_proposed_content
  })
  const isModified = params.modified_by_user === true
  const answer = [
    current === null
      ? `Created the file ${target.named} with ${linesIn(text)}.`
      : `Overwrote the file ${target.named}.`,
    ...(wasRead ? [] : ["Note: the file existed and was overwritten without having been read in this session."]),
    ...remarks.map((remark) => `Note: ${remark}`),
    ...(isModified ? [`The user changed the content before it was written. It is now:\n${text}`] : []),
    ...(current === null || isModified
      ? []
      : [`The changed parts of the file are now:\n${changedRegions(current.text, text)}`])
  ]
  return { forModel: answer.join("\n"), display: { type: "diff" as const, text: diff.fileDiff, diff } }
})

const omitted = (placeholder: string) =>
  new ToolFailure({
    type: "invalid_tool_params",
    message: `content contains the placeholder '${placeholder}' in place of text. Give the complete content of the file.`
  })
