import { describe, expect } from "bun:test"
import { Duration, Effect, Either } from "effect"
import { it } from "../../../test/kit/it.ts"
import { PromptId } from "../../protocol/ids.ts"
import type { RequestRole } from "../../protocol/usage.ts"
import * as Availability from "../../retry/availability/model-availability.ts"
import { chainFor } from "../../retry/availability/policy-chain.ts"
import { ModelError, type ModelErrorKind } from "../../retry/model-error.ts"
import { chainModels, sessionAccess } from "../model-names.ts"
import { askPerson } from "./ask-person.ts"
import type { FallbackAnswer, FallbackQuestion } from "./fallback-questions.ts"

const PRO = "gemini-3.1-pro-preview"
const FLASH = "gemini-3-flash-preview"

const failure = (kind: ModelErrorKind, extra: Partial<ConstructorParameters<typeof ModelError>[0]> = {}) =>
  new ModelError({ kind, detail: `${kind} failure`, phase: "open", errorType: "TEST", ...extra })

interface Case {
  readonly error: ModelError
  readonly answer?: FallbackAnswer
  readonly model?: string
  readonly role?: RequestRole
  readonly isAuto?: boolean
  readonly isPlanMode?: boolean
  readonly isQuiet?: boolean
}

/** What came of it, what was asked, and which models are wanted and available afterwards. */
const giveUp = ({
  answer = "stop",
  error,
  isAuto = false,
  isPlanMode = false,
  isQuiet = true,
  model = PRO,
  role = "main"
}: Case) =>
  Effect.gen(function* () {
    const availability = yield* Availability.make
    const asked: Array<FallbackQuestion> = []
    const selected: Array<string> = []
    const chain = chainFor({ model, isAuto, isPlanMode, models: chainModels(sessionAccess("gemini-api-key")) })
    const request = { model, contents: [], config: {}, role, promptId: PromptId.make("p") }
    const result = yield* Effect.either(
      askPerson(
        error,
        { request, chain, maxAttempts: undefined, failed: [], count: 1 },
        {
          isQuiet,
          ask: (question) =>
            Effect.sync(() => {
              asked.push(question)
              return answer
            }),
          select: (name) =>
            Effect.zipRight(
              Effect.sync(() => void selected.push(name)),
              availability.reset
            )
        },
        availability
      )
    )
    const isAvailable = yield* availability.snapshot
    return {
      asked: asked.map(({ failed, other }) => [failed, other]),
      selected,
      isGone: !isAvailable(model),
      next: Either.match(result, {
        onLeft: ({ kind }) => `error: ${kind}`,
        onRight: ({ attempt, delayMs, event }) => `${event._tag} ${attempt.request.model} after ${delayMs} ms`
      })
    }
  })

const SWITCHED = `ModelReplaced ${FLASH} after 0 ms`

describe("a model that is given up while a person is there", () => {
  const rows: ReadonlyArray<[string, Case, Partial<Effect.Effect.Success<ReturnType<typeof giveUp>>>]> = [
    ["a quota: stop", { error: failure("quota") }, { asked: [[PRO, FLASH]], next: "error: quota", isGone: false }],
    [
      "a quota: switch, for the rest of the session",
      { error: failure("quota"), answer: "switch" },
      { asked: [[PRO, FLASH]], selected: [FLASH], isGone: true, next: SWITCHED }
    ],
    [
      "no such model: switch",
      { error: failure("not-found"), answer: "switch" },
      { asked: [[PRO, FLASH]], selected: [FLASH], next: SWITCHED }
    ],
    [
      "an error of the server: keep trying",
      { error: failure("unavailable", { status: 500 }), answer: "again" },
      { asked: [[PRO, FLASH]], selected: [], next: `RetryScheduled ${PRO} after 1000 ms` }
    ],
    [
      "keep trying waits as the server asks",
      { error: failure("rate-limited", { retryAfter: Duration.seconds(7) }), answer: "again", isQuiet: false },
      { asked: [[PRO, FLASH]], next: `RetryScheduled ${PRO} after 7000 ms` }
    ],
    [
      "a limit that passes is no question: the next model answers this request",
      { error: failure("rate-limited") },
      { asked: [], selected: [], isGone: true, next: SWITCHED }
    ],
    ["so is a shortage", { error: failure("capacity") }, { asked: [], next: SWITCHED }],
    ["so is an overloaded server", { error: failure("unavailable", { status: 503 }) }, { asked: [], next: SWITCHED }],
    [
      "unless all errors are to be told",
      { error: failure("capacity"), isQuiet: false },
      { asked: [[PRO, FLASH]], next: "error: capacity" }
    ],
    [
      "a model alone: nothing else can be offered",
      { error: failure("rate-limited"), model: "mine", answer: "again" },
      { asked: [["mine", undefined]], next: "RetryScheduled mine after 1000 ms" }
    ],
    [
      "plan mode asks nothing",
      { error: failure("quota"), isPlanMode: true },
      { asked: [], selected: [], isGone: true, next: SWITCHED }
    ],
    [
      "the lite chain asks nothing",
      { error: failure("quota"), model: "gemini-3.1-flash-lite" },
      { asked: [], next: "ModelReplaced gemini-3.5-flash after 0 ms" }
    ],
    [
      "a utility request asks nothing",
      { error: failure("quota"), role: "utility_router" },
      { asked: [], selected: [], next: SWITCHED }
    ],
    ["a wrong key is no matter of the model", { error: failure("auth") }, { asked: [], next: "error: auth" }],
    ["nor is a broken connection", { error: failure("network") }, { asked: [], next: "error: network" }]
  ]
  for (const [name, given, expected] of rows) {
    it.effect(name, () => Effect.map(giveUp(given), (result) => expect(result).toMatchObject(expected)))
  }
})
