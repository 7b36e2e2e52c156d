/**
 * Watches the work on one prompt for three kinds of loops: the same calls, the same words, and, asked of a model from time
 * to time, no progress. The first finding makes the model step back; the second ends the run.
 */
import { Effect } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import type { Content } from "../../protocol/content.ts"
import type { Emit } from "../../protocol/event.ts"
import type { PromptId } from "../../protocol/ids.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { LoopDetected, type LoopKind } from "../chat-error.ts"
import { ChantDetector } from "./chant-detector.ts"

export interface LoopFinding {
  readonly kind: LoopKind
  /** For people and for the model: what was repeated. */
  readonly detail: string
}

/** When a model is asked whether there is still progress: from the thirtieth turn of a prompt, then every 5 to 15 turns. */
interface CheckSchedule {
  readonly lastTurn: number
  /** Turns from one check to the next. */
  readonly interval: number
}

const FIRST_TURN = 30
const FIRST_INTERVAL = 10
const SHORTEST = 5
const LONGEST = 15

export const firstCheck: CheckSchedule = { lastTurn: 0, interval: FIRST_INTERVAL }

export const isCheckDue = ({ interval, lastTurn }: CheckSchedule, turn: number): boolean =>
  turn >= FIRST_TURN && turn - lastTurn >= interval

/** `confidence`: how sure the model was of a loop, between 0 and 1. */
export const nextCheck = (turn: number, confidence: number): CheckSchedule => ({
  lastTurn: turn,
  interval: Math.round(SHORTEST + (LONGEST - SHORTEST) * (1 - Math.min(1, Math.max(0, confidence))))
})

/**
 * Notices when the model asks for the same tool calls over and over: the last calls are five rounds of one cycle of up
 * to five calls. A fold over the calls of one prompt; different arguments are different calls, so a long series of edits
 * never trips it.
 */
interface CallCycles {
  /** Keys of the latest calls, oldest first. */
  readonly keys: ReadonlyArray<string>
}

export const noCalls: CallCycles = { keys: [] }

const REPETITIONS = 5
const LONGEST_CYCLE = 5
const KEPT = REPETITIONS * LONGEST_CYCLE

export const addCall = (
  state: CallCycles,
  call: { readonly name: string; readonly args: unknown }
): { readonly state: CallCycles; readonly isLoop: boolean } => {
  // A digest, because arguments may be files. The runtime's own hasher: node:crypto takes milliseconds to load.
  const key = new Bun.CryptoHasher("sha256").update(`${call.name}:${JSON.stringify(call.args)}`).digest("hex")
  const keys = [...state.keys, key].slice(-KEPT)
  return { state: { keys }, isLoop: hasCycle(keys) }
}

const hasCycle = (keys: ReadonlyArray<string>): boolean => {
  for (let length = 1; length <= LONGEST_CYCLE; length++) {
    const span = length * REPETITIONS
    if (keys.length < span) return false
    const start = keys.length - span
    let repeats = true
    for (let index = start + length; repeats && index < keys.length; index++) {
      repeats = keys[index] === keys[index - length]
    }
    if (repeats) return true
  }
  return false
}

export class LoopGuard {
  private calls = noCalls
  private chant: ChantDetector | undefined
  private checks = firstCheck
  private turns = 0
  private findings = 0
  private readonly isOn: boolean

  constructor(options: { readonly isOn: boolean }) {
    this.isOn = options.isOn
  }

  /** Turns of this prompt so far. */
  get turnCount(): number {
    return this.turns
  }

  /** Loops of this prompt so far. */
  get findingCount(): number {
    return this.findings
  }

  /** Counts a turn. True when it is time to ask a model whether there is progress. */
  startsTurn(): boolean {
    this.turns += 1
    return this.isOn && isCheckDue(this.checks, this.turns)
  }

  /** The surer the last verdict was of a loop, the sooner the next question. */
  wasChecked(confidence: number): void {
    this.checks = nextCheck(this.turns, confidence)
  }

  /** One piece of visible text; true ends the answer. */
  hears(text: string): boolean {
    if (!this.isOn) return false
    this.chant ??= new ChantDetector()
    return this.chant.sees(text)
  }

  /** The calls of an answer, before they run. */
  findsCycle(calls: ReadonlyArray<{ readonly name: string; readonly args: unknown }>): LoopFinding | undefined {
    if (!this.isOn || calls.length === 0) return undefined
    this.chant?.forget()
    for (const call of calls) {
      const { isLoop, state } = addCall(this.calls, call)
      this.calls = state
      if (isLoop) return { kind: "calls", detail: `it asked for ${call.name} with the same arguments again and again` }
    }
    return undefined
  }

  /** An error when the model was told to step back before. */
  reacts(finding: LoopFinding): LoopDetected | undefined {
    this.findings += 1
    return this.findings > 1 ? new LoopDetected(finding) : undefined
  }
}

export const CHANT: LoopFinding = { kind: "text", detail: "it repeated the same words over and over" }

/** Stands in the history for a repetitive answer: the model would only be led on by its own words. */
export const CHANTED: Content = {
  role: "model",
  parts: [{ text: "[This answer was stopped because it repeated the same words over and over.]" }]
}

/** Asks the model to step back. */
const stepBack = ({ detail }: LoopFinding): string =>
  [
    `[System note: you seem to be stuck in a loop: ${detail}.`,
    "Step back. Compare what you have achieved with what was asked.",
    "Do not repeat what did not work: take another way, or say what keeps you from going on.]"
  ].join(" ")

interface WatchedRun {
  readonly promptId: PromptId
  readonly guard: LoopGuard
  readonly emit: Emit
}

/** What is done about a loop: the first time the model gets the returned words to step back, the second time the run ends. */
export const reactToLoop = Effect.fnUntraced(function* (finding: LoopFinding, { emit, guard, promptId }: WatchedRun) {
  const end = guard.reacts(finding)
  yield* (yield* Telemetry).log({
    name: "loop_detected",
    body: `Loop detected. Type: ${LOOP_TYPES[finding.kind]}.`,
    attributes: {
      loop_type: LOOP_TYPES[finding.kind],
      prompt_id: promptId,
      count: guard.findingCount,
      ...(finding.kind === "progress" ? { confirmed_by_model: true, analysis: finding.detail } : {})
    }
  })
  if (end !== undefined) {
    yield* emit({ _tag: "Notice", severity: "warning", message: "Loop detected, stopping execution" })
    return yield* end
  }
  const message = `The model seems to be stuck: ${finding.detail}. It was asked to step back.`
  yield* emit({ _tag: "Notice", severity: "warning", message })
  return stepBack(finding)
})

const LOOP_TYPES = {
  calls: "consecutive_identical_tool_calls",
  text: "chanting_identical_sentences",
  progress: "llm_detected_loop"
} as const

/** Why calls that close a circle are not made. */
export const REPEATED = "The call was not made: it repeats what was done before."

/**
 * The question whether there is progress, when it is due: a finding adds a word to the message, or ends the run. Returns
 * the message that is really sent.
 */
export const askForProgress = Effect.fnUntraced(function* (
  message: Content,
  history: ReadonlyArray<Content>,
  run: WatchedRun & { readonly text: string }
) {
  const { checkProgress } = yield* lazy(() => import("./progress-check.ts"))
  const { confidence, finding } = yield* checkProgress({ history, request: run.text, promptId: run.promptId })
  run.guard.wasChecked(confidence)
  if (finding === undefined) return message
  const text = yield* reactToLoop(finding, run)
  return { ...message, parts: [...message.parts, { text }] }
})
