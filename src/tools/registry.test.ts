import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { catalogueOfTools } from "../../scripts/generate-declarations.ts"
import { it } from "../../test/kit/it.ts"
import * as PlanMode from "../policy/plan-mode.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { builtinTools } from "./builtin-tools.ts"
import type { JsonSchema } from "./gemini-schema.ts"
import { builtinCatalogue } from "./generated/declarations.ts"
import * as Registry from "./registry.ts"
import { closestNames, unknownToolMessage } from "./registry.ts"
import type { Tool } from "./tool.ts"
import { DEFAULT_TOOL_SETTINGS, type ToolSettings } from "./tool-selection.ts"

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  aliases: [],
  classNames: [],
  displayName: name,
  kind: "other",
  description: `does ${name}`,
  params: null,
  jsonSchema: { type: "object", properties: {} },
  prepare: (args) =>
    Effect.succeed({
      description: JSON.stringify(args),
      locations: [],
      confirmation: Effect.succeed(null),
      run: () => Effect.succeed({ forModel: name, display: { type: "text", text: name } })
    }),
  ...more
})

const builtins = [
  tool("update_topic"),
  tool("read_file", { classNames: ["ReadFileTool"] }),
  tool("grep_search", { aliases: ["search_file_content"], classNames: ["GrepTool", "RipGrepTool"] }),
  tool("replace", { aliases: ["edit"], classNames: ["EditTool"] }),
  tool("run_shell_command", { classNames: ["ShellTool"] }),
  tool("write_todos"),
  tool("exit_plan_mode"),
  tool("enter_plan_mode"),
  tool("tracker_create_task")
]

interface Setup extends Partial<Registry.RegistryOptions> {
  readonly mode?: ApprovalMode
  readonly change?: Partial<ToolSettings>
}

const setup = Effect.fnUntraced(function* ({ change, mode = "default", ...options }: Setup = {}) {
  const services = yield* Layer.build(
    Registry.layer({ builtins, settings: { ...DEFAULT_TOOL_SETTINGS, ...change }, ...options }).pipe(
      Layer.provideMerge(PlanMode.layer({ initialMode: mode, plansDir: "/plans" }))
    )
  )
  const registry = yield* Effect.provide(Registry.ToolRegistry, services)
  const planMode = yield* Effect.provide(PlanMode.PlanMode, services)
  const names = Effect.map(registry.active, (tools) => tools.map(({ name }) => name))
  return { names, planMode, registry }
})

const DEFAULT_NAMES = [
  "update_topic",
  "read_file",
  "grep_search",
  "replace",
  "run_shell_command",
  "write_todos",
  "enter_plan_mode"
]

describe("the registry", () => {
  it.effect("keeps the order: built-in, joined, discovered, servers by name", () =>
    Effect.gen(function* () {
      const joined = [{ tool: tool("activate_skill"), after: "grep_search" }, { tool: tool("invoke_agent") }]
      const { names, registry } = yield* setup({ joined })
      yield* registry.register("zeta", [tool("mcp_zeta_a", { server: "zeta" })])
      yield* registry.register("alpha", [tool("mcp_alpha_b", { server: "alpha" })])
      yield* registry.register(null, [tool("discovered_tool_x")])
      expect(yield* names).toEqual([
        ...DEFAULT_NAMES.slice(0, 3),
        "activate_skill",
        ...DEFAULT_NAMES.slice(3),
        "invoke_agent",
        "discovered_tool_x",
        "mcp_alpha_b",
        "mcp_zeta_a"
      ])
      yield* registry.register("zeta", [])
      expect(yield* names).not.toContain("mcp_zeta_a")
    })
  )

  for (const [core, expected] of [
    [
      ["ReadFileTool", "ShellTool(git status)"],
      ["read_file", "run_shell_command"]
    ],
    [
      ["search_file_content", "replace"],
      ["grep_search", "replace"]
    ],
    [["run_shell_command(ls)", "run_shell"], ["run_shell_command"]],
    [["nothing"], []],
    [[], []]
  ] as const) {
    it.effect(`tools.core ${JSON.stringify(core)} leaves ${expected.join(", ") || "nothing"}`, () =>
      Effect.gen(function* () {
        const { names } = yield* setup({ change: { core } })
        expect(yield* names).toEqual([...expected])
      })
    )
  }

  it.effect("tools.exclude hides built-in and foreign tools, by any of their names", () =>
    Effect.gen(function* () {
      const exclude = ["search_file_content", "EditTool", "mcp_a_b", "run_shell_command(rm)"]
      const { names, registry } = yield* setup({ change: { exclude } })
      yield* registry.register("a", [tool("mcp_a_b", { server: "a" })])
      expect(yield* names).toEqual(DEFAULT_NAMES.filter((name) => name !== "grep_search" && name !== "replace"))
    })
  )

  it.effect("features that are switched off have no tools", () =>
    Effect.gen(function* () {
      const { names } = yield* setup({
        change: { writeTodos: false, topicUpdates: false, plan: false, taskTracker: true }
      })
      expect(yield* names).toEqual(["read_file", "grep_search", "replace", "run_shell_command", "tracker_create_task"])
    })
  )

  it.effect("a setting chooses between the two forms of web_fetch", () =>
    Effect.gen(function* () {
      const forms = [tool("web_fetch"), tool("web_fetch", { variant: "direct", description: "direct" })]
      const described = (directWebFetch: boolean) =>
        Effect.flatMap(setup({ builtins: forms, change: { directWebFetch } }), ({ registry }) =>
          Effect.map(registry.active, (tools) => tools.map(({ description }) => description))
        )
      expect(yield* described(false)).toEqual(["does web_fetch"])
      expect(yield* described(true)).toEqual(["direct"])
    })
  )

  it.effect("finds by old names; what is hidden is not there", () =>
    Effect.gen(function* () {
      const { registry } = yield* setup()
      expect((yield* registry.find("search_file_content")).name).toBe("grep_search")
      yield* registry.hide(new Set(["search_file_content", "read_file"]))
      const failure = yield* Effect.flip(registry.find("grep_search"))
      expect(failure.type).toBe("tool_not_registered")
      expect(failure.message).toStartWith('Tool "grep_search" not found. The closest available names are: ')
      expect(failure.message).not.toContain('"read_file"')
      expect((yield* registry.all).map(({ name }) => name)).toContain("read_file")
      expect((yield* Effect.flip(registry.find("__proto__"))).type).toBe("tool_not_registered")
    })
  )

  it.effect("plan mode is entered from outside and left from inside", () =>
    Effect.gen(function* () {
      const { names, planMode, registry } = yield* setup()
      yield* planMode.setMode("plan")
      expect(yield* names).toContain("exit_plan_mode")
      expect(yield* names).not.toContain("enter_plan_mode")
      const edit = (yield* registry.declarations(undefined)).find(({ name }) => name === "replace")
      expect(edit?.description).toBe(
        "Plan mode is on: only Markdown plans (.md) in /plans may be written. does replace"
      )
    })
  )

  it.effect("only models of the third family are told of update_topic, but all may call it", () =>
    Effect.gen(function* () {
      const { registry } = yield* setup()
      const declared = (model?: string) =>
        Effect.map(registry.declarations(model), (all) => all.some(({ name }) => name === "update_topic"))
      expect(yield* declared("gemini-3-pro-preview")).toBe(true)
      expect(yield* declared("gemini-2.5-pro")).toBe(false)
      expect(yield* declared()).toBe(false)
      expect((yield* registry.find("update_topic")).name).toBe("update_topic")
    })
  )

  it.effect("a foreign tool never sees the scheduler's option", () =>
    Effect.gen(function* () {
      const { registry } = yield* setup()
      yield* registry.register(null, [tool("discovered_tool_x")])
      const found = yield* registry.find("discovered_tool_x")
      const call = yield* found.prepare({ a: 1, wait_for_previous: true })
      expect(call.description).toBe('{"a":1}')
    })
  )

  it.effect("a name registered again takes the place of the one before", () =>
    Effect.gen(function* () {
      const { names, registry } = yield* setup()
      yield* registry.register("a", [tool("same", { description: "first" })])
      yield* registry.register("b", [tool("same", { description: "second" })])
      expect((yield* registry.find("same")).description).toBe("second")
      expect((yield* names).filter((name) => name === "same")).toHaveLength(1)
    })
  )
})

describe("the built-in tools", () => {
  test("the generated catalogue is up to date (else: bun scripts/generate-declarations.ts)", () => {
    expect(builtinCatalogue).toEqual(catalogueOfTools())
  })

  test("no two names or older names clash", () => {
    const names = builtinTools.flatMap((each) => [`${each.name} ${each.variant ?? ""}`, ...each.aliases])
    expect(names).toEqual([...new Set(names)])
  })

  test("every field of every declaration has a description and a type", () => {
    const bare = builtinCatalogue.flatMap((entry) => undescribed(entry.parameters, entry.name))
    expect(bare).toEqual([])
  })

  test("internal and older arguments are not declared", () => {
    const text = JSON.stringify(builtinCatalogue)
    for (const name of ["modified_by_user", "ai_proposed_content", "expected_replacements", "wait_for_previous"]) {
      expect(text).not.toContain(name)
    }
  })
})

/** Paths of fields that the model is told nothing about. */
const undescribed = (schema: JsonSchema, path: string): ReadonlyArray<string> => {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const own = fields.flatMap(([name, field]) => {
    const here = `${path}.${name}`
    const isTold = typeof field.description === "string" && field.description !== ""
    return [...(isTold && field.type !== undefined ? [] : [here]), ...undescribed(field, here)]
  })
  return schema.items === undefined ? own : [...own, ...undescribed(schema.items as JsonSchema, `${path}[]`)]
}

test("the closest names come nearest first, and no more than three", () => {
  const names = ["write_file", "read_file", "glob", "read_many_files", "replace"]
  expect(closestNames("read_fil", names)).toEqual(["read_file", "write_file", "replace"])
})

test("an unknown tool is answered with names that exist", () => {
  expect(unknownToolMessage("golb", ["glob", "replace"])).toBe(
    'Tool "golb" not found. The closest available names are: "glob", "replace".'
  )
  expect(unknownToolMessage("x", [])).toBe('Tool "x" not found. No tools are available.')
})
