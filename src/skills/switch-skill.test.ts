import { expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
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
    expect(existsSync(project.file)).toBe(true)
  })
)
