import { describe, expect, test } from "bun:test"
import { Effect, Either, Layer } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Approval from "../../approval/approval.ts"
import { none } from "../../hooks/hooks.ts"
import type { Decision } from "../../policy/decision.ts"
import { Policy } from "../../policy/policy.ts"
import { CallId } from "../../protocol/ids.ts"
import * as ChangeJournal from "../../session/undo/change-journal.ts"
import { builtinCatalogue } from "../generated/declarations.ts"
import { ToolRegistry } from "../registry.ts"
import { type PreparedCall, type Tool, ToolFailure } from "../tool.ts"
import { ARGUMENT_NAMES, ignoredArguments, presentArguments, runCall } from "./run-call.ts"

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

const read = (tool: string, args: Record<string, unknown>) =>
  Either.merge(Either.mapLeft(Effect.runSync(Effect.either(presentArguments(tool, args))), ({ message }) => message))

describe("names that models know from elsewhere", () => {
  const table: ReadonlyArray<[string, Record<string, unknown>, unknown]> = [
    ["read_file", { path: "a", offset: 0, limit: 5 }, { file_path: "a", start_line: 1, end_line: 5 }],
    ["read_file", { file_path: "a", offset: 10 }, { file_path: "a", start_line: 11 }],
    ["read_file", { file_path: "a", limit: 3 }, { file_path: "a", start_line: 1, end_line: 3 }],
    ["read_file", { file_path: "a", offset: -1 }, "offset must be a whole number from 0 on."],
    ["read_file", { file_path: "a", limit: 0 }, "limit must be a whole number from 1 on."],
    [
      "read_file",
      { file_path: "a", limit: 1, start_line: 2 },
      "Give start_line and end_line, or offset and limit, not both."
    ],
    ["run_shell_command", { command: "ls", directory: "x" }, { command: "ls", dir_path: "x" }],
    ["run_shell_command", { command: "ls", run_in_background: true }, { command: "ls", is_background: true }],
    ["replace", { path: "a", replace_all: true }, { file_path: "a", allow_multiple: true }],
    ["replace", { path: "a", replaceAll: true }, { file_path: "a", allow_multiple: true }],
    ["read_many_files", { paths: ["a"] }, { include: ["a"] }],
    ["save_memory", { content: "a" }, { fact: "a" }],
    ["write_file", { path: "a", content: "" }, { file_path: "a", content: "" }],
    ["elsewhere", { path: "a", toString: 1 }, { path: "a", toString: 1 }]
  ]
  for (const [tool, args, expected] of table)
    test(`${tool} ${JSON.stringify(args)}`, () => expect<unknown>(read(tool, args)).toEqual(expected))

  test("where both are given ours counts, and the other is left over to be named", () =>
    expect<unknown>(read("replace", { path: "b", file_path: "a" })).toEqual({ path: "b", file_path: "a" }))
})

test("every other name of an argument leads to one that its tool declares", () => {
  for (const [tool, names] of Object.entries(ARGUMENT_NAMES)) {
    const entry = builtinCatalogue.find(({ name }) => name === tool)
    const declared = Object.keys(Object(entry?.parameters.properties))
    // Its declaration leaves out what only models of other programs send.
    const known = tool === "write_file" ? [...declared, "createBackup"] : declared
    for (const [other, own] of Object.entries(names)) {
      expect(known).toContain(own)
      expect(declared).not.toContain(other)
    }
  }
})

describe("arguments that nobody reads", () => {
  const call = (args?: Record<string, unknown>) => ({
    description: "",
    locations: [],
    confirmation: Effect.succeed(null),
    run: () => Effect.never,
    ...(args === undefined ? {} : { args })
  })

  test("are named", () =>
    expect(ignoredArguments({ a: 1, b: 2, wait_for_previous: true }, call({ a: 1 }))).toEqual([
      'Ignored, because this tool has no such argument: "b".'
    ]))

  test("are somebody else's business where somebody else reads them", () =>
    expect(ignoredArguments({ a: 1 }, call())).toEqual([]))
})
