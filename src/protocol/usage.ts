/** Token counts of one model answer, as the API reports them. Missing counts are zero. */
import { Schema } from "effect"

const count = Schema.optionalWith(Schema.Number, { default: () => 0 })

export const UsageMetadata = Schema.Struct({
  promptTokenCount: count,
  candidatesTokenCount: count,
  totalTokenCount: count,
  cachedContentTokenCount: count,
  thoughtsTokenCount: count,
  toolUsePromptTokenCount: count,
  /** At which tier the Gemini API served it. */
  serviceTier: Schema.optionalWith(Schema.String, { exact: true }),
  /** The same, in the words of Vertex AI: `ON_DEMAND_FLEX`. */
  trafficType: Schema.optionalWith(Schema.String, { exact: true }),
  /** From a recording: nobody served it, and it costs nothing. */
  isReplayed: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type UsageMetadata = typeof UsageMetadata.Type

/** Of an answer that came without counts. */
export const NO_USAGE: UsageMetadata = {
  promptTokenCount: 0,
  candidatesTokenCount: 0,
  totalTokenCount: 0,
  cachedContentTokenCount: 0,
  thoughtsTokenCount: 0,
  toolUsePromptTokenCount: 0
}

/** How soon a request is served, and at what price. `batch`: by the engine for batches. */
export const ServiceTier = Schema.Literal("standard", "flex", "priority", "batch")
export type ServiceTier = typeof ServiceTier.Type

/** What a person may ask for: `auto` is flex as long as that answers. */
export const TierWish = Schema.Literal("standard", "flex", "priority", "auto")
export type TierWish = typeof TierWish.Type

/** The tier that an answer names; `undefined`: it names none. */
export const tierNamed = ({
  serviceTier,
  trafficType
}: Pick<UsageMetadata, "serviceTier" | "trafficType">): ServiceTier | undefined => {
  const said = serviceTier ?? trafficType
  const [known] = said === undefined ? [] : (/flex|priority|batch|standard|on_demand$/.exec(said.toLowerCase()) ?? [])
  if (known === undefined) return undefined
  return known === "flex" || known === "priority" || known === "batch" ? known : "standard"
}

/** What a model request was for; the statistics are kept by it. */
export const RequestRole = Schema.Literal(
  "main",
  "subagent",
  "utility_tool",
  "utility_compressor",
  "utility_summarizer",
  "utility_router",
  "utility_loop_detector",
  "utility_next_speaker",
  "utility_edit_corrector",
  "utility_autocomplete",
  "utility_fast_ack_helper",
  "utility_state_snapshot_processor"
)
export type RequestRole = typeof RequestRole.Type
