import { expect, test } from "bun:test"
import { trustedServerRules } from "./run-host.ts"

test("only servers that are trusted get a rule, and only for their agent", () => {
  const rules = trustedServerRules("scout", { gh: { command: "x", trust: true }, db: { command: "y" } })
  expect(rules).toMatchObject([{ mcpName: "gh", subagent: "scout", decision: "allow", rank: 4200 }])
})
