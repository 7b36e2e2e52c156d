import { expect } from "bun:test"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import * as Workspace from "../files/workspace.ts"
import { CallId } from "../protocol/ids.ts"
import * as Skills from "../skills/skills.ts"
import { activateSkill } from "./activate-skill.tool.ts"
import { skillDeclaration, skillParameters } from "./skill-declaration.ts"
import { provideTool } from "./tool.ts"

const setUp = Effect.gen(function* () {
  const root = yield* tempFolder({
    "skills/notes/SKILL.md": "---\nname: Notes\ndescription: Writes notes.\n---\nWrite them.\n",
    "skills/notes/scripts/list.sh": "",
    "work/a.txt": ""
  })
  const skills = yield* Skills.make({
    folders: [{ path: join(root, "skills"), source: { _tag: "User" } }],
    disabled: [],
    workspace: join(root, "work"),
    extensionPaths: new Map()
  })
  const services = yield* Layer.build(
    Layer.merge(Workspace.layer({ targetDir: join(root, "work") }), Layer.succeed(Skills.Skills, skills))
  )
  const workspace = yield* Effect.provide(Workspace.Workspace, services)
  return { root, workspace, prepare: provideTool(activateSkill, services).prepare }
})

const context = { callId: CallId.make("c"), progress: () => Effect.void, emit: () => Effect.void }

it.live("the instructions are given, and the folder is opened for reading only", () =>
  Effect.gen(function* () {
    const { prepare, root, workspace } = yield* setUp
    const script = join(root, "skills/notes/scripts/list.sh")
    const mayOpen = (access: "read" | "write") => Effect.isSuccess(workspace.resolve(script, access))
    const call = yield* prepare({ name: "notes" })
    expect(yield* call.confirmation).toMatchObject({
      type: "info",
      title: "Activate the skill Notes?",
      prompt: expect.stringMatching(/^Writes notes\.\n[\s\S]*scripts\/\n/)
    })
    expect(call.narrowing).toEqual({ by: "argument", key: "name", value: "Notes" })
    expect(yield* mayOpen("read")).toBe(false)
    const { display, forModel } = yield* call.run(context)
    expect(forModel).toContain('<activated_skill name="Notes">\n<instructions>\nWrite them.\n')
    expect(display.text).toBe("Activated the skill Notes.")
    expect([yield* mayOpen("read"), yield* mayOpen("write")]).toEqual([true, false])
  })
)

it.live("a built-in one explains itself; one that is not there is answered with those that are", () =>
  Effect.gen(function* () {
    const { prepare } = yield* setUp
    const call = yield* prepare({ name: "skill-creator" })
    expect(yield* call.confirmation).toBeNull()
    expect((yield* call.run(context)).forModel).toContain("# Writing a skill")
    expect(yield* Effect.flip(prepare({ name: "no" }))).toMatchObject({
      type: "invalid_tool_params",
      message: "There is no skill 'no'. There are: Notes, skill-creator."
    })
    expect(yield* Effect.flip(prepare({}))).toMatchObject({ type: "invalid_tool_params" })
  })
)

it.effect("what the model is told fits the tool", () =>
  Effect.sync(() => {
    expect({ ...skillDeclaration }).toMatchObject({ name: activateSkill.name, description: activateSkill.description })
    expect(skillParameters(["a", "b"])).toEqual({
      type: "object",
      properties: { name: { type: "string", description: "The skill to activate.", enum: ["a", "b"] } },
      required: ["name"]
    })
  })
)
