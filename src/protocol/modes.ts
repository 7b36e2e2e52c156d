/** Small closed vocabularies of a run that several rooms share. */
import { Schema } from "effect"

/** What to do about a call that a cassette does not hold. */
export const OnMiss = Schema.Literal("fail", "live", "record")
export type OnMiss = typeof OnMiss.Type

export const OutputFormat = Schema.Literal("text", "json", "stream-json")
export type OutputFormat = typeof OutputFormat.Type

/** As spelled on the command line and in settings. */
export const ApprovalMode = Schema.Literal("default", "auto_edit", "yolo", "plan")
export type ApprovalMode = typeof ApprovalMode.Type

/** From the tightest to the loosest. */
export const MODES_BY_FREEDOM = ["plan", "default", "auto_edit", "yolo"] as const satisfies ReadonlyArray<ApprovalMode>

/** `one` lets more run without a question than `other`. */
export const isFreer = (one: ApprovalMode, other: ApprovalMode): boolean =>
  MODES_BY_FREEDOM.indexOf(one) > MODES_BY_FREEDOM.indexOf(other)

export const Trust = Schema.Literal("trusted", "untrusted")
export type Trust = typeof Trust.Type

/** How the user signs in, as spelled in `security.auth.selectedType`. */
export const AuthType = Schema.Literal(
  "oauth-personal",
  "gemini-api-key",
  "vertex-ai",
  "compute-default-credentials",
  "gateway"
)
export type AuthType = typeof AuthType.Type

/** Events of stream-json that not everybody wants. */
export const ExtraEvent = Schema.Literal("thought", "compression", "subagent")
export type ExtraEvent = typeof ExtraEvent.Type
