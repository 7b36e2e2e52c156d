import { expect } from "bun:test"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { skillFolders } from "./skill-folders.ts"
import { skillText } from "./skill-report.ts"
import { make } from "./skills.ts"

const skill = (name: string, description = `does ${name}`, body = "Do it.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`

const setUp = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  given: { readonly isTrusted?: boolean; readonly disabled?: ReadonlyArray<string> } = {}
) {
  const root = yield* tempFolder(files)
  const skills = yield* make({
    folders: skillFolders({
      extensions: [{ name: "acme", path: join(root, "acme") }],
      userDir: join(root, "home/.gemini/skills"),
      sharedDir: join(root, "home/.agents/skills"),
      project: given.isTrusted === false ? undefined : join(root, "work")
    }),
    disabled: given.disabled ?? [],
    workspace: join(root, "work"),
    extensionPaths: new Map([["acme", join(root, "acme")]])
  })
  const found = Effect.map(skills.all, (all) =>
    all.map(({ isEnabled, location, name }) => `${isEnabled ? "" : "off "}${name} ${location.replace(`${root}/`, "")}`)
  )
  const warnings = Effect.map(skills.warnings, (all) => all.map((text) => text.replaceAll(`${root}/`, "")))
  return { root, skills, found, warnings }
})

const BUILTIN = "skill-creator (built in)"

it.live("without any folder there are the built-in ones", () =>
  Effect.gen(function* () {
    const { found, warnings } = yield* setUp({})
    expect(yield* found).toEqual([BUILTIN])
    expect(yield* warnings).toEqual([])
  })
)

it.live("a folder is a skill itself or holds some, one level deep", () =>
  Effect.gen(function* () {
    const { found } = yield* setUp({
      "home/.gemini/skills/SKILL.md": skill("own"),
      "home/.gemini/skills/one/SKILL.md": skill("one"),
      "home/.gemini/skills/one/deep/SKILL.md": skill("deep"),
      "home/.gemini/skills/none/README.md": "x",
      "home/.gemini/skills/node_modules/SKILL.md": skill("installed"),
      "home/.gemini/skills/.git/SKILL.md": skill("git"),
      "home/.gemini/skills/file.md": "x"
    })
    expect(yield* found).toEqual(["one home/.gemini/skills/one/SKILL.md", "own home/.gemini/skills/SKILL.md", BUILTIN])
  })
)

const everywhere = {
  "acme/skills/a/SKILL.md": skill("a"),
  "home/.gemini/skills/a/SKILL.md": skill("a"),
  "home/.agents/skills/a/SKILL.md": skill("a"),
  "work/.gemini/skills/a/SKILL.md": skill("a"),
  "work/.agents/skills/x/SKILL.md": skill("a"),
  "work/.gemini/skills/c/SKILL.md": skill("skill-creator")
}

it.live("of two with the same name the later place counts, with a word; extensions have names of their own", () =>
  Effect.gen(function* () {
    const { found, warnings } = yield* setUp(everywhere)
    expect(yield* found).toEqual([
      "a work/.agents/skills/x/SKILL.md",
      "acme:a acme/skills/a/SKILL.md",
      "skill-creator work/.gemini/skills/c/SKILL.md"
    ])
    expect(yield* warnings).toEqual([
      'skill "a": home/.agents/skills/a/SKILL.md is used in place of home/.gemini/skills/a/SKILL.md',
      'skill "a": work/.gemini/skills/a/SKILL.md is used in place of home/.agents/skills/a/SKILL.md',
      'skill "a": work/.agents/skills/x/SKILL.md is used in place of work/.gemini/skills/a/SKILL.md'
    ])
  })
)

it.live("a folder that is not trusted brings none", () =>
  Effect.gen(function* () {
    const { found } = yield* setUp(everywhere, { isTrusted: false })
    expect(yield* found).toEqual(["a home/.agents/skills/a/SKILL.md", "acme:a acme/skills/a/SKILL.md", BUILTIN])
  })
)

it.live("a broken one costs itself, and is reported with its line", () =>
  Effect.gen(function* () {
    const { found, warnings } = yield* setUp({
      "home/.gemini/skills/bad/SKILL.md": "---\ndescription: x y\nname: 7\n---\n",
      "home/.gemini/skills/good/SKILL.md": skill("good")
    })
    expect(yield* found).toEqual(["good home/.gemini/skills/good/SKILL.md", BUILTIN])
    expect(yield* warnings).toEqual([
      "skill home/.gemini/skills/bad/SKILL.md:3: its name is not a text; it is left out"
    ])
  })
)

it.live("turned off by name, in any case", () =>
  Effect.gen(function* () {
    const { found, skills } = yield* setUp(
      { "home/.gemini/skills/one/SKILL.md": skill("One") },
      { disabled: ["ONE ", "Skill-Creator"] }
    )
    expect(yield* found).toEqual(["off One home/.gemini/skills/one/SKILL.md", `off ${BUILTIN}`])
    expect(yield* skills.enabled).toEqual([])
  })
)

it.live("what is activated is what the file says now, with the tree of its folder", () =>
  Effect.gen(function* () {
    const { root, skills } = yield* setUp({
      "home/.gemini/skills/one/SKILL.md": skill("one"),
      "home/.gemini/skills/one/scripts/run.sh": "",
      "home/.gemini/skills/one/node_modules/x/y.js": ""
    })
    const [one] = yield* skills.enabled
    const directory = join(root, "home/.gemini/skills/one")
    writeFileSync(join(directory, "SKILL.md"), skill("one", "changed", "Do it twice."))
    symlinkSync("/etc", join(directory, "etc"))
    if (one === undefined) throw new Error("not found")
    expect(yield* skills.activate(one)).toBe(
      [
        '<activated_skill name="one">',
        "<instructions>",
        "Do it twice.",
        "</instructions>",
        "<available_resources>",
        `${directory}/`,
        "  SKILL.md",
        "  etc",
        "  node_modules/",
        "  scripts/",
        "    run.sh",
        "</available_resources>",
        "</activated_skill>"
      ].join("\n")
    )
    writeFileSync(join(directory, "SKILL.md"), "nothing")
    expect((yield* Effect.flip(skills.activate(one))).message).toContain("SKILL.md:1: it does not begin with")
  })
)

it.live("variables are filled in for extensions only, and a built-in one has its text", () =>
  Effect.gen(function* () {
    const hole = (name: string) => `\${${name}}`
    const body = `${hole("extensionPath")}${hole("/")}x in ${hole("workspacePath")} ${hole("other")}`
    const { root, skills } = yield* setUp({
      "acme/skills/a/SKILL.md": skill("a", "x y", body),
      "home/.gemini/skills/b/SKILL.md": skill("b", "x y", body)
    })
    const texts = yield* Effect.forEach(yield* skills.enabled, skills.activate)
    expect(texts[0]).toContain(`\n${root}/acme/x in ${root}/work ${hole("other")}\n`)
    expect(texts[1]).toContain(`\n${body}\n`)
    expect(texts[2]).toContain("# Writing a skill")
  })
)

it.live("the tree stops at 200 items, and a reload sees what is new", () =>
  Effect.gen(function* () {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`home/.gemini/skills/one/f${index}`, ""])
    )
    const { found, root, skills } = yield* setUp({ "home/.gemini/skills/one/SKILL.md": skill("one"), ...files })
    const [one] = yield* skills.enabled
    if (one === undefined) throw new Error("not found")
    expect((yield* skills.activate(one)).split("\n").filter((line) => line.startsWith("  "))).toHaveLength(201)
    writeFileSync(join(root, "home/.gemini/skills/one/SKILL.md"), skill("two"))
    yield* skills.reload
    expect(yield* found).toEqual([BUILTIN, "two home/.gemini/skills/one/SKILL.md"])
  })
)

it.live("a skill may turn itself off, and says so in lists", () =>
  Effect.gen(function* () {
    const { skills } = yield* setUp({
      "work/.gemini/skills/a/SKILL.md": "---\nname: a\ndescription: does a\ndisabled: true\n---\nDo it.\n",
      "work/.gemini/skills/b/SKILL.md": "---\nname: b\ndescription: does b\ndisabled: false\n---\nDo it.\n"
    })
    expect((yield* skills.enabled).map(({ name }) => name)).not.toContain("a")
    expect((yield* skills.enabled).map(({ name }) => name)).toContain("b")
    const [own] = (yield* skills.all).filter(({ name }) => name === "a")
    if (own === undefined) throw new Error("it is not listed")
    expect(skillText(own, { hasDescription: false })).toBe("a [Disabled by its own file]")
  })
)
