/**
 * Writes what is needed to understand a failure into the temp folder of the project, for its owner only. The
 * conversation is part of it only with `--debug`; credentials never are.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Cause, Clock, Effect, Option } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { redaction, type Secrets } from "../config/secrets.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import type { Content } from "../protocol/content.ts"
import { Notices } from "../protocol/notices.ts"
import type { ChatError } from "./chat-error.ts"

export interface ReportOptions {
  readonly config: LoadedConfig
  /** `--debug`: the conversation is part of it. */
  readonly isDebug: boolean
  readonly history: Effect.Effect<ReadonlyArray<Content>>
}

/** A report that cannot be written is none: the failure itself is told all the same. */
export const reportError = (
  cause: Cause.Cause<ChatError | PromptError>,
  options: ReportOptions
): Effect.Effect<void, never, Notices | Secrets> => {
  const type = reportType(cause)
  return type === undefined ? Effect.void : Effect.ignore(write(type, cause, options))
}

/** `undefined`: the message says all there is. */
export const reportType = (cause: Cause.Cause<ChatError | PromptError>): string | undefined => {
  if (Cause.isInterruptedOnly(cause)) return undefined
  return Option.match(Cause.failureOption(cause), {
    onNone: () => "general",
    onSome: (error) => {
      if (error._tag === "InvalidAnswer") return "generateContent-invalid-content"
      return error._tag === "ModelError" && (error.kind === "bad-request" || error.kind === "bad-response")
        ? "Turn.run-sendMessageStream"
        : undefined
    }
  })
}

const write = Effect.fnUntraced(function* (type: string, cause: Cause.Cause<unknown>, options: ReportOptions) {
  const folder = yield* options.config.storage.projectTempDir
  const time = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[:.]/g, "-")
  const file = join(folder, `gemini-client-error-${type}-${time}.json`)
  const [error] = Cause.prettyErrors(cause)
  const report = {
    error: { message: error?.message ?? "unknown", stack: error?.stack },
    ...(options.isDebug ? { context: yield* options.history } : {})
  }
  const clean = yield* redaction
  yield* Effect.tryPromise(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(file, clean(`${JSON.stringify(report, null, 2)}\n`), { mode: 0o600 })
  })
  yield* (yield* Notices).info(`an error report was written to ${file}`)
})
