/**
 * The answer to a tool call in the form that the API accepts. Text becomes `output`; images and PDFs are nested in the
 * response for models that read them there, else they stand beside it; sound and film fit neither place and are handed
 * over in an exchange of their own.
 */
import type { Part } from "../../protocol/content.ts"
import type { CallId } from "../../protocol/ids.ts"
import type { ToolOutput } from "../tool.ts"
import type { ToolReply } from "../tool-scheduler.ts"

interface Addressee {
  readonly callId: CallId
  /** The name that the model used. */
  readonly name: string
  readonly nestsMedia: boolean
}

export const replyWithOutput = (call: Addressee, output: ToolOutput["forModel"]): ToolReply => {
  if (typeof output === "string") return reply(call, { output })
  const passedThrough = output.find((part) => part.functionResponse !== undefined)?.functionResponse?.response
  if (passedThrough !== undefined) return reply(call, passedThrough)

  const media = output.filter((part) => part.inlineData !== undefined)
  const playable = media.filter(isPlayable)
  const viewable = media.filter((part) => !isPlayable(part))
  const files = output.filter((part) => part.fileData !== undefined)
  const mayInject = call.name === "read_file" || call.name === "read_many_files"

  const texts = output.flatMap((part) => part.text ?? [])
  if (playable.length > 0) texts.push(mayInject ? INJECTED_NOTE : STRIPPED_NOTE)
  if (texts.length === 0) texts.push(`Binary content provided (${media.length + files.length} item(s)).`)

  const nested = call.nestsMedia ? viewable : []
  const beside = call.nestsMedia ? files : [...viewable, ...files]
  const [head] = reply(call, { output: texts.join("\n") }, nested).parts
  return {
    callId: call.callId,
    parts: head === undefined ? beside : [head, ...beside],
    injected: mayInject ? playable : []
  }
}

/** The message is all that the model gets of a failed call. */
export const replyWithError = (call: Addressee, message: string): ToolReply => reply(call, { error: message })

/** What was done before the cancellation is told too: the model must know of edits that happened. */
export const replyWithCancellation = (call: Addressee, reason: string, output?: string): ToolReply =>
  reply(call, { ...(output === undefined ? {} : { output }), error: `[Operation Cancelled] ${reason}` })

const INJECTED_NOTE = "The audio or video content follows in the next message."
const STRIPPED_NOTE = "Audio or video content was left out: it cannot be part of a tool result."

const isPlayable = (part: Part): boolean => /^(audio|video)\//.test(part.inlineData?.mimeType ?? "")

const reply = (
  call: Addressee,
  response: Readonly<Record<string, unknown>>,
  nested: ReadonlyArray<Part> = []
): ToolReply => ({
  callId: call.callId,
  parts: [
    {
      functionResponse: {
        id: call.callId,
        name: call.name,
        response,
        ...(nested.length === 0 ? {} : { parts: nested.map((part) => ({ inlineData: part.inlineData })) })
      }
    }
  ],
  injected: []
})
