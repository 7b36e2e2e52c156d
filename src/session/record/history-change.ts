/** What the recorder is told beside the events of a run: how the conversation changed, and how a prompt ended. */
import type { Content } from "../../protocol/content.ts"

export type HistoryChange =
  /** A message entered the conversation. It may begin with the description of the surroundings. */
  | {
      readonly _tag: "Added"
      readonly content: Content
      /** The conversation with it, from which a lost record can be written again. */
      readonly all?: ReadonlyArray<Content>
    }
  /** The conversation was made shorter; this is all of it. */
  | { readonly _tag: "Shortened"; readonly contents: ReadonlyArray<Content> }

/** A question that was not answered has left the conversation again. */
export type PromptEnd =
  | { readonly _tag: "Answered" }
  | { readonly _tag: "Failed"; readonly message: string }
  | { readonly _tag: "Cancelled" }
