import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { parseSkill } from "./read-skill.ts"

const skill = (head: string, body = "Do it.") => `---\n${head}\n---\n${body}\n`

describe("a head is understood", () => {
  const cases: ReadonlyArray<readonly [string, string, string, string]> = [
    ["plain", "name: review\ndescription: Reviews code.", "review", "Reviews code."],
    ["quoted", "name: \"review\"\ndescription: 'Reviews: all'", "review", "Reviews: all"],
    ["folded", "name: review\ndescription: >\n  Reviews\n  code.", "review", "Reviews code."],
    ["no YAML", "name: review\ndescription: Use this: now", "review", "Use this: now"],
    ["no YAML, over lines", "name: review\ndescription: Use: a\n  and: b", "review", "Use: a and: b"],
    ["with more keys", "name: review\nallowed-tools: [a, b]\ndescription: x y", "review", "x y"],
    ["a name with signs", "name: 'a:b/c\\d<e>f*g?h|i'\ndescription: x y", "a-b-c-d-e-f-g-h-i", "x y"],
    ["a long description", `name: a\ndescription: ${"x".repeat(2000)}`, "a", `${"x".repeat(1024)}...`]
  ]
  for (const [title, head, name, description] of cases) {
    it.effect(title, () =>
      Effect.map(parseSkill("/s/SKILL.md", skill(head)), (read) =>
        expect(read).toEqual({ name, description, body: "Do it." })
      )
    )
  }
})

describe("a broken one is reported with its line", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["no head", "# Review\n", "skill /s/SKILL.md:1: it does not begin with a line of ---"],
    [
      "a head without an end",
      "---\nname: a\n",
      "skill /s/SKILL.md:1: the --- at its beginning is not closed by another"
    ],
    ["no name", skill("description: x"), "skill /s/SKILL.md:1: its head has no name"],
    ["no description", skill("name: a"), "skill /s/SKILL.md:1: its head has no description"],
    ["a number as a name", skill("description: x y\nname: 5"), "skill /s/SKILL.md:3: its name is not a text"],
    [
      "a list as a description",
      skill("name: a\ndescription: [x]"),
      "skill /s/SKILL.md:3: its description is not a text"
    ],
    ["an empty name", skill("name: ''\ndescription: x y"), "skill /s/SKILL.md:2: its name is not a text"],
    ["a way out", skill("name: ..\ndescription: x y"), "skill /s/SKILL.md:2: its name is empty"],
    ["a long name", skill(`name: ${"x".repeat(65)}\ndescription: x y`), "longer than 64 characters"],
    [
      "control characters",
      skill('name: "a\\eb"\ndescription: x y'),
      "skill /s/SKILL.md:2: its name holds control characters"
    ],
    ["broken YAML", skill("title: ok\nname: [a\n"), "skill /s/SKILL.md:4: "],
    ["a name that is no word", skill("description: x y\nname: ["), "skill /s/SKILL.md:3: "],
    ["a list", skill("- name: a"), "its head is not a list of keys and values"]
  ]
  for (const [title, text, message] of cases) {
    it.effect(title, () =>
      Effect.map(Effect.flip(parseSkill("/s/SKILL.md", text)), (error) => expect(error.message).toContain(message))
    )
  }
})
