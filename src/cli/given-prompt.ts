/** A prompt as it was given, and what it comes to. */
import type { Prompt } from "../chat/chat-options.ts"
import type { Part } from "../protocol/content.ts"
import type { ExpansionNote } from "../slash/prompt-expansion.ts"
import type { StdinMedia } from "./stdin-content.ts"

export interface GivenPrompt {
  /** Data that stands before the prompt and is never looked into. Without a prompt, standard input is the prompt. */
  readonly piped: string
  readonly typed: string
  /** A picture, a recording or a document that was piped in. */
  readonly media?: StdinMedia | undefined
  /** Files that the command line names. */
  readonly attached?: ReadonlyArray<Part>
}

/** Piped input stands before the prompt, with an empty line between them. */
export const wholeText = ({ piped, typed }: GivenPrompt): string =>
  [piped, typed].filter((part) => part !== "").join("\n\n")

/** What was piped in as a file, and what is attached, stands behind the text. */
export const withMedia = (prompt: Prompt, { attached = [], media }: GivenPrompt): Prompt =>
  media === undefined && attached.length === 0
    ? prompt
    : { ...prompt, parts: [...prompt.parts, ...attached, ...(media === undefined ? [] : [{ inlineData: media }])] }

/** What is to be done with a prompt: sent, or answered by this text. */
export type PreparedPrompt =
  | { readonly _tag: "Send"; readonly prompt: Prompt; readonly notes: ReadonlyArray<ExpansionNote> }
  | { readonly _tag: "Print"; readonly text: string }
