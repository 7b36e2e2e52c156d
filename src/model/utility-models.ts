/**
 * Which model serves a purpose beside the conversation (web search, summaries, repair of edits, compression, checks), by
 * the alias of its configuration. The parameters of the alias are kept whatever model stands behind it.
 *
 * Such requests count like any other: whoever answers a prompt enters it here, and hears of each request made for it.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type { EventOf } from "../protocol/event.ts"
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
  | "classifier"
  | "loop-detection"
  | "loop-detection-double-check"
  | "next-speaker-checker"
  | CompressionAlias

export type CompressionAlias =
  | "chat-compression-3-pro"
  | "chat-compression-3-flash"
  | "chat-compression-3.1-flash-lite"
  | "chat-compression-2.5-pro"
  | "chat-compression-2.5-flash"
  | "chat-compression-2.5-flash-lite"
  | "chat-compression-default"

export type RequestReport = EventOf<"RequestFinished"> | EventOf<"RequestFailed">

/** The prompt that is being worked on, and who keeps count of the requests made for it. */
export interface UtilityUser {
  readonly promptId: PromptId
  readonly report: (event: RequestReport) => Effect.Effect<void>
}

export class UtilityModels extends Context.Tag("agent/model/UtilityModels")<
  UtilityModels,
  {
    readonly configFor: (alias: UtilityAlias) => { readonly model: string; readonly config: GenerationConfig }
    readonly user: Effect.Effect<UtilityUser>
    /** From now on requests belong to this user. */
    readonly enter: (user: UtilityUser) => Effect.Effect<void>
  }
>() {}

type ConfigFor = Context.Tag.Service<UtilityModels>["configFor"]

export const make = (configFor: ConfigFor, promptId: PromptId) =>
  Effect.map(Ref.make<UtilityUser>({ promptId, report: () => Effect.void }), (user) =>
    UtilityModels.of({
      configFor,
      user: Ref.get(user),
      enter: (next) => Ref.set(user, next)
    })
  )

export const layer = (configFor: ConfigFor, promptId: PromptId) =>
  Layer.effect(UtilityModels, make(configFor, promptId))
