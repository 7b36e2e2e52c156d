/** What a chat is asked, and how it is set up. */
import type { Effect } from "effect"
import type { GenerationConfig } from "../model/model-client.ts"
import type { Content, Part } from "../protocol/content.ts"
import type { EventOf } from "../protocol/event.ts"
import type { PromptId } from "../protocol/ids.ts"
import type { RequestRole } from "../protocol/usage.ts"
import { LimitReached } from "./chat-error.ts"
import type { RoomOptions } from "./history-compaction.ts"
import type { OutputContract } from "./structured/output-contract.ts"

export interface Prompt {
  /** As the person gave it. */
  readonly text: string
  /** As the model gets it. */
  readonly parts: ReadonlyArray<Part>
  /** Nothing is asked: this call, with which the conversation ends, is made, and the model goes on from its result. */
  readonly repeats?: string
  /** Hears what requests took that were cut because nobody reads the answer any more. */
  readonly afterwards?: (use: EventOf<"RequestFailed">) => Effect.Effect<void>
}

export interface ChatOptions {
  /** The id of each prompt, by its number from zero. */
  readonly promptId: (count: number) => PromptId
  /** The parameters of a model that was chosen, from aliases and settings. */
  readonly modelFor: (
    model: string,
    attempt: { readonly isRetry: boolean }
  ) => {
    readonly model: string
    readonly config: GenerationConfig
  }
  /** What a person should know about the parameters that a model gets. */
  readonly noticeFor?: ((model: string) => string | undefined) | undefined
  readonly maxTurns: TurnLimits
  readonly room: RoomOptions
  readonly detectsLoops: boolean
  /** After an answer without calls a model is asked whether the answer is complete. */
  readonly checksNextSpeaker: boolean
  /** Text is shown only when the run has ended, so an answer may be dropped and asked for again. */
  readonly restartable: boolean
  /** Attempts at one answer (`general.maxAttempts`). */
  readonly maxAttempts: number
  /** The form that the final answer must have. */
  readonly contract?: OutputContract | undefined
  /** What goes before the words of a prompt: what has changed around it since the last one. */
  readonly news?: ((history: ReadonlyArray<Content>) => Effect.Effect<ReadonlyArray<Part>>) | undefined
  /** Whom the requests are counted for. */
  readonly role: RequestRole
  /** Asked when calls have run: the work on this prompt is done, and nothing more is sent. */
  readonly isDone?: Effect.Effect<boolean>
  /** Where the person refused all calls of an answer, nothing more is sent. */
  readonly endsWhenRefused?: boolean
}

/** The limits on turns, asked before each request. A limit of the person's own beats the one that every prompt has. */
interface TurnLimit {
  readonly value: number
  /** The flag, variable or setting that set it. */
  readonly source: string
}

export interface TurnLimits {
  /** Of the whole session, tool rounds included. */
  readonly session: TurnLimit | undefined
  /** Of the work on one prompt. */
  readonly prompt: TurnLimit | undefined
}

/** `counts` include the turn that is about to begin. */
export const passedLimit = (
  counts: { readonly session: number; readonly prompt: number },
  limits: TurnLimits
): LimitReached | undefined => {
  const passed = [isPassed(counts.session, limits.session), isPassed(counts.prompt, limits.prompt)].find(
    (limit) => limit !== undefined
  )
  return passed === undefined
    ? undefined
    : new LimitReached({ limit: "turns", value: String(passed.value), source: passed.source })
}

const isPassed = (count: number, limit: TurnLimit | undefined): TurnLimit | undefined =>
  limit !== undefined && count > limit.value ? limit : undefined
