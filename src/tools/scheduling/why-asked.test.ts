import { expect, test } from "bun:test"
import type { CommandVerdict, Decision } from "../../policy/decision.ts"
import { whyAsked } from "./why-asked.ts"

const command = (text: string, verdict: CommandVerdict["verdict"]): CommandVerdict => ({
  command: text,
  name: text,
  via: [],
  verdict,
  cause: "rule",
  reason: ""
})
const asked = (more: Partial<Decision>): Decision => ({
  verdict: "ask",
  reason: "a rule asks for it",
  commands: [],
  considered: [],
  ...more
})

test("a rule that ships is not worth its name, one of the user is", () => {
  const rule = { source: "/home/me/.gemini/policies/my.toml:3", priority: 4.1, text: "ask_user write_file" }
  expect(whyAsked(asked({ rule: { ...rule, tier: "default" } }))).toBe("a rule asks for it")
  expect(whyAsked(asked({ rule: { ...rule, tier: "user" } }))).toBe(
    "a rule asks for it (ask_user write_file, /home/me/.gemini/policies/my.toml:3)"
  )
})

test("of several commands those are named that have to be asked about", () => {
  expect(whyAsked(asked({ commands: [command("npm test", "ask")] }))).toBe("a rule asks for it")
  expect(whyAsked(asked({ commands: [command("ls", "allow"), command("npm  test", "ask")] }))).toBe(
    "a rule asks for it, about npm test"
  )
  const many = ["a", "b", "c", "d"].map((name) => command(name, "ask"))
  expect(whyAsked(asked({ commands: many }))).toBe("a rule asks for it, about a, b, c, others")
})
