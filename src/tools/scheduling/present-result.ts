/**
 * What is made of a finished call: the answer for the model, with its output within bounds, and the events for people.
 * Long output is kept whole in the project's temp folder, where `read_file` reaches it.
 */
import { join } from "node:path"
import { Effect, Option } from "effect"
import { withoutAddedFrames } from "../../kernel/prompt-frames.ts"
import { redactSecrets, type Secret } from "../../kernel/redact-secrets.ts"
import { denialText } from "../../policy/denial-text.ts"
import type { FileDiff } from "../../protocol/confirmation.ts"
import type { Part } from "../../protocol/content.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import type { CallId } from "../../protocol/ids.ts"
import type { ToolOutput } from "../tool.ts"
import type { ToolReply } from "../tool-scheduler.ts"
import { stopReasonIn } from "./call-hooks.ts"
import { limitOutput, outputFileName, saveOutput } from "./limit-output.ts"
import type { CallResult } from "./run-call.ts"

export interface PresentOptions {
  /** Characters of output that the model gets; zero or less: no limit. */
  readonly threshold: number
  readonly distill?: (tool: string, output: string) => Effect.Effect<string>
  /** Where whole outputs are kept; none where there is no place. */
  readonly outputDir: Effect.Effect<Option.Option<string>>
  /** The model reads media inside a function response. */
  readonly nestsMedia: boolean
  /** Instructions of the project for these places that the model has not seen; empty where there are none. */
  readonly contextFor: (paths: ReadonlyArray<string>) => Effect.Effect<string>
  /** Credentials that must not reach the model or a transcript. */
  readonly secrets: ReadonlyArray<Secret>
}

/** These page and bound their output themselves; cutting it again would hide what was asked for. */
const SELF_LIMITED: ReadonlySet<string> = new Set(["read_file", "read_many_files"])

/**
 * The answer to a tool call in the form that the API accepts. Text becomes `output`; images and PDFs are nested in the
 * response for models that read them there, else they stand beside it; sound and film fit neither place and are handed
 * over in an exchange of their own.
 */
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

export const presentResult = Effect.fnUntraced(function* (result: CallResult, options: PresentOptions) {
  const { call, end } = result
  const addressee = { callId: call.callId, name: call.name, nestsMedia: options.nestsMedia }
  const clean = (text: string) => redactSecrets(text, options.secrets)
  switch (end._tag) {
    case "Done": {
      const found = cleanOutput(end.output.forModel, (text) => withoutAddedFrames(clean(text)))
      const output = yield* boundedOutput(result, found, options)
      const context = BRINGS_CONTEXT.has(result.name) ? yield* options.contextFor(result.touched) : ""
      return {
        reply: replyWithOutput(addressee, withContext(withContext(output, clean(context)), notesOf(result, clean))),
        events: [{ ...finished(result, clean), ...sizesOf(end.output.forModel, output, options.threshold) }]
      }
    }
    case "Failed":
      return {
        reply: {
          ...replyWithError(
            addressee,
            [withoutAddedFrames(clean(end.failure.message)), notesOf(result, clean)].filter(isSaid).join("\n\n")
          ),
          ...withStop(stopReasonIn(end.failure))
        },
        events: [...denialOf(result), finished(result, clean)]
      }
    case "Refused":
      return {
        reply: { ...replyWithCancellation(addressee, end.reason), isRefused: true },
        events: [finished(result, clean)]
      }
  }
})

const withStop = (stopReason: string | undefined) => (stopReason === undefined ? {} : { stopReason })

const notesOf = ({ notes }: CallResult, clean: (text: string) => string): string => clean((notes ?? []).join("\n\n"))

const isSaid = (text: string): boolean => text !== ""

/** After these the model goes on working in the place that they touched. */
const BRINGS_CONTEXT: ReadonlySet<string> = new Set([
  "read_file",
  "list_directory",
  "write_file",
  "replace",
  "read_many_files"
])

/** Behind the result, and outside of its bounds: instructions that are cut in half mislead. */
const withContext = (output: ToolOutput["forModel"], context: string): ToolOutput["forModel"] => {
  if (context === "") return output
  return typeof output === "string" ? `${output}\n\n${context}` : [...output, { text: `\n${context}` }]
}

const cleanOutput = (output: ToolOutput["forModel"], clean: (text: string) => string): ToolOutput["forModel"] =>
  typeof output === "string"
    ? clean(output)
    : output.map((part) => (part.text === undefined ? part : { ...part, text: clean(part.text) }))

const boundedOutput = Effect.fnUntraced(function* (
  { call, name }: CallResult,
  output: ToolOutput["forModel"],
  options: PresentOptions
) {
  if (SELF_LIMITED.has(name)) return output
  const text = typeof output === "string" ? output : output.flatMap((part) => part.text ?? []).join("\n")
  if (options.threshold <= 0 || text.length <= options.threshold) return output
  const folder = yield* options.outputDir
  const file = Option.map(folder, (path) => join(path, outputFileName(name, call.callId)))
  const saved = yield* Effect.transposeMapOption(file, (path) => saveOutput(path, text))
  const cut = limitOutput(text, options.threshold, Option.getOrUndefined(Option.flatten(saved))).text
  const outline = options.distill === undefined ? "" : yield* options.distill(name, text)
  const limited = outline === "" ? cut : `${cut}\n\nAll of it in the words of a small model:\n${outline}`
  // Media stays as it is: half an image is none.
  return typeof output === "string" ? limited : [{ text: limited }, ...output.filter((part) => part.text === undefined)]
})

const sizesOf = (whole: ToolOutput["forModel"], given: ToolOutput["forModel"], threshold: number) => {
  const [originalLength, contentLength] = [lengthOf(whole), lengthOf(given)]
  return contentLength < originalLength
    ? { contentLength, truncated: { originalLength, threshold } }
    : { contentLength }
}

const lengthOf = (output: ToolOutput["forModel"]): number =>
  typeof output === "string" ? output.length : output.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)

const finished = (result: CallResult, clean: (text: string) => string): EventOf<"ToolFinished"> => {
  const { call, decision, durationMs, end, label, name } = result
  const common = {
    _tag: "ToolFinished" as const,
    callId: call.callId,
    name,
    durationMs,
    ...(decision === undefined ? {} : { decision }),
    args: result.args ?? call.args,
    ...(label === undefined ? {} : { displayName: label.displayName, description: clean(label.description) }),
    ...(label?.server === undefined ? {} : { server: label.server })
  }
  switch (end._tag) {
    case "Done": {
      const { display } = end.output
      const diff = display.type === "diff" ? display.diff : undefined
      return {
        ...common,
        status: "success",
        output: clean(display.text),
        ...(diff === undefined ? {} : { diff, ...lineCounts(diff) })
      }
    }
    case "Failed": {
      const message = clean(end.failure.message)
      return {
        ...common,
        status: "error",
        output: clean(end.failure.display ?? end.failure.message),
        error: { type: end.failure.type, message }
      }
    }
    case "Refused":
      return { ...common, status: "cancelled", output: `cancelled: ${end.reason}` }
  }
}

const lineCounts = ({ diffStat }: FileDiff) => ({
  linesAdded: diffStat.model_added_lines + diffStat.user_added_lines,
  linesRemoved: diffStat.model_removed_lines + diffStat.user_removed_lines
})

const denialOf = ({ call, denial }: CallResult): ReadonlyArray<ProtocolEvent> =>
  denial === undefined
    ? []
    : [
        {
          _tag: "PermissionDenied",
          callId: call.callId,
          toolName: call.name,
          reason: denialText(denial),
          rule: denial.rule === undefined ? undefined : `${denial.rule.text} (${denial.rule.source})`,
          allowWith: denial.allowWith,
          allowRule: denial.allowRule
        }
      ]
