import { expect, test } from "bun:test"
import { alwaysRules } from "../policy/always.ts"
import { hiddenTools } from "../policy/policy.ts"
import type { PolicyRule } from "../policy/rule.ts"
import { voidedApprovals } from "./server-rules.ts"

const approved = (tool?: string): ReadonlyArray<PolicyRule> =>
  alwaysRules(
    { toolName: "mcp_s_x", narrowing: { by: "mcp", server: "s", ...(tool === undefined ? {} : { tool }) } },
    "default",
    "user"
  ) ?? []
const written: PolicyRule = {
  toolName: "x",
  mcpName: "s",
  decision: "allow",
  rank: 4100,
  tier: "user",
  source: "a.toml:1"
}

test.each<[string, ReadonlyArray<PolicyRule>, ReadonlyArray<string>, Array<string>]>([
  ["an approved tool", approved("x"), ["x"], ["x"]],
  ["a tool of an approved server", approved(), ["x", "y"], ["x", "y"]],
  ["another tool", approved("x"), ["y"], []],
  ["a rule of the person's own", [written], ["x"], []],
  ["nothing changed", approved("x"), [], []]
])("%s", (_, rules, changed, voided) =>
  expect(voidedApprovals(rules, "s", changed).map(({ toolName }) => toolName)).toEqual(voided)
)

test("it weighs more than the approval, and only where somebody can be asked", () => {
  const [approval] = approved("x")
  const [asking] = voidedApprovals(approved("x"), "s", ["x"])
  expect(asking?.rank).toBeGreaterThan(approval?.rank ?? Number.POSITIVE_INFINITY)
  const rules = [...voidedApprovals(approved("x"), "s", ["x"]), ...approved("x")]
  const context = { mode: "default", isInteractive: false, ignoresAlways: false, forceAsk: undefined } as const
  expect(hiddenTools(rules, [{ name: "mcp_s_x", server: "s" }], context)).toEqual([])
})
