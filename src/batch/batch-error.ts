/** Why a batch cannot begin or has to end early. What goes wrong with one item is a result, not a failure of the batch. */
import { Schema } from "effect"
import { ExitCode } from "../protocol/exit-code.ts"
import type { FailureCode } from "../protocol/failure-help.ts"
import type { RunFailure } from "../protocol/outcome.ts"

export class BatchError extends Schema.TaggedError<BatchError>()("BatchError", {
  /**
   * `input`: the input or the options cannot be used. `changed`: the batch was begun with others. `busy`: another process
   * works on the same output. `storage`: the output or its journal cannot be read or written. `api`: the batch service. `closed`:
   * the reader of the output has gone, and nothing more is wanted.
   */
  kind: Schema.Literal("input", "changed", "busy", "storage", "api", "closed"),
  message: Schema.String,
  /** What to do about it. */
  hint: Schema.optional(Schema.String)
}) {
  get exitCode(): number {
    if (this.kind === "closed") return ExitCode.success
    return this.kind === "input" || this.kind === "changed" ? ExitCode.input : ExitCode.general
  }

  get failure(): RunFailure {
    const { hint, kind, message } = this
    return { type: "Error", message, help: HELP[kind], ...(hint === undefined ? {} : { hint }) }
  }
}

const HELP: Readonly<Record<BatchError["kind"], FailureCode>> = {
  input: "batch-input",
  changed: "batch-changed",
  busy: "batch-busy",
  storage: "storage",
  api: "batch-service",
  closed: "output-failed"
}

export const badInput = (message: string, hint?: string): BatchError =>
  new BatchError({ kind: "input", message, ...(hint === undefined ? {} : { hint }) })

/** `cause`: what the system threw. */
export const storageFault = (path: string, doing: "read" | "write", cause: unknown): BatchError => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  return new BatchError({
    kind: "storage",
    message: `${path} cannot be ${doing === "read" ? "read" : "written"} (${code})`,
    hint:
      REMEDIES[code] ??
      (doing === "read" ? "Check the path and its permissions." : "Check the folder and its permissions.")
  })
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. What is done is kept: make room and start the same command again.",
  EDQUOT: "The quota of the disk is used up. What is done is kept: make room and start the same command again.",
  EROFS: "The disk is read only: choose another place for the output.",
  EISDIR: "It is a folder: name a file.",
  ENOENT: "Check the path."
}
