/** Why nothing was undone. What fails for single files is part of the result, not an error. */
import { Schema } from "effect"
import { errnoOf } from "../../files/file-error.ts"

export class UndoError extends Schema.TaggedError<UndoError>()("UndoError", {
  /** `record`: what stands on disk could not be saved first, so nothing was touched. */
  kind: Schema.Literal("record", "going-on", "unknown-run", "nothing", "not-here"),
  detail: Schema.String
}) {
  static readonly fromSystem = (kind: "record") => (cause: unknown) => new UndoError({ kind, detail: errnoOf(cause) })

  override get message() {
    return MESSAGE[this.kind](this.detail)
  }
}

const MESSAGE: Record<UndoError["kind"], (detail: string) => string> = {
  record: (code) => `What stands on disk now cannot be saved (${code}), so nothing was changed.`,
  "going-on": (run) => `The run ${run} is still going on: wait for its end, or end it.`,
  "unknown-run": (run) => `There is no run ${run} to take back in this project.`,
  nothing: () => "There is nothing to take back: no run of this project has changed a file.",
  "not-here": () =>
    "This conversation has changed no file that could be taken back. `/undo list` shows what others changed; `/undo RUN` takes that back."
}
