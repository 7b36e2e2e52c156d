/**
 * `--file`: what is attached to the prompt, read before anything is sent. Text stands in a frame, media beside it; what is
 * too large for a request goes by the Files API of the service.
 */
import { closeSync, openSync, readSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { Effect, Either, Option } from "effect"
import { httpOf } from "../config/http.ts"
import type { LoadedConfig } from "../config/load.ts"
import { type FileType, fileTypeOf } from "../files/file-type.ts"
import { lazy } from "../kernel/lazy.ts"
import { frameName, insideFrame } from "../kernel/prompt-frames.ts"
import { ModelAccess } from "../model/model-access.ts"
import { Stderr } from "../output/stderr.ts"
import type { Part } from "../protocol/content.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { readRegularFile, statOrNone, unreadText } from "../system/regular-file.ts"
import type { GivenPrompt } from "./given-prompt.ts"
import { TEXT_LIMIT_BYTES } from "./stdin-content.ts"
import { UsageError } from "./usage-error.ts"

export interface AttachInput {
  readonly config: LoadedConfig
  readonly files: ReadonlyArray<string>
  readonly isEphemeral: boolean
}

/** In base64 a third more, which a request of 20 MB holds. */
const INLINE_BYTES = 14 * 1024 * 1024

/** `piped`: what `-` stands for. */
export const attach = Effect.fn("App.attach")(function* (
  input: AttachInput,
  piped: Pick<GivenPrompt, "piped" | "media">
) {
  const parts: Array<Part> = []
  let inline = 0
  for (const file of input.files) {
    if (file === "-") {
      parts.push(...named("stdin", piped.media === undefined ? textPart(piped.piped) : { inlineData: piped.media }))
      continue
    }
    const path = resolve(input.config.environment.cwd, file)
    const { size, type } = yield* lookAt(file, path)
    if (type.kind === "text" || type.kind === "svg") {
      parts.push(...named(file, textPart(yield* textIn(file, path))))
      continue
    }
    if (!("mimeType" in type) || type.kind === "unsupported-audio") {
      return yield* inputError(`--file: ${file} is of a kind that no model reads`)
    }
    inline += size
    const part =
      inline > INLINE_BYTES
        ? { fileData: yield* upload(input, file, path, type.mimeType) }
        : { inlineData: { mimeType: type.mimeType, data: Buffer.from(yield* bytesOf(file, path)).toString("base64") } }
    if ("fileData" in part) inline -= size
    parts.push(...named(file, part))
  }
  return parts
})

const named = (file: string, part: Part): ReadonlyArray<Part> => [
  { text: `\n--- Content of the attached file ${frameName(file)} ---\n` },
  part,
  { text: "\n--- End of the attached file ---" }
]

const textPart = (text: string): Part => ({ text: insideFrame(text) })

const HEAD_BYTES = 4096

const lookAt = (
  file: string,
  path: string
): Effect.Effect<{ readonly size: number; readonly type: FileType }, UsageError> =>
  Effect.suspend(() => {
    const stat = statOrNone(path)
    if (stat === undefined) return inputError(`--file: ${file}: no such file`)
    if (!stat.isFile())
      return inputError(`--file: ${file} ${stat.isDirectory() ? "is a folder" : "is not a regular file"}`)
    return Either.match(
      Either.try(() => headOf(path)),
      {
        onLeft: () => inputError(`--file: ${file} cannot be read`),
        onRight: (head) => Effect.succeed({ size: stat.size, type: fileTypeOf(path, head) })
      }
    )
  })

const headOf = (path: string): Uint8Array => {
  const descriptor = openSync(path, "r")
  try {
    const head = new Uint8Array(HEAD_BYTES)
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(descriptor)
  }
}

const textIn = (file: string, path: string) => {
  const content = readRegularFile(path, TEXT_LIMIT_BYTES)
  if (content.kind === "text") return Effect.succeed(content.text)
  return inputError(`--file: ${unreadText(file, content)}`)
}

const bytesOf = (file: string, path: string) =>
  Effect.tryPromise({
    try: () => Bun.file(path).bytes(),
    catch: () => usage(`--file: ${file} cannot be read`)
  })

const upload = Effect.fnUntraced(function* (input: AttachInput, file: string, path: string, mimeType: string) {
  const access = yield* Effect.serviceOption(ModelAccess)
  // Nobody is asked: what would be sent is all that is wanted to know.
  if (Option.isNone(access)) return { mimeType }
  const { source } = access.value
  if (source._tag !== "Network" || (source.auth._tag !== "ApiKey" && source.auth._tag !== "Gateway")) {
    return yield* inputError(
      `--file: ${file} is larger than a request can carry, and only the Gemini API with a key takes such files`
    )
  }
  const { uploadFile } = yield* lazy(() => import("../model/gemini/upload-file.live.ts"))
  const { storage } = input.config
  return yield* uploadFile({
    file: path,
    name: basename(path),
    mimeType,
    auth: source.auth,
    http: httpOf(input.config),
    register: input.isEphemeral ? undefined : join(storage.tempDir, "uploaded-files.json"),
    tell: (yield* Stderr).notice
  }).pipe(Effect.mapError((error) => usage(error.message)))
})

const usage = (message: string): UsageError =>
  new UsageError({ message, hint: "See gemini --help.", exitCode: ExitCode.input })
const inputError = (message: string) => Effect.fail(usage(message))
