/** Token counts of one model answer, as the API reports them. Missing counts are zero. */
import { Schema } from "effect"

const count = Schema.optionalWith(Schema.Number, { default: () => 0 })

export const UsageMetadata = Schema.Struct({
  promptTokenCount: count,
  candidatesTokenCount: count,
  totalTokenCount: count,
  cachedContentTokenCount: count,
  thoughtsTokenCount: count,
  toolUsePromptTokenCount: count
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
