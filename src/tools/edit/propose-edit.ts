/**
 * What a `replace` call would write: the file is read, compared with what the model saw, and changed in memory. A failed
 * edit may be repaired by the corrector, once; when that does not help, the first error stands.
 */
import { Effect, Either } from "effect"
import { Secrets } from "../../config/secrets.ts"
import { UTF8 } from "../../files/text-encoding.ts"
import type { ResolvedPath } from "../../files/workspace.ts"
import { redactSecrets, restoreSecrets, type Secret } from "../../kernel/redact-secrets.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { ToolFailure } from "../tool.ts"
import { EditCorrector, isCorrectable, tellOfCorrection } from "./edit-corrector.ts"
import { type CurrentFile, encodeFor, readTarget, requireFresh, unreadable } from "./edit-target.ts"
import { climbLadder, type Rung } from "./ladder.ts"
import { redactionFault } from "./omission.ts"
import { applyEdits, toFileEdits, toUnixNewlines } from "./text-edit.ts"

export interface EditRequest {
  readonly instruction?: string
  readonly old_string: string
  readonly new_string: string
  readonly allow_multiple?: boolean
  readonly expected_replacements?: number
}

export interface EditProposal {
  /** `null`: the file is created. */
  readonly current: CurrentFile | null
  readonly newText: string
  readonly bytes: Uint8Array
  readonly occurrences: number
  /** How the place of the edit was found; absent where a file is created. */
  readonly found?: { readonly rung: Rung; readonly wasCorrected: boolean }
  /** For the answer: how the text was found, where not letter by letter, and what else is worth knowing. */
  readonly remarks: ReadonlyArray<string>
}

/**
 * What a `replace` call would make of a text, or why it cannot. Pure: the tool reads and writes around it.
 */
export interface ReplacementRequest {
  /** For messages. */
  readonly path: string
  readonly search: string
  readonly replacement: string
  readonly allowMultiple: boolean
  /** Exactly so many matches are wanted; `undefined`: one, or any number with `allowMultiple`. */
  readonly expected?: number | undefined
}

interface Replacement {
  readonly newContent: string
  readonly occurrences: number
  readonly rung: Rung
  /** First and last line of each match in the old text, from 1. */
  readonly lineRanges: ReadonlyArray<readonly [number, number]>
}

export const replaceIn = (content: string, request: ReplacementRequest): Either.Either<Replacement, ToolFailure> => {
  const source = toUnixNewlines(content)
  const search = toUnixNewlines(request.search)
  const replacement = toUnixNewlines(request.replacement)

  const match = climbLadder(source, search, replacement)
  if (match === null) return Either.left(notFound(request.path))
  const found = match.edits.length
  const wanted = request.expected ?? (request.allowMultiple ? found : 1)
  if (found !== wanted) return Either.left(wrongCount(request, found, wanted))
  if (search === replacement) return Either.left(noChange(request.path, "old_string and new_string are identical"))

  const newContent = applyEdits(content, toFileEdits(content, match.edits))
  if (newContent === content) return Either.left(noChange(request.path, "the file already has this text there"))
  return Either.right({
    newContent,
    occurrences: found,
    rung: match.rung,
    lineRanges: match.edits.map(({ end, start }) => [lineAt(source, start), lineAt(source, Math.max(start, end - 1))])
  })
}

const lineAt = (text: string, position: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) line++
  return line
}

const notFound = (path: string) =>
  new ToolFailure({
    type: "edit_no_occurrence_found",
    message:
      `Nothing was changed: old_string was not found in ${path}. Read the file again and copy the text to be ` +
      "replaced exactly, with its indentation and line breaks.",
    display: "The text to be replaced was not found."
  })

const wrongCount = (request: ReplacementRequest, found: number, wanted: number) =>
  new ToolFailure({
    type: "edit_expected_occurrence_mismatch",
    message:
      `Nothing was changed: old_string matches ${found} places in ${request.path}, but ${wanted} ${wanted === 1 ? "was" : "were"} ` +
      "expected. Add surrounding lines to old_string to make it unique, or set allow_multiple to replace every match.",
    display: `Expected ${wanted} match(es), found ${found}.`
  })

const noChange = (path: string, reason: string) =>
  new ToolFailure({
    type: "edit_no_change",
    message: `Nothing was changed in ${path}: ${reason}.`,
    display: "Nothing to change."
  })

export const proposeEdit = Effect.fn("EditProposal.make")(function* (request: EditRequest, target: ResolvedPath) {
  const current = yield* readTarget(target).pipe(Effect.mapError(unreadable))
  if (current === null) return yield* proposeCreation(request, target)
  if (request.old_string === "") return yield* alreadyExists(target)
  if (!current.isLossless) return yield* notEditable(target, current)
  const { wasRead } = yield* requireFresh(target, current)
  const secrets = yield* (yield* Secrets).all
  const restored = withSecrets(request, current.text, secrets)
  const marker = redactionFault(restored.new_string, current.text, target.named)
  if (marker !== null) return yield* marker

  const { done, source, wasCorrected } = yield* replaceOrRepair(restored, target, current)
  return {
    current: source,
    newText: done.newContent,
    bytes: yield* encodeFor(target, done.newContent, source.format),
    occurrences: done.occurrences,
    found: { rung: done.rung, wasCorrected },
    remarks: [
      ...describeRung(done),
      ...(wasCorrected ? [describeCorrection(done)] : []),
      ...(wasRead ? [] : ["Note: the file was changed without having been read in this session."])
    ]
  } satisfies EditProposal
})

/** The model quotes what it was shown; the file holds the secrets themselves. */
const withSecrets = (request: EditRequest, content: string, secrets: ReadonlyArray<Secret>): EditRequest => ({
  ...request,
  old_string: restoreSecrets(request.old_string, content, secrets),
  new_string: restoreSecrets(request.new_string, content, secrets)
})

const proposeCreation = Effect.fnUntraced(function* (request: EditRequest, target: ResolvedPath) {
  if (request.old_string !== "") return yield* missing(target)
  const marker = redactionFault(request.new_string, "", target.named)
  if (marker !== null) return yield* marker
  return {
    current: null,
    newText: request.new_string,
    bytes: yield* encodeFor(target, request.new_string, UTF8),
    occurrences: 1,
    remarks: []
  } satisfies EditProposal
})

const replaceOrRepair = Effect.fnUntraced(function* (request: EditRequest, target: ResolvedPath, current: CurrentFile) {
  const first = attempt(current.text, request, target)
  if (Either.isRight(first)) return { done: first.right, source: current, wasCorrected: false }
  if (!isCorrectable(target.named)) return yield* first.left

  const corrector = yield* EditCorrector
  const secrets = yield* (yield* Secrets).all
  const latest = (yield* readTarget(target).pipe(Effect.orElseSucceed(() => null))) ?? current
  const isChanged = Buffer.compare(latest.bytes, current.bytes) !== 0
  const fix = yield* corrector.fixEdit({
    content: redactSecrets(latest.text, secrets),
    search: redactSecrets(request.old_string, secrets),
    replacement: redactSecrets(request.new_string, secrets),
    instruction: request.instruction ?? "",
    error: isChanged
      ? `${first.left.message} The file has changed since; this is its present content.`
      : first.left.message
  })
  if (fix === null) return yield* first.left
  if (fix.noChangesRequired) return yield* judgedUnneeded(fix.explanation, first.left)
  const repaired = { ...request, old_string: fix.search, new_string: fix.replacement }
  const second = attempt(latest.text, withSecrets(repaired, latest.text, secrets), target)
  return Either.isRight(second)
    ? { done: second.right, source: latest, wasCorrected: true }
    : yield* notCorrected(first.left)
})

/** The answer did not help: the first failure stands. */
const notCorrected = Effect.fnUntraced(function* (failure: ToolFailure) {
  yield* tellOfCorrection("failure")
  return yield* failure
})

/** How the text was found, as telemetry: for an edit that is made, not for one that is only shown. */
export const tellOfEdit = Effect.fnUntraced(function* ({ found }: EditProposal) {
  if (found === undefined) return
  const { log } = yield* Telemetry
  const strategy = STRATEGIES[found.rung]
  yield* log({ name: "gemini_cli.edit_strategy", body: `Edit strategy: ${strategy}.`, attributes: { strategy } })
  if (found.wasCorrected) yield* tellOfCorrection("success")
})

/** The names that readers of telemetry know: words with any space between them were once found by an expression. */
const STRATEGIES: Readonly<Record<Rung, string>> = {
  exact: "exact",
  flexible: "flexible",
  token: "regex",
  fuzzy: "fuzzy"
}

const attempt = (content: string, request: EditRequest, target: ResolvedPath) => {
  const expected = request.expected_replacements
  return replaceIn(content, {
    path: target.named,
    search: request.old_string,
    replacement: request.new_string,
    allowMultiple: request.allow_multiple === true,
    expected: expected !== undefined && expected > 1 ? expected : undefined
  })
}

const linesOf = ({ lineRanges }: Replacement): string => {
  const isOne = lineRanges.length === 1 && lineRanges.every(([from, to]) => from === to)
  const lines = lineRanges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ")
  return `(${isOne ? "line" : "lines"} ${lines})`
}

const describeCorrection = (done: Replacement): string =>
  `Note: old_string was not found; what was probably meant was replaced ${linesOf(done)}. Check the result.`

const describeRung = (done: Replacement): ReadonlyArray<string> =>
  done.rung === "exact"
    ? []
    : [`Note: old_string was not found letter by letter; ${RUNG_TEXT[done.rung]} ${linesOf(done)}. Check the result.`]

const RUNG_TEXT = {
  flexible: "the same lines with other indentation were replaced",
  token: "the same words with other spacing were replaced",
  fuzzy: "a nearly identical text was replaced"
} as const

const missing = (target: ResolvedPath) =>
  new ToolFailure({
    type: "file_not_found",
    message: `There is no file ${target.named}. To create it, give an empty old_string.`,
    display: "File not found."
  })

const alreadyExists = (target: ResolvedPath) =>
  new ToolFailure({
    type: "attempt_to_create_existing_file",
    message: `${target.named} exists already. An empty old_string creates a file; to change this one, give the text to be replaced.`,
    display: "The file exists already."
  })

const notEditable = (target: ResolvedPath, current: CurrentFile) =>
  new ToolFailure({
    type: "edit_preparation_failure",
    message: `${target.named} is not valid ${current.format.encoding} text, so an edit could not keep its other bytes as they are.`
  })

const judgedUnneeded = (explanation: string, original: ToolFailure) =>
  new ToolFailure({
    type: "edit_no_change_llm_judgement",
    message: `A second look found that no change is needed: ${explanation} The edit had failed with: ${original.message}`,
    display: "No change is needed."
  })
