/**
 * A second look by a small model at an edit that failed, or at content whose escapes look doubled. Off by default
 * (`tools.disableLLMCorrection`). Nothing is ever un-escaped by guessing: without a corrector the text stays as it is.
 */
import { extname } from "node:path"
import { Context, Effect, Layer } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"

export interface FailedEdit {
  readonly content: string
  readonly search: string
  readonly replacement: string
  readonly instruction: string
  readonly error: string
}

export interface EditFix {
  readonly search: string
  readonly replacement: string
  readonly explanation: string
  /** The change is in the file already. */
  readonly noChangesRequired: boolean
}

export class EditCorrector extends Context.Tag("agent/tools/EditCorrector")<
  EditCorrector,
  {
    /** `null` when there is nothing better to try. */
    readonly fixEdit: (failed: FailedEdit) => Effect.Effect<EditFix | null>
    /** The content with doubled escapes made single; the same content when they are meant, or when nobody can tell. */
    readonly fixEscaping: (content: string) => Effect.Effect<string>
  }
>() {}

export const layerNone = Layer.succeed(EditCorrector, {
  fixEdit: () => Effect.succeed(null),
  fixEscaping: Effect.succeed
})

/** In these formats a backslash is part of the notation. */
const ESCAPING_FORMATS = new Set([".json", ".ipynb", ".jsonc", ".json5"])

export const isCorrectable = (path: string): boolean => !ESCAPING_FORMATS.has(extname(path).toLowerCase())

/** Whether a question to the small model led to an edit that fits, as telemetry. */
export const tellOfCorrection = (correction: "success" | "failure") =>
  Effect.flatMap(Telemetry, ({ log }) =>
    log({ name: "gemini_cli.edit_correction", body: `Edit correction: ${correction}.`, attributes: { correction } })
  )
