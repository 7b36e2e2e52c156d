/** Loops as the run meets them: the first finding makes the model step back, the second ends the run. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { ask, callChunk, chatRoom, chunk, inTurn, type Script, send } from "../../../test/kit/chat-room.ts"
import { it } from "../../../test/kit/it.ts"
import type { ModelChunk } from "../../model/model-client.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { ModelError } from "../../retry/model-error.ts"
import { firstCheck, isCheckDue, nextCheck } from "./loop-guard.ts"

const sentence = "I will now look at the file again to be quite sure about it. "
const same = (name: string) => [callChunk(name, { path: "a" })]
const notices = (events: ReadonlyArray<ProtocolEvent>) =>
  events.flatMap((event) => (event._tag === "Notice" ? [event.message] : []))

describe("the same call again and again", () => {
  it.effect("the fifth is not made, and the model hears why", () =>
    Effect.gen(function* () {
      const replies = [...Array.from({ length: 5 }, () => same("ls")), [chunk("I see", "STOP")]]
      const { events, requests, result } = yield* ask({ stream: inTurn(replies) })
      expect(result._tag).toBe("Right")
      const last = requests[5]?.contents.at(-1)?.parts
      expect(last?.[0]?.functionResponse?.response).toEqual({
        error: "The call was not made: it repeats what was done before."
      })
      expect(last?.[1]?.text).toContain("Step back")
      expect(notices(events)).toEqual([expect.stringContaining("asked to step back")])
      const finished = events.filter((event) => event._tag === "ToolFinished")
      expect(finished).toHaveLength(5)
      expect(finished[4]).toMatchObject({ status: "error", error: { type: "execution_failed" } })
    })
  )

  it.effect("a model that goes on ends the run, with every call answered", () =>
    Effect.gen(function* () {
      const { events, requests, result, tags } = yield* ask({ stream: () => same("ls") })
      expect(requests).toHaveLength(6)
      expect(result).toMatchObject({ _tag: "Left", left: { _tag: "LoopDetected", kind: "calls" } })
      expect(notices(events).at(-1)).toBe("Loop detected, stopping execution")
      const count = (tag: string) => tags.filter((name) => name === tag).length
      expect(count("ToolFinished")).toBe(count("ToolRequested"))
    })
  )

  it.effect("the next prompt knows that the last call was not made", () => {
    const { layer, requests } = chatRoom({ stream: (_, index) => (index < 6 ? same("ls") : [chunk("yes?", "STOP")]) })
    return Effect.gen(function* () {
      expect(yield* Effect.flip(send("go", []))).toMatchObject({ _tag: "LoopDetected" })
      yield* send("and now?", [])
      const replies = requests
        .at(-1)
        ?.contents.flatMap(({ parts }) =>
          parts.flatMap(({ functionResponse }) => functionResponse?.response?.error ?? [])
        )
      expect(replies).toEqual(["no", "no", "no", "no", ...Array(2).fill(expect.stringContaining("was not made"))])
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "three hundred different edits are work, and so is anything when the check is off",
    () =>
      Effect.gen(function* () {
        const stream: Script["stream"] = (_, index) =>
          index < 300 ? [callChunk("replace", { old_string: `line ${index}` })] : [chunk("done", "STOP")]
        const edits = yield* ask({ stream, generate: () => Effect.succeed(verdict(0.1)) })
        expect(edits.result._tag).toBe("Right")
        expect(edits.requests).toHaveLength(301)
        const off = yield* ask(
          { stream: (_, index) => (index < 50 ? same("ls") : [chunk("done", "STOP")]) },
          { detectsLoops: false }
        )
        expect(off.result._tag).toBe("Right")
        expect(off.questions).toEqual([])
      }),
    30_000
  )
})

describe("the same words again and again", () => {
  it.effect("the answer is stopped, is not kept, and the model is asked to step back", () =>
    Effect.gen(function* () {
      const chant = Array.from({ length: 40 }, () => chunk(sentence))
      const { events, requests, result, tags } = yield* ask({
        stream: inTurn([[...chant, chunk("end", "STOP")], [chunk("fine", "STOP")]])
      })
      expect(result._tag).toBe("Right")
      expect(tags).toContain("TurnRestarted")
      expect(events.filter((event) => event._tag === "Text").length).toBeLessThan(20)
      const sent = requests[1]?.contents
      expect(sent?.map(({ role }) => role)).toEqual(["user", "model", "user"])
      expect(JSON.stringify(sent)).not.toContain(sentence)
      expect(sent?.at(-1)?.parts[0]?.text).toContain("same words")
    })
  )

  it.effect("a second time ends the run", () =>
    Effect.gen(function* () {
      const chant = Array.from({ length: 40 }, () => chunk(sentence))
      const { requests, result } = yield* ask({ stream: () => chant })
      expect(requests).toHaveLength(2)
      expect(result).toMatchObject({ _tag: "Left", left: { _tag: "LoopDetected", kind: "text" } })
    })
  )
})

const verdict = (confidence: number): ModelChunk =>
  chunk(
    JSON.stringify({ unproductive_state_analysis: "sleeping, again", unproductive_state_confidence: confidence }),
    "STOP"
  )
const different: Script["stream"] = (_, index) => [callChunk("sleep", { seconds: index })]
const fail = (kind: ModelError["kind"]) =>
  Effect.fail(new ModelError({ kind, detail: "no", phase: "open", errorType: kind }))

describe("no progress", () => {
  it.effect("is asked about from the thirtieth turn, with the request and the latest work", () =>
    Effect.gen(function* () {
      const { questions } = yield* ask(
        { stream: different, generate: () => Effect.succeed(verdict(0)) },
        { maxTurns: { session: { value: 46, source: "test" }, prompt: undefined } }
      )
      expect(questions.map(({ model, role }) => ({ model, role }))).toEqual([
        { model: "loop-detection", role: "utility_loop_detector" },
        { model: "loop-detection", role: "utility_loop_detector" }
      ])
      const [first] = questions
      expect(first?.contents[0]?.parts[0]?.text).toContain("<original_user_request>\nhi\n")
      expect(first?.contents.at(-1)?.parts.at(-1)?.text).toContain("Judge the work")
      expect(first?.contents.length).toBeLessThanOrEqual(22)
    })
  )

  it.effect("is believed when a second model agrees: first a word, then the end", () =>
    Effect.gen(function* () {
      const { questions, requests, result } = yield* ask({
        stream: different,
        generate: () => Effect.succeed(verdict(0.95))
      })
      expect(questions.map(({ model }) => model)).toEqual([
        "loop-detection",
        "loop-detection-double-check",
        "loop-detection",
        "loop-detection-double-check"
      ])
      expect(requests[29]?.contents.at(-1)?.parts.at(-1)?.text).toContain("sleeping, again")
      expect(requests).toHaveLength(35)
      expect(result).toMatchObject({ _tag: "Left", left: { _tag: "LoopDetected", kind: "progress" } })
    })
  )

  const rows: ReadonlyArray<[string, NonNullable<Script["generate"]>, boolean]> = [
    ["the second model disagrees", ({ model }) => Effect.succeed(verdict(model === "loop-detection" ? 1 : 0.2)), false],
    [
      "the second model cannot be had: the first counts",
      ({ model }) => (model === "loop-detection" ? Effect.succeed(verdict(1)) : fail("not-found")),
      true
    ],
    [
      "the second model fails",
      ({ model }) => (model === "loop-detection" ? Effect.succeed(verdict(1)) : fail("network")),
      false
    ],
    ["the first model fails", () => fail("unavailable"), false],
    ["the answer is nonsense", () => Effect.succeed(chunk("perhaps", "STOP")), false],
    ["nobody answers", () => Effect.never, false]
  ]
  for (const [name, generate, isLoop] of rows) {
    it.effect(`${name}: ${isLoop ? "a loop" : "no loop"}`, () =>
      Effect.gen(function* () {
        const stream: Script["stream"] = (request, index) =>
          index < 80 ? different(request, index) : [chunk("done", "STOP")]
        const { result } = yield* ask({ stream, generate })
        expect(result._tag).toBe(isLoop ? "Left" : "Right")
      })
    )
  }
})

/** The turns at which a model is asked when its verdicts have this confidence. */
const checkedTurns = (confidence: number, turns: number): ReadonlyArray<number> => {
  let schedule = firstCheck
  const checked: Array<number> = []
  for (let turn = 1; turn <= turns; turn++) {
    if (!isCheckDue(schedule, turn)) continue
    checked.push(turn)
    schedule = nextCheck(turn, confidence)
  }
  return checked
}

test.each<[number, ReadonlyArray<number>]>([
  [0, [30, 45, 60]],
  [0.5, [30, 40, 50, 60]],
  [1, [30, 35, 40, 45, 50, 55, 60]],
  [-3, [30, 45, 60]],
  [7, [30, 35, 40, 45, 50, 55, 60]]
])("confidence %d: asked at turns %p", (confidence, turns) => expect(checkedTurns(confidence, 62)).toEqual([...turns]))
