/**
 * From the recorded history to the contents of a request that the API accepts: unusable model output is left out, roles
 * alternate, the calls of the turn under way carry a signature, ids are those of the API. Pure: the history itself keeps
 * everything.
 */
import type { Content, Part } from "../protocol/content.ts"
import { withApiIds } from "./call-id.ts"

/** Stands for a signature that the model did not give; the API knows this value and skips the check. */
export const SYNTHETIC_SIGNATURE = "skip_thought_signature_validator"

export const requestContents = (
  history: ReadonlyArray<Content>,
  memory: RequestMemory = new RequestMemory()
): ReadonlyArray<Content> => signActiveLoop(mergeRoles(curate(history, memory)), memory)

/**
 * What was worked out about single messages. A message never changes, so each is worked on once, however often it is
 * sent: without this every turn of a long run would cost more than the one before.
 */
export class RequestMemory {
  /** Without thoughts; `null` when it cannot be sent. */
  readonly usable = remembering((content) => (content.parts.every(isValidPart) ? withoutThoughts(content) : null))
  readonly plain = remembering(withApiIds)
  readonly signed = remembering((content) => withApiIds(signFirstCall(content)))
}

const remembering = <A>(work: (content: Content) => A): ((content: Content) => A) => {
  const known = new WeakMap<Content, A>()
  return (content) => {
    const before = known.get(content)
    if (before !== undefined) return before
    const result = work(content)
    known.set(content, result)
    return result
  }
}

/** Drops each run of model messages that holds an invalid one, and thought parts, which are never sent back. */
export const curate = (
  history: ReadonlyArray<Content>,
  memory: RequestMemory = new RequestMemory()
): ReadonlyArray<Content> => {
  const kept: Array<Content> = []
  let run: Array<Content> = []
  let isUsable = true
  const endRun = () => {
    if (isUsable) kept.push(...run)
    run = []
    isUsable = true
  }
  for (const content of history) {
    if (content.role === "model") {
      const usable = memory.usable(content)
      if (usable === null) isUsable = false
      else if (usable.parts.length > 0) run.push(usable)
    } else {
      endRun()
      kept.push(content)
    }
  }
  endRun()
  return kept
}

/** Neighbours of one role become one message. */
export const mergeRoles = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> => {
  const merged: Array<Content> = []
  for (const content of contents) {
    const last = merged.at(-1)
    if (last?.role === content.role) merged[merged.length - 1] = { ...last, parts: [...last.parts, ...content.parts] }
    else merged.push(content)
  }
  return merged
}

/** From the last question of the user on, the first call of every model message needs a signature. Ids become the API's. */
const signActiveLoop = (contents: ReadonlyArray<Content>, memory: RequestMemory): ReadonlyArray<Content> => {
  const start = contents.findLastIndex(isQuestion)
  return contents.map((content, index) =>
    start !== -1 && index > start && content.role === "model" ? memory.signed(content) : memory.plain(content)
  )
}

export const isFunctionResponse = (content: Content): boolean =>
  content.parts.some((part) => part.functionResponse !== undefined)

const isQuestion = (content: Content): boolean =>
  content.role === "user" && !isFunctionResponse(content) && content.parts.some((part) => part.text !== undefined)

const signFirstCall = (content: Content): Content => {
  const first = content.parts.findIndex((part) => part.functionCall !== undefined)
  if (first === -1 || content.parts[first]?.thoughtSignature !== undefined) return content
  return {
    ...content,
    parts: content.parts.map((part, index) =>
      index === first ? { ...part, thoughtSignature: SYNTHETIC_SIGNATURE } : part
    )
  }
}

/** An empty object and a bare empty text are refused by the API; anything else that stands beside it makes it valid. */
export const isValidPart = (part: Part): boolean => {
  const keys = Object.keys(part).filter((key) => part[key as keyof Part] !== undefined)
  if (keys.length === 0) return false
  const onlyText = keys.every((key) => key === "text" || key === "thought" || key === "callIndex")
  return !onlyText || part.thought === true || part.text !== ""
}

const withoutThoughts = (content: Content): Content =>
  content.parts.some((part) => part.thought === true)
    ? { ...content, parts: content.parts.filter((part) => part.thought !== true) }
    : content
