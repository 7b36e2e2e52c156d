/** What routing is asked, and what it answers. The strategies are in files of their own; the router tries them in turn. */
import type { Content, Part } from "../../protocol/content.ts"
import type { ApprovalMode } from "../../protocol/modes.ts"
import type { ModelNames } from "../session-names.ts"

/** What does not change during a session. */
export interface RoutingFacts {
  readonly names: ModelNames
  /** Plans are made by the strong model and carried out by the quick one (`general.plan.modelRouting`). */
  readonly routesPlans: boolean
  /** Complexity from which the strong model answers; `undefined`: the choice is a word, not a number. */
  readonly threshold: { readonly value: number; readonly source: "Default" | "Remote" } | undefined
}

/** One prompt that wants a model. */
export interface RoutingQuestion {
  /** The conversation before it. */
  readonly history: ReadonlyArray<Content>
  /** The prompt itself, or the tool results that continue one. */
  readonly request: ReadonlyArray<Part>
}

export interface RoutingContext extends RoutingQuestion, RoutingFacts {
  /** As the person named it: an id or an alias. */
  readonly configured: string
  readonly approvalMode: ApprovalMode
  readonly hasApprovedPlan: boolean
  readonly isAvailable: (model: string) => boolean
}

export interface Choice {
  readonly model: string
  readonly reasoning: string
}

export interface RoutingDecision extends Choice {
  /** `agent-router/<strategy>`. */
  readonly source: string
  readonly latencyMs: number
  /** Strategies that failed on the way, with their reasons. */
  readonly error?: string
}
