/** What to say of a request that a cassette does not hold: the nearest entry, and what is different from it. */
import { createTwoFilesPatch } from "diff"
import { parseJson } from "../decode-chunk.ts"
import { type Cassette, type CassetteRecording, playable } from "./cassette-file.ts"
import { commonLength } from "./cassette-writer.ts"
import { canonicalHead, type NormalRequest } from "./normal-request.ts"

/** Enough to see what is different; a whole conversation is not. */
const MAX_LINES = 120
const MAX_CHARACTERS = 12_000

export const missText = (cassette: Cassette, request: NormalRequest, sha256: string): string => {
  const recordings = playable(cassette)
  const count = recordings.length === 1 ? "1 entry" : `${recordings.length} entries`
  const used = recordings.filter((recording) => recording.sha256 === sha256).length
  if (used > 0) {
    return `${cassette.file} holds ${used === 1 ? "one answer" : `${used} answers`} to this request, and the run asked once more (--on-miss record adds one)`
  }
  const nearest = nearestTo(request, recordings)
  if (nearest === undefined) return `${cassette.file} holds no calls of the model (--on-miss record adds them)`
  const skipped = Math.max(0, commonLength(nearest.request.contents, request.contents) - 1)
  const patch = createTwoFilesPatch(
    `entry ${cassette.recordings.indexOf(nearest) + 1} (${cassette.file}:${nearest.line})`,
    "this request",
    requestText(nearest.request, skipped),
    requestText(request, skipped),
    undefined,
    undefined,
    { context: 2, timeout: 2000 }
  )
  const first = `${cassette.file} does not hold this request; the nearest of its ${count} is entry ${cassette.recordings.indexOf(nearest) + 1} (--on-miss record adds it)`
  return patch === undefined ? first : `${first}\n${shortened(patch.replace(/^=+\n/, ""))}`
}

/** The most messages in common from the beginning on, then the most text in common where they part. */
const nearestTo = (
  request: NormalRequest,
  recordings: ReadonlyArray<CassetteRecording>
): CassetteRecording | undefined => {
  const head = canonicalHead(request.head)
  let best: { readonly recording: CassetteRecording; readonly score: ReadonlyArray<number> } | undefined
  for (const recording of recordings) {
    const { contents, head: other } = recording.request
    const shared = commonLength(contents, request.contents)
    const score = [
      other.call === request.head.call ? 1 : 0,
      shared,
      commonText(contents[shared] ?? "", request.contents[shared] ?? ""),
      canonicalHead(other) === head ? 1 : 0,
      -Math.abs(contents.length - request.contents.length)
    ]
    if (best === undefined || isGreater(score, best.score)) best = { recording, score }
  }
  return best?.recording
}

const isGreater = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => {
  const at = a.findIndex((value, index) => value !== b[index])
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0)
}

/** Characters at both ends. */
const commonText = (a: string, b: string): number => {
  const end = Math.min(a.length, b.length)
  let before = 0
  while (before < end && a[before] === b[before]) before += 1
  let after = 0
  while (after < end - before && a.at(-1 - after) === b.at(-1 - after)) after += 1
  return before + after
}

const shortened = (patch: string): string => {
  const lines = patch.trimEnd().split("\n")
  const kept = lines.slice(0, MAX_LINES).join("\n").slice(0, MAX_CHARACTERS)
  return lines.length > MAX_LINES || kept.length === MAX_CHARACTERS ? `${kept}\n... (more is different)` : kept
}

/** A request as lines that people can compare; `skipped` messages at its beginning are only counted. */
export const requestText = ({ contents, head }: NormalRequest, skipped = 0): string => {
  const { call, config, model, system } = head
  return [
    `call: ${call}`,
    `model: ${model}`,
    ...(config === undefined ? [] : [`config: ${JSON.stringify(config, null, 2)}`]),
    ...(system === undefined ? [] : ["system:", system]),
    ...(skipped === 0 ? [] : [`(${skipped} messages before)`]),
    ...contents.slice(skipped).map(messageText),
    ""
  ].join("\n")
}

const messageText = (line: string): string => {
  const value = parseJson(line)
  if (!isObject(value) || !Array.isArray(value.parts)) return line
  return [`--- ${String(value.role)}`, ...value.parts.map(partText)].join("\n")
}

const partText = (part: unknown): string => {
  if (!isObject(part)) return String(part)
  if (typeof part.text === "string") return part.thought === true ? `(thought) ${part.text}` : part.text
  const { functionResponse } = part
  if (isObject(functionResponse) && isObject(functionResponse.response)) {
    const { output } = functionResponse.response
    if (typeof output === "string") return `[result of ${String(functionResponse.name)}]\n${output}`
  }
  return JSON.stringify(part, null, 2)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
