/**
 * `@` references of a prompt, resolved into the parts that the model gets. The same for a prompt that was typed, one
 * from `-p` and one from an editor; piped data is not a prompt and passes unchanged.
 */
import { Context, type Effect } from "effect"
import type { Part } from "../protocol/content.ts"
import type { CommandCompletion } from "./command.ts"
import type { CommandError } from "./command-error.ts"

export interface ExpandedPrompt {
  /** As typed, with `\@` read as `@`. */
  readonly text: string
  /** What the model gets; a single text when nothing was referred to. */
  readonly parts: ReadonlyArray<Part>
  readonly notes: ReadonlyArray<ExpansionNote>
}

/** For the person: what was attached, what was not and why. */
export interface ExpansionNote {
  readonly severity: "info" | "warning"
  readonly message: string
}

export interface ExpansionOptions {
  /** Piped data that stands before the prompt as it is. */
  readonly before?: string | undefined
  /** Asks whether a path outside the workspace may be read. Absent: it may not. */
  readonly mayRead?: ((path: string) => Effect.Effect<boolean>) | undefined
}

export class PromptExpansion extends Context.Tag("agent/slash/PromptExpansion")<
  PromptExpansion,
  {
    readonly expand: (prompt: string, options?: ExpansionOptions) => Effect.Effect<ExpandedPrompt, CommandError>
    /** Candidates for the reference at the cursor; `undefined` when there is none. */
    readonly complete: (text: string, cursor: number) => Effect.Effect<CommandCompletion | undefined>
    /** A reference is being typed: gets ready in the background what `complete` may need. */
    readonly prepare: Effect.Effect<void>
  }
>() {}
