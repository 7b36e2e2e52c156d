/** When the events of a turn come: in the order of the requests, and as soon as they can. */
import { expect } from "bun:test"
import { Effect, Layer, Option } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Approval from "../../approval/approval.ts"
import { Policy } from "../../policy/policy.ts"
import * as ContextFiles from "../../prompt/context-files.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { CallId } from "../../protocol/ids.ts"
import * as ChangeJournal from "../../session/undo/change-journal.ts"
import { ToolRegistry } from "../registry.ts"
import { type Tool, ToolFailure, type ToolKind } from "../tool.ts"
import { type ToolReply, ToolScheduler } from "../tool-scheduler.ts"
import { layer } from "./scheduler.ts"
import * as TurnNews from "./turn-news.ts"

const tool = (name: string, kind: ToolKind): Tool => ({
  name,
  aliases: [],
  classNames: [],
  displayName: name,
  kind,
  description: "",
  params: null,
  prepare: () =>
    Effect.succeed({
      description: "",
      locations: [],
      confirmation: Effect.succeed(null),
      run: () => Effect.succeed({ forModel: name, display: { type: "text", text: name } })
    })
})

/** `>name` for a call that begins, `<name` for one that is reported. */
const stepsOf = Effect.fnUntraced(function* (tools: ReadonlyArray<Tool>) {
  const steps: Array<string> = []
  const registry = Layer.mock(ToolRegistry, {
    all: Effect.succeed(tools),
    active: Effect.succeed(tools),
    find: (name) => {
      const found = tools.find((one) => one.name === name)
      return found === undefined
        ? Effect.fail(new ToolFailure({ type: "tool_not_registered", message: name }))
        : Effect.succeed(found)
    }
  })
  const policy = Layer.mock(Policy, {
    decide: () => Effect.succeed({ verdict: "allow", reason: "", commands: [], considered: [] }),
    rules: Effect.succeed([]),
    mode: Effect.succeed("default" as const),
    problems: []
  })
  const scheduler = layer({
    truncateThreshold: 0,
    outputDir: Effect.succeed(Option.none()),
    nestsMedia: () => false,
    model: "m",
    canAsk: false,
    secrets: Effect.succeed([])
  }).pipe(
    Layer.provide(
      Layer.mergeAll(
        registry,
        policy,
        Layer.succeed(Approval.Approval, Approval.headless),
        Layer.effect(TurnNews.TurnNews, TurnNews.make),
        Layer.succeed(ContextFiles.ContextFiles, ContextFiles.none),
        ChangeJournal.layerNone
      )
    )
  )
  const calls = tools.map(({ name }) => ({ callId: CallId.make(name), name, args: {} }))
  const heard: Array<ToolReply> = []
  const emit = (event: ProtocolEvent) =>
    Effect.sync(() => {
      if (event._tag === "ToolStarted") steps.push(`>${event.name}`)
      if (event._tag !== "ToolFinished") return
      steps.push(`<${event.name}`)
      expect(heard.at(-1)?.callId).toBe(event.callId)
    })
  const replies = yield* Effect.flatMap(ToolScheduler, ({ run }) =>
    run(calls, emit, (reply) => void heard.push(reply))
  ).pipe(Effect.provide(scheduler))
  expect(heard).toEqual([...replies])
  expect(replies.map(({ callId }) => String(callId))).toEqual(tools.map(({ name }) => name))
  return steps
})

it.effect("a call is reported before the next one begins to change something", () =>
  Effect.gen(function* () {
    const steps = yield* stepsOf([tool("a", "execute"), tool("b", "execute")])
    expect(steps).toEqual([">a", "<a", ">b", "<b"])
  })
)

it.effect("calls that look run together, and are reported in the order in which they were asked for", () =>
  Effect.gen(function* () {
    const steps = yield* stepsOf([tool("a", "read"), tool("b", "search"), tool("c", "execute")])
    expect(steps).toEqual([">a", ">b", "<a", "<b", ">c", "<c"])
  })
)

it.effect("a topic runs first, and is reported in its place", () =>
  Effect.gen(function* () {
    const steps = yield* stepsOf([tool("a", "execute"), tool("update_topic", "think")])
    expect(steps).toEqual([">update_topic", ">a", "<a", "<update_topic"])
  })
)
