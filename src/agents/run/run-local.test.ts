import { describe, expect } from "bun:test"
import { Deferred, Effect, Either, Fiber, Layer, TestClock } from "effect"
import { agentOf, agentRoom, echoTool } from "../../../test/kit/agent-room.ts"
import { callChunk, chunk, partsChunk } from "../../../test/kit/chat-room.ts"
import { it } from "../../../test/kit/it.ts"
import * as RunBudget from "../../chat/limits/run-budget.ts"
import type { ModelRequest } from "../../model/model-client.ts"
import { NO_USAGE } from "../../protocol/usage.ts"

const done = (result: unknown) => [callChunk("complete_task", { result })]
const declared = ({ config }: ModelRequest): ReadonlyArray<string> =>
  (config.tools as ReadonlyArray<{ functionDeclarations: ReadonlyArray<{ name: string }> }>).flatMap(
    ({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)
  )
/** Code is loaded on the way, in real time: the test clock is moved only when the agent waits. */
const until = (isReached: () => boolean) =>
  Effect.repeat(
    Effect.promise(() => Bun.sleep(1)),
    { until: isReached }
  )
const lastText = ({ contents }: ModelRequest | undefined = { contents: [] } as never): string =>
  JSON.stringify(contents.at(-1))

describe("an agent that does its work", () => {
  it.effect("calls tools, hands over a result, and the run is told of it", () =>
    Effect.gen(function* () {
      const room = agentRoom({
        tools: [echoTool("look"), echoTool("invoke_agent"), echoTool("update_topic")],
        model: (_, index) => (index === 0 ? [callChunk("look", { at: 1 })] : done("found it"))
      })
      const result = yield* room.run(agentOf())
      expect(result).toMatchObject({
        right: {
          forModel: "Subagent 'scout' finished.\nTermination reason: GOAL\nResult:\nfound it",
          display: { text: "found it" }
        }
      })
      expect(room.steps()).toEqual([
        "AgentStarted",
        ...["ToolRequested", "RequestFinished", "ToolStarted", "ToolFinished"],
        ...["ToolRequested", "RequestFinished", "ToolStarted", "ToolFinished"],
        "AgentFinished"
      ])
      expect(room.events.at(-1)).toMatchObject({
        agent: "scout",
        callId: "invoke_agent__1",
        event: { reason: "GOAL", turns: 2 }
      })
      expect(room.requests.map(({ promptId, role }) => ({ promptId, role }))).toEqual(
        Array(2).fill({ promptId: expect.stringMatching(/^scout-[0-9a-f]{8}#0$/), role: "subagent" })
      )
      expect(room.policyCalls).toEqual([
        { name: "look", subagent: "scout" },
        { name: "complete_task", subagent: "scout" }
      ])
    })
  )

  it.effect("never gets tools that start agents or change the topic", () =>
    Effect.gen(function* () {
      const tools = ["look", "invoke_agent", "update_topic"].map((name) => echoTool(name))
      const room = agentRoom({ tools, model: () => done("ok") })
      yield* room.run(agentOf({ tools: ["*", "invoke_agent", "update_topic"] }))
      expect(room.requests.map(declared)).toEqual([["look", "complete_task"]])
    })
  )

  it.effect("is told who it is, what it knows and how it works", () =>
    Effect.gen(function* () {
      const room = agentRoom({ model: () => done("ok") })
      yield* room.run(agentOf(), "the task")
      const [request] = room.requests
      expect(request?.systemInstruction).toStartWith("You look around (m, the task).\n\n# How you work\n")
      expect(request?.contents).toEqual([
        { role: "user", parts: [{ text: "<session_context>here</session_context>" }, { text: "the task" }] }
      ])
    })
  )

  it.effect("with the core instruction gets that of the main agent", () =>
    Effect.gen(function* () {
      const room = agentRoom({ model: () => done("ok") })
      yield* room.run(agentOf({ instruction: { _tag: "core" } }))
      expect(room.requests[0]?.systemInstruction).toStartWith("the core instruction\n\n# How you work\n")
    })
  )

  it.effect("gets one call after the other answered, also one that it may not make", () =>
    Effect.gen(function* () {
      const room = agentRoom({
        tools: [echoTool("invoke_agent")],
        model: (_, index) => (index === 0 ? [callChunk("invoke_agent", { agent_name: "scout" })] : done("alone then"))
      })
      expect(yield* room.run(agentOf())).toMatchObject({ right: { data: { terminateReason: "GOAL" } } })
      expect(lastText(room.requests[1])).toContain("not available to this agent")
    })
  )
})

describe("a result", () => {
  const output = {
    name: "report",
    description: "d",
    schema: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] }
  }

  it.effect("that does not fit goes back with what is wrong", () =>
    Effect.gen(function* () {
      const room = agentRoom({
        model: (_, index) => [callChunk("complete_task", { report: index === 0 ? { answer: 1 } : { answer: "one" } })]
      })
      const result = yield* room.run(agentOf({ output }))
      expect(result).toMatchObject({ right: { display: { text: '{\n  "answer": "one"\n}' } } })
      expect(lastText(room.requests[1])).toContain("params/report/answer must be string")
    })
  )

  it.effect("that is empty is none", () =>
    Effect.gen(function* () {
      const room = agentRoom({ model: (_, index) => done(index === 0 ? "  " : "now") })
      expect(yield* room.run(agentOf())).toMatchObject({ right: { display: { text: "now" } } })
      expect(lastText(room.requests[1])).toContain("result is empty")
    })
  )
})

describe("limits", () => {
  const busy = (_: ModelRequest, index: number) => [callChunk("look", { at: index })]

  it.effect("an agent at its last turn may only hand over, and that counts as success", () =>
    Effect.gen(function* () {
      const room = agentRoom({
        tools: [echoTool("look")],
        model: (request, index) => (index < 2 ? busy(request, index) : done("as far as I got"))
      })
      const result = yield* room.run(agentOf({ limits: { maxTurns: 2, maxMinutes: 10 } }))
      expect(result).toMatchObject({
        right: { data: { terminateReason: "GOAL" }, display: { text: "as far as I got" } }
      })
      expect(room.requests.map(declared)).toEqual([
        ["look", "complete_task"],
        ["look", "complete_task"],
        ["complete_task"]
      ])
      expect(lastText(room.requests[2])).toContain("You used up all 2 turns.")
      expect(room.steps()).toContain("AgentRecovery")
    })
  )

  it.effect("an agent that goes on all the same ends with MAX_TURNS, after one more turn", () =>
    Effect.gen(function* () {
      const room = agentRoom({ tools: [echoTool("look")], model: busy })
      const result = yield* room.run(agentOf({ limits: { maxTurns: 3, maxMinutes: 10 } }))
      expect(room.requests).toHaveLength(4)
      expect(result).toMatchObject({ right: { data: { terminateReason: "MAX_TURNS" } } })
    })
  )

  it.effect("an answer without a call is asked for once more, then told as a failure with its words", () =>
    Effect.gen(function* () {
      const room = agentRoom({ model: () => [chunk("I think it is fine.", "STOP")] })
      const result = yield* room.run(agentOf())
      expect(room.requests).toHaveLength(2)
      expect(result).toMatchObject({ left: { type: "execution_failed" } })
      const message = Either.match(result, { onLeft: (failure) => failure.message, onRight: () => "" })
      expect(message).toContain("Termination reason: ERROR_NO_COMPLETE_TASK_CALL")
      expect(message).toEndWith("Its last words were:\nI think it is fine.")
    })
  )

  it.effect("the time ends it, and the grace is a minute", () =>
    Effect.gen(function* () {
      const room = agentRoom({ model: () => "never" })
      const fiber = yield* Effect.fork(room.run(agentOf({ limits: { maxTurns: 5, maxMinutes: 2 } })))
      yield* until(() => room.requests.length === 1)
      yield* TestClock.adjust("119 seconds")
      expect(room.requests).toHaveLength(1)
      yield* TestClock.adjust("2 seconds")
      yield* until(() => room.requests.length === 2)
      yield* TestClock.adjust("60 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ right: { data: { terminateReason: "TIMEOUT" } } })
    })
  )

  it.effect("the time stands still while a person is asked", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<void>()
      const room = agentRoom({
        tools: [echoTool("look")],
        asks: ["look"],
        approve: () => Effect.as(Deferred.await(answered), { _tag: "Once" } as const),
        model: (request, index) => (index === 0 ? busy(request, index) : done("ok"))
      })
      const fiber = yield* Effect.fork(room.run(agentOf({ limits: { maxTurns: 5, maxMinutes: 1 } })))
      yield* until(() => room.questions.length === 1)
      yield* TestClock.adjust("1 hour")
      yield* Deferred.succeed(answered, undefined)
      expect(yield* Fiber.join(fiber)).toMatchObject({ right: { data: { terminateReason: "GOAL" } } })
      expect(room.questions).toMatchObject([{ toolName: "look", agent: "scout" }])
    })
  )

  it.effect("a refusal is an answer that asks to think again", () =>
    Effect.gen(function* () {
      const room = agentRoom({
        tools: [echoTool("look")],
        asks: ["look"],
        approve: () => Effect.succeed({ _tag: "No", reason: undefined }),
        model: (request, index) => (index === 0 ? busy(request, index) : done("without it"))
      })
      expect(yield* room.run(agentOf())).toMatchObject({ right: { display: { text: "without it" } } })
      expect(lastText(room.requests[1])).toContain("think again")
    })
  )

  it.effect("limits of the run end it too, and are no limit of its own", () =>
    Effect.gen(function* () {
      const room = agentRoom({
        tools: [echoTool("look")],
        model: busy,
        maxTurns: { value: 2, source: "--max-turns" }
      })
      const result = yield* room.run(agentOf())
      expect(room.requests).toHaveLength(2)
      expect(JSON.stringify(result)).toContain("the limit of 2 turns was reached (--max-turns)")
    })
  )

  it.effect("what it takes is counted by the run before it goes on", () =>
    Effect.gen(function* () {
      const counted: Array<string> = []
      const budget = Layer.effect(
        RunBudget.RunBudget,
        Effect.map(
          RunBudget.make({}, () => undefined),
          (made) => ({
            ...made,
            check: (model: string) =>
              Effect.zipRight(
                Effect.sync(() => void counted.push("check")),
                made.check(model)
              )
          })
        )
      )
      const room = agentRoom({
        tools: [echoTool("look")],
        budget,
        model: (_, index) => {
          counted.push(`request after ${room.events.filter(({ _tag }) => _tag === "RequestFinished").length}`)
          return index < 2
            ? [
                {
                  ...partsChunk([{ functionCall: { name: "look", args: { index } } }], "STOP"),
                  usageMetadata: NO_USAGE
                }
              ]
            : done("ok")
        }
      })
      yield* room.run(agentOf())
      expect(counted.filter((step) => step !== "check")).toEqual([
        "request after 0",
        "request after 1",
        "request after 2"
      ])
    })
  )
})

describe("cancelling", () => {
  it.effect("goes through, and ends the agent", () =>
    Effect.gen(function* () {
      const room = agentRoom({ model: () => "never" })
      const fiber = yield* Effect.fork(room.run(agentOf()))
      yield* until(() => room.requests.length === 1)
      const exit = yield* Fiber.interrupt(fiber)
      expect(exit._tag).toBe("Failure")
      expect(room.events.at(-1)).toMatchObject({ event: { _tag: "AgentFinished", reason: "ABORTED" } })
    })
  )
})

describe("several at once", () => {
  it.effect("work side by side, each with its own history", () =>
    Effect.gen(function* () {
      const room = agentRoom({
        tools: [echoTool("look")],
        model: ({ contents }) => (contents.length === 1 ? [callChunk("look", {})] : done("ok"))
      })
      const results = yield* Effect.all(
        Array.from({ length: 8 }, (_, index) => room.run(agentOf({ name: `scout-${index}` }), `task ${index}`)),
        { concurrency: 8 }
      )
      expect(results.every(Either.isRight)).toBe(true)
      expect(room.requests).toHaveLength(16)
      const tasks = room.requests.map(({ contents }) => contents[0]?.parts[1]?.text)
      expect(new Set(tasks).size).toBe(8)
    })
  )
})

describe("the model", () => {
  it.effect("is the session's, or the agent's own, or the newer one where the session is newer", () =>
    Effect.gen(function* () {
      const used = Effect.fnUntraced(function* (model: Parameters<typeof agentOf>[0]) {
        const room = agentRoom({ model: () => done("ok") })
        yield* room.run(agentOf(model))
        return room.requests[0]
      })
      expect((yield* used({}))?.model).toBe("routed")
      const own = yield* used({ model: { name: "gemini-2.5-flash", config: { temperature: 0.3 } } })
      expect(own).toMatchObject({ model: "gemini-2.5-flash", config: { temperature: 0.3 } })
      const modern = { name: "gemini-2.5-pro", modernName: "gemini-3-flash-preview", config: {} }
      expect((yield* used({ model: modern }))?.model).toBe("gemini-2.5-pro")
    })
  )
})
