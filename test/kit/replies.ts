/**
 * What the scripted model says: answers made of parts, and the many ways in which a server can fail to give one.
 *
 * A reply has a content (an answer, or raw bytes with a status) and a manner (how the bytes travel). The same answer is
 * sent as server-sent events or as one document, as the caller asked.
 */
export type Part = Readonly<Record<string, unknown>>

/** One chunk of an answer in the shape of the API; unknown fields may stand in it. */
export type AnswerChunk = Readonly<Record<string, unknown>>

export interface Manner {
  /** Before the first byte of the head. */
  readonly delayMs?: number
  /** Between two pieces of the body. */
  readonly gapMs?: number
  /** `byte`: every byte is a piece. Numbers: positions in the whole body at which it is cut. */
  readonly splitAt?: "byte" | ReadonlyArray<number>
  /**
   * `end`: as HTTP asks. `cut`: the connection is closed before the body is complete. `reset`: the same, by a reset.
   * `hang`: nothing more comes, and the connection stays.
   */
  readonly ending?: "end" | "cut" | "reset" | "hang"
  /** The body is complete, and its end waits for this. */
  readonly endsAfter?: Promise<unknown>
}

export type Reply = Manner &
  (
    | {
        readonly _tag: "Answer"
        readonly chunks: ReadonlyArray<AnswerChunk>
        readonly headers?: Record<string, string>
      }
    | {
        readonly _tag: "Raw"
        readonly status: number
        readonly headers?: Record<string, string>
        readonly body: string | Uint8Array
      }
  )

export interface Usage {
  readonly prompt?: number
  readonly candidates?: number
  readonly thoughts?: number
  readonly cached?: number
  readonly tool?: number
}

export const text = (value: string): Part => ({ text: value })

/** Thoughts carry their subject between asterisks, as the API sends them. */
export const thought = (subject: string, description: string): Part => ({
  text: `**${subject}**\n${description}`,
  thought: true
})

export const call = (
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  extra: { readonly id?: string; readonly signature?: string } = {}
): Part => ({
  functionCall: { ...(extra.id === undefined ? {} : { id: extra.id }), name, args },
  ...(extra.signature === undefined ? {} : { thoughtSignature: extra.signature })
})

/** A chunk with these parts and no end. */
export const chunk = (...parts: ReadonlyArray<Part>): AnswerChunk => ({
  candidates: [{ content: { role: "model", parts }, index: 0 }],
  modelVersion: MODEL_VERSION
})

/** The chunk that ends an answer. */
export const finish = (reason: string, usage: Usage = {}, parts: ReadonlyArray<Part> = []): AnswerChunk => ({
  candidates: [
    { ...(parts.length === 0 ? {} : { content: { role: "model", parts } }), finishReason: reason, index: 0 }
  ],
  usageMetadata: usageMetadata(usage),
  modelVersion: MODEL_VERSION
})

/** What the scripted model calls itself. */
export const MODEL_VERSION = "scripted-model-001"

export const answer = (chunks: ReadonlyArray<AnswerChunk>, manner: Manner = {}): Reply => ({
  _tag: "Answer",
  chunks,
  ...manner
})

/** Text in as many chunks as strings are given, then a normal end. */
export const say = (...texts: ReadonlyArray<string>): Reply =>
  answer([...texts.map((value) => chunk(text(value))), finish("STOP", DEFAULT_USAGE)])

/** Tool calls in one chunk, then a normal end. */
export const ask = (...calls: ReadonlyArray<Part>): Reply => answer([chunk(...calls), finish("STOP", DEFAULT_USAGE)])

export const DEFAULT_USAGE: Usage = { prompt: 10, candidates: 5, thoughts: 2, cached: 4 }

/** The same reply, sent in another manner. */
export const sent = (reply: Reply, manner: Manner): Reply => ({ ...reply, ...manner })

export const raw = (body: string | Uint8Array, options: { status?: number; type?: string } & Manner = {}): Reply => {
  const { status = 200, type = "text/event-stream", ...manner } = options
  return { _tag: "Raw", status, headers: { "content-type": type }, body, ...manner }
}

/** What a captive portal or a broken gateway sends. */
export const html = (status = 200): Reply =>
  raw("<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Welcome to the hotel</h1></body></html>\n", {
    status,
    type: "text/html; charset=utf-8"
  })

/** A status line and nothing else. */
export const empty = (status = 200): Reply => raw("", { status })

const usageMetadata = (usage: Usage) => {
  const { cached = 0, candidates = 0, prompt = 0, thoughts = 0, tool = 0 } = usage
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates + thoughts + tool,
    cachedContentTokenCount: cached,
    thoughtsTokenCount: thoughts,
    toolUsePromptTokenCount: tool
  }
}
