import { describe, expect } from "bun:test"
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { zip } from "../../../test/kit/archive-bytes.ts"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { SkillInstallError } from "./install-error.ts"
import { installSkills, originOf, uninstallSkill } from "./install-skills.ts"
import { linkSkills } from "./link-skills.ts"
import type { FoundSkill } from "./replace-skill.ts"

const skill = (name: string) => `---\nname: ${name}\ndescription: does ${name}\n---\nDo it.\n`

const filesIn = (folder: string): ReadonlyArray<string> =>
  [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true, onlyFiles: true, followSymlinks: true })].toSorted()

const install = (root: string, source: string, more: { readonly path?: string; readonly refuses?: boolean } = {}) => {
  const shown: Array<FoundSkill> = []
  return installSkills({
    source,
    path: more.path,
    place: { cwd: root, home: join(root, "home") },
    fetchGit: (from, target) =>
      Effect.try({
        try: () => cpSync(from.replace("file://", ""), target, { recursive: true }),
        catch: () => new SkillInstallError({ kind: "source", detail: "no repository" })
      }),
    target: join(root, "home/.gemini/skills"),
    agree: (skills) =>
      Effect.sync(() => {
        shown.push(...skills)
        return more.refuses !== true
      })
  }).pipe(Effect.map((made) => ({ made: made.map((place) => place.replace(`${root}/`, "")), shown })))
}

const refusal = (root: string, source: string, path?: string) =>
  Effect.map(Effect.flip(install(root, source, path === undefined ? {} : { path })), ({ message }) => message)

describe("where a source is", () => {
  const place = { cwd: "/work", home: "/home/me" }
  const cases: ReadonlyArray<readonly [string, object]> = [
    ["https://h/r.git", { _tag: "Git", source: "https://h/r.git" }],
    ["git@h:o/r", { _tag: "Git", source: "git@h:o/r" }],
    ["file:///r", { _tag: "Git", source: "file:///r" }],
    ["github:o/r", { _tag: "Git", source: "github:o/r" }],
    ["a.skill", { _tag: "Archive", file: "/work/a.skill" }],
    ["~/a.zip", { _tag: "Archive", file: "/home/me/a.zip" }],
    ["../x", { _tag: "Folder", folder: "/x" }],
    ["o/r", { _tag: "Folder", folder: "/work/o/r" }]
  ]
  for (const [source, expected] of cases) {
    it.effect(source, () => Effect.sync(() => expect(originOf(source, place)).toEqual(expected as never)))
  }
})

it.live("a folder is copied without its history, and takes the place of what was there", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "src/SKILL.md": skill("one"),
      "src/scripts/run.sh": "#!/bin/sh\n",
      "src/.git/config": "x",
      "home/.gemini/skills/one/old.txt": "old"
    })
    chmodSync(join(root, "src/scripts/run.sh"), 0o755)
    const { made, shown } = yield* install(root, "src")
    expect(made).toEqual(["home/.gemini/skills/one"])
    expect(shown).toMatchObject([{ name: "one", description: "does one", items: 3 }])
    expect(filesIn(join(root, "home"))).toEqual([".gemini/skills/one/SKILL.md", ".gemini/skills/one/scripts/run.sh"])
    expect(lstatSync(join(root, "home/.gemini/skills/one/scripts/run.sh")).mode & 0o111).not.toBe(0)
  })
)

it.live("all skills of a folder, or those below --path", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "src/a/SKILL.md": skill("a"),
      "src/b/SKILL.md": skill("b: c"),
      "src/sub/deep/SKILL.md": skill("deep")
    })
    expect((yield* install(root, "./src/")).made).toEqual(["home/.gemini/skills/a", "home/.gemini/skills/b- c"])
    expect((yield* install(root, "src", { path: "sub" })).made).toEqual(["home/.gemini/skills/deep"])
  })
)

it.live("a .skill file is unpacked first", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "a.skill": zip([
        { name: "one/SKILL.md", text: skill("one") },
        { name: "one/x.txt", text: "x" }
      ])
    })
    expect((yield* install(root, "a.skill")).made).toEqual(["home/.gemini/skills/one"])
    expect(filesIn(join(root, "home"))).toEqual([".gemini/skills/one/SKILL.md", ".gemini/skills/one/x.txt"])
  })
)

it.live("a repository is fetched first; one that cannot be leaves nothing", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "repo/skills/one/SKILL.md": skill("one") })
    expect((yield* install(root, `file://${root}/repo`, { path: "skills" })).made).toEqual(["home/.gemini/skills/one"])
    expect(yield* refusal(root, `file://${root}/nowhere`)).toBe("no repository")
  })
)

it.live("nothing is installed that is not agreed to, is none, is broken or leads elsewhere", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "good/SKILL.md": skill("good"),
      "none/README.md": "x",
      "bad/SKILL.md": "---\nname: 5\ndescription: x y\n---\n",
      "linked/SKILL.md": skill("linked"),
      "evil.skill": zip([{ name: "../SKILL.md", text: skill("evil") }]),
      "outside/SKILL.md": skill("outside")
    })
    symlinkSync("/etc/passwd", join(root, "linked/passwd"))
    symlinkSync(join(root, "outside"), join(root, "good/out"))
    mkdirSync(join(root, "home"))
    expect((yield* install(root, "bad/../none/../good", { refuses: true })).made).toEqual([])
    expect(yield* refusal(root, "missing")).toContain("missing is not a folder")
    expect(yield* refusal(root, "none")).toContain("holds no skill")
    expect(yield* refusal(root, "bad")).toContain("SKILL.md:2: its name is not a text")
    expect(yield* refusal(root, "linked")).toContain("passwd is a link")
    expect(yield* refusal(root, "evil.skill")).toContain("leads out of the folder")
    expect(yield* refusal(root, "good", "../outside")).toContain("leads out of the source")
    expect(yield* refusal(root, "good", "out")).toContain("leads out of the source")
    expect(yield* refusal(root, "good", "nothing")).toContain("has no folder nothing")
    expect(filesIn(join(root, "home"))).toEqual([])
  })
)

describe("what a run left behind that was killed", () => {
  const SKILLS = "home/.gemini/skills"
  it.live("is swept away by the next one; the old skill comes back where no new one took its place", () =>
    Effect.gen(function* () {
      const root = yield* tempFolder({
        "src/SKILL.md": skill("one"),
        [`${SKILLS}/.installing-abc/skill/SKILL.md`]: skill("half"),
        [`${SKILLS}/.installing-999999999-1-abc/new/SKILL.md`]: skill("lost"),
        [`${SKILLS}/.installing-999999999-1-abc/old/lost/SKILL.md`]: skill("lost"),
        [`${SKILLS}/.installing-999999999-1-xyz/old/there/SKILL.md`]: skill("old"),
        [`${SKILLS}/there/SKILL.md`]: skill("there")
      })
      yield* install(root, "src")
      expect(filesIn(join(root, SKILLS))).toEqual(["lost/SKILL.md", "one/SKILL.md", "there/SKILL.md"])
      expect(readFileSync(join(root, SKILLS, "there/SKILL.md"), "utf8")).toBe(skill("there"))
    })
  )

  it.live("is left alone while its program is at work", () =>
    Effect.gen(function* () {
      const busy = `.installing-${process.pid}--abc`
      const root = yield* tempFolder({ "src/SKILL.md": skill("one"), [`${SKILLS}/${busy}/new/SKILL.md`]: skill("two") })
      yield* install(root, "src")
      expect(readdirSync(join(root, SKILLS)).toSorted()).toEqual([busy, "one"])
    })
  )
})

it.live("a copy that cannot be made leaves the old skill, and a link that leads nowhere gives way", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "src/SKILL.md": skill("one"), "home/.gemini/skills/one/mine.txt": "mine" })
    symlinkSync("/nowhere", join(root, "src/link"))
    expect(yield* refusal(root, "src")).toContain("is a link")
    expect(filesIn(join(root, "home"))).toEqual([".gemini/skills/one/mine.txt"])
    rmSync(join(root, "src/link"))
    rmSync(join(root, "home/.gemini/skills/one"), { recursive: true })
    symlinkSync("/nowhere", join(root, "home/.gemini/skills/one"))
    expect((yield* install(root, "src")).made).toEqual(["home/.gemini/skills/one"])
    expect(filesIn(join(root, "home"))).toEqual([".gemini/skills/one/SKILL.md"])
  })
)

it.live("a link follows its folder, and only the link is removed", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "src/SKILL.md": skill("one"), "home/x": "" })
    const target = join(root, "home/.gemini/skills")
    const link = linkSkills({ folder: join(root, "src"), target, agree: () => Effect.succeed(true) })
    expect(yield* link).toEqual([join(target, "one")])
    expect(yield* link).toEqual([join(target, "one")])
    writeFileSync(join(root, "src/more.txt"), "x")
    expect(filesIn(target)).toEqual(["one/SKILL.md", "one/more.txt"])
    yield* uninstallSkill("ONE", target)
    expect(filesIn(join(root, "src"))).toEqual(["SKILL.md", "more.txt"])
    expect(readdirSync(join(root, "home"))).toEqual(["x"])
  })
)

it.live("a link does not take the place of an installed folder", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "src/SKILL.md": skill("one"), "skills/one/mine.txt": "mine" })
    const link = linkSkills({
      folder: join(root, "src"),
      target: join(root, "skills"),
      agree: () => Effect.succeed(true)
    })
    expect((yield* Effect.flip(link)).message).toContain("is there already")
    expect(readFileSync(join(root, "skills/one/mine.txt"), "utf8")).toBe("mine")
  })
)

it.live("removing goes by the name in the file, or by the folder of a broken one", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "skills/folder-a/SKILL.md": skill("one"),
      "skills/broken/SKILL.md": "nothing",
      "skills/kept/SKILL.md": skill("kept")
    })
    const target = join(root, "skills")
    for (const name of ["../skills", "folder-a", ""]) {
      expect((yield* Effect.flip(uninstallSkill(name, target))).message).toContain("There is no skill")
    }
    yield* uninstallSkill("one", target)
    yield* uninstallSkill("broken", target)
    expect(readdirSync(target)).toEqual(["kept"])
  })
)
