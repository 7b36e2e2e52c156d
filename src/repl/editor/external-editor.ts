/** Text in the user's own editor: a long prompt, a proposed change. */
import { Context, type Effect, Schema } from "effect"

export class ExternalEditorError extends Schema.TaggedError<ExternalEditorError>()("ExternalEditorError", {
  /** `none`: no editor is configured. `failed`: it could not be started, or ended with an error. */
  kind: Schema.Literal("none", "failed"),
  command: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return this.kind === "none"
      ? "no editor is set: set $VISUAL or $EDITOR, or general.preferredEditor in the settings"
      : `the editor (${this.command}) ${this.detail}`
  }
}

export interface EditRequest {
  readonly text: string
  /** Name of the temporary file, for the editor's colours: `prompt.md`, or the name of the file to be changed. */
  readonly fileName: string
}

export class ExternalEditor extends Context.Tag("agent/repl/ExternalEditor")<
  ExternalEditor,
  {
    /** The text as the editor left it. */
    readonly edit: (request: EditRequest) => Effect.Effect<string, ExternalEditorError>
  }
>() {}
