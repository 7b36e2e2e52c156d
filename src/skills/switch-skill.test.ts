import { expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { disableSkill, enableSkill } from "./switch-skill.ts"

it.live("a name is added once, keeps comments, and is taken out of every file", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "user.json": '{\n  // mine\n  "skills": { "disabled": ["a"] }\n}\n' })
    const user = { scope: "user" as const, file: join(root, "user.json") }
    const project = { scope: "workspace" as const, file: join(root, "project/settings.json") }
    expect(yield* disableSkill(user, "A ")).toBe(false)
    expect(yield* disableSkill(user, "b")).toBe(true)
    expect(yield* disableSkill(project, "b")).toBe(true)
    expect(readFileSync(user.file, "utf8")).toContain("// mine")
    expect(yield* enableSkill([user, project], "B")).toEqual([user.file, project.file])
    expect(yield* enableSkill([user, project], "B")).toEqual([])
    expect(readFileSync(user.file, "utf8")).toMatch(/"disabled": \[\s*"a"\s*\]/)
    expect(readFileSync(project.file, "utf8")).toBe("{}\n")
  })
)

it.live("a skill that is turned off and on again leaves the file as it was", () =>
  Effect.gen(function* () {
    const texts = ["{}", "{}\n", '{\n  // mine\n  "ui": {}\n}\n', '{\n\t"skills": {\n\t\t"enabled": true\n\t}\n}']
    for (const text of texts) {
      const root = yield* tempFolder({ "settings.json": text })
      const user = { scope: "user" as const, file: join(root, "settings.json") }
      yield* disableSkill(user, "a")
      yield* disableSkill(user, "b")
      yield* enableSkill([user], "a")
      yield* enableSkill([user], "b")
      expect(readFileSync(user.file, "utf8")).toBe(text)
    }
  })
)
