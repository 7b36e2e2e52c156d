/**
 * `--replay-tools`: calls are answered by what a cassette says they brought, and nothing is carried out. A call that was
 * not recorded ends the run: the model would otherwise go on from something that never happened.
 */
import { Effect } from "effect"
import { withoutAddedFrames } from "../../kernel/prompt-frames.ts"
import { type Cassette, playable } from "../../model/cassette/cassette-file.ts"
import type { Normalizer } from "../../model/cassette/normal-request.ts"
import type { Content, Part } from "../../protocol/content.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { FatalToolError, type ToolCall, type ToolReply, type ToolScheduler } from "../tool-scheduler.ts"

type Run = ToolScheduler["Type"]["run"]

export const recordedRun = (cassette: Cassette, normal: Normalizer): Run => {
  const results = new Results(cassette, normal)
  return (calls, emit, onReply = () => {}) =>
    Effect.forEach(calls, (call) =>
      Effect.gen(function* () {
        const parts = results.take(call)
        if (parts === undefined) {
          const detail = `${cassette.file} holds no result of this call with these arguments (without --replay-tools it is carried out)`
          return yield* new FatalToolError({ tool: call.name, type: "unknown", detail })
        }
        const reply: ToolReply = { callId: call.callId, parts: withId(parts, call.callId), injected: [] }
        onReply(reply)
        yield* emit(finished(call, reply))
        return reply
      })
    )
}

const withId = (parts: ReadonlyArray<Part>, id: string): ReadonlyArray<Part> =>
  parts.map((part) =>
    part.functionResponse === undefined ? part : { ...part, functionResponse: { ...part.functionResponse, id } }
  )

const finished = ({ args, callId, name }: ToolCall, { parts }: ToolReply): ProtocolEvent => {
  const response = parts.find((part) => part.functionResponse !== undefined)?.functionResponse?.response ?? {}
  const { error, output } = response
  const text = withoutAddedFrames(
    typeof error === "string" ? error : typeof output === "string" ? output : JSON.stringify(response)
  )
  return {
    _tag: "ToolFinished",
    callId,
    name,
    args,
    status: error === undefined ? "success" : "error",
    output: text,
    ...(error === undefined ? {} : { error: { type: "execution_failed", message: text } }),
    durationMs: 0,
    contentLength: text.length
  }
}

/** By call and arguments, in the order of the recording. */
class Results {
  readonly #normal: Normalizer
  readonly #waiting = new Map<string, Array<ReadonlyArray<Part>>>()

  constructor(cassette: Cassette, normal: Normalizer) {
    this.#normal = normal
    const conversations: Seen = new Map()
    for (const { request } of playable(cassette)) this.#learn(request.contents, conversations)
  }

  take({ args, name }: ToolCall): ReadonlyArray<Part> | undefined {
    const line = this.#normal.content({ role: "model", parts: [{ functionCall: { name, args } }] })
    const parts = this.#waiting.get(line)?.shift()
    return parts?.map((part) => this.#placed(part))
  }

  /** Each request tells the whole conversation again: only what was not told before is learnt. */
  #learn(contents: ReadonlyArray<string>, conversations: Seen): void {
    let seen = conversations
    let before: Content | undefined
    for (const line of contents) {
      const known = seen.get(line)
      const next: Seen = known ?? new Map()
      const content = JSON.parse(line) as Content
      if (known === undefined) {
        seen.set(line, next)
        this.#pair(before, content)
      }
      before = content
      seen = next
    }
  }

  #pair(asked: Content | undefined, answered: Content): void {
    const calls = asked?.parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall])) ?? []
    const groups = repliesIn(answered.parts)
    for (const [index, functionCall] of calls.entries()) {
      const group = groups[index]
      if (group === undefined) continue
      const key = this.#normal.content({ role: "model", parts: [{ functionCall }] })
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), group])
    }
  }

  #placed(part: Part): Part {
    // What was JSON is JSON again: only places within its texts are written differently.
    return JSON.parse(this.#normal.placed(JSON.stringify(part))) as Part
  }
}

interface Seen extends Map<string, Seen> {}

/** Each answer with what stands beside it: news before the first, pictures and sound behind. */
const repliesIn = (parts: ReadonlyArray<Part>): ReadonlyArray<ReadonlyArray<Part>> => {
  const groups: Array<Array<Part>> = []
  const early: Array<Part> = []
  for (const part of parts) {
    if (part.functionResponse !== undefined) groups.push([...early.splice(0), part])
    else (groups.at(-1) ?? early).push(part)
  }
  return groups
}
