/**
 * Which model serves a purpose beside the conversation (web search, summaries, repair of edits), by the alias of its configuration.
 * The parameters of the alias are kept whatever model stands behind it.
 */
import { Context, type Effect } from "effect"
import type { PromptId } from "../protocol/ids.ts"
import type { GenerationConfig } from "./model-client.ts"

export type UtilityAlias =
  | "web-search"
  | "web-fetch"
  | "web-fetch-fallback"
  | "summarizer-default"
  | "summarizer-shell"
  | "llm-edit-fixer"
  | "edit-corrector"

export class UtilityModels extends Context.Tag("agent/model/UtilityModels")<
  UtilityModels,
  {
    readonly configFor: (alias: UtilityAlias) => { readonly model: string; readonly config: GenerationConfig }
    /** The prompt that is being worked on; requests are counted with it. */
    readonly promptId: Effect.Effect<PromptId>
  }
>() {}
