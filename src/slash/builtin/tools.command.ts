/** `/tools`: what the model may use, servers' tools aside. */
import { Effect } from "effect"
import { Policy } from "../../policy/policy.ts"
import { ToolRegistry } from "../../tools/registry.ts"
import type { Tool } from "../../tools/tool.ts"
import { print, slash } from "../command.ts"
import { textTable } from "../text-table.ts"

/** Without those that the policy hides in the present mode. */
const own = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const policy = yield* Policy
  const tools = (yield* registry.active).filter(({ server }) => server === undefined)
  const hidden = new Set(yield* policy.hiddenTools(tools))
  return tools.filter(({ name }) => !hidden.has(name))
})

const data = (tools: ReadonlyArray<Tool>) =>
  tools.map(({ description, displayName, kind, name }) => ({ name, displayName, kind, description }))

const list = Effect.fnUntraced(function* () {
  const tools = yield* own
  return print(
    tools.length === 0 ? NONE : textTable(tools.map(({ displayName, name }) => [name, displayName])),
    data(tools)
  )
})

const NONE = "No tools are available."

export const tools = slash({
  name: "tools",
  description: "Tools that the model may use",
  run: list,
  subcommands: [
    slash({ name: "list", description: "Their names", run: list }),
    slash({
      name: "desc",
      aliases: ["descriptions"],
      description: "Names and descriptions",
      run: Effect.fnUntraced(function* () {
        const all = yield* own
        const blocks = all.map(
          ({ description, displayName, name }) => `${name} (${displayName})\n  ${description.replaceAll("\n", "\n  ")}`
        )
        return print(all.length === 0 ? NONE : blocks.join("\n"), data(all))
      })
    })
  ]
})
