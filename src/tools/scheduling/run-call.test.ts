import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Approval from "../../approval/approval.ts"
import { none } from "../../hooks/hooks.ts"
import type { Decision } from "../../policy/decision.ts"
import { Policy } from "../../policy/policy.ts"
import { CallId } from "../../protocol/ids.ts"
import * as ChangeJournal from "../../session/undo/change-journal.ts"
import { ToolRegistry } from "../registry.ts"
import { type PreparedCall, type Tool, ToolFailure } from "../tool.ts"
import { runCall } from "./run-call.ts"

const tool = (run: PreparedCall["run"]): Tool => ({
  name: "probe",
  aliases: [],
  classNames: [],
  displayName: "Probe",
  kind: "read",
  description: "",
  params: null,
  prepare: () => Effect.succeed({ description: "", locations: [], confirmation: Effect.succeed(null), run })
})

const decision = (verdict: Decision["verdict"]): Decision => ({ verdict, reason: "so", commands: [], considered: [] })

const endOf = (probe: Tool, verdict: Decision["verdict"], name = "probe") => {
  const registry = Layer.mock(ToolRegistry, {
    all: Effect.succeed([probe]),
    find: (wanted) =>
      wanted === probe.name
        ? Effect.succeed(probe)
        : Effect.fail(new ToolFailure({ type: "tool_not_registered", message: "no" }))
  })
  const policy = Layer.mock(Policy, {
    decide: () => Effect.succeed(decision(verdict)),
    previewAlways: () => Effect.sync(() => undefined),
    rules: Effect.succeed([]),
    mode: Effect.succeed("default" as const),
    problems: []
  })
  return Effect.makeSemaphore(1).pipe(
    Effect.flatMap((asking) =>
      runCall(
        { callId: CallId.make("probe__1"), name, args: {} },
        {
          emit: () => Effect.void,
          asking,
          hooks: none,
          canAsk: false
        }
      )
    ),
    Effect.map(({ end }) => (end._tag === "Failed" ? end.failure.type : end._tag)),
    Effect.provide(
      Layer.mergeAll(registry, policy, Layer.succeed(Approval.Approval, Approval.headless), ChangeJournal.layerNone)
    )
  )
}

const done = tool(() => Effect.succeed({ forModel: "ok", display: { type: "text", text: "ok" } }))

it.effect("a tool that breaks is an answer to the model, not the end of the run", () =>
  Effect.gen(function* () {
    expect(
      yield* endOf(
        tool(() => Effect.die(new Error("boom"))),
        "allow"
      )
    ).toBe("unhandled_exception")
  })
)

it.effect("an unknown tool and a denied call never run", () =>
  Effect.gen(function* () {
    const never = tool(() => Effect.dieMessage("it ran"))
    expect(yield* endOf(never, "allow", "other")).toBe("tool_not_registered")
    expect(yield* endOf(never, "deny")).toBe("policy_violation")
  })
)

it.effect("a question that nobody can answer is a refusal", () =>
  Effect.gen(function* () {
    expect(yield* endOf(done, "ask")).toBe("Refused")
    expect(yield* endOf(done, "allow")).toBe("Done")
  })
)
