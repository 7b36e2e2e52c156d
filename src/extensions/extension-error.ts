/** Why an extension was not installed, changed or loaded: what happened, and what to do about it. */
import { Effect, Schema } from "effect"
import { codeOf } from "../system/atomic-write.ts"

export const ExtensionErrorKind = Schema.Literal(
  /** The files of the extension are wrong. */
  "invalid",
  /** Nothing can be had from the source. */
  "source",
  /** There is one already, or there is none. */
  "exists",
  "unknown",
  /** A setting or a broken seal forbids it. */
  "forbidden",
  "administrator",
  /** The person did not agree. */
  "declined",
  /** The disk said no. */
  "storage"
)

export class ExtensionError extends Schema.TaggedError<ExtensionError>()("ExtensionError", {
  kind: ExtensionErrorKind,
  detail: Schema.String,
  advice: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.advice === undefined ? this.detail : `${this.detail} ${this.advice}`
  }
}

/** `code`: the system's word, such as `EACCES`. */
export const storageFailure = (path: string, code: string): ExtensionError =>
  new ExtensionError({ kind: "storage", detail: `${path} cannot be written or read (${code}).` })

/** Work with files; what the system refuses is told with `path`. */
export const onDisk = <A>(path: string, work: () => A): Effect.Effect<A, ExtensionError> =>
  Effect.try({ try: work, catch: (cause) => storageFailure(path, codeOf(cause)) })
