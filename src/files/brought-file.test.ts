import { describe, expect, test } from "bun:test"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { projectBorder, secretReason, strayLinkReason, strayReason } from "./brought-file.ts"

describe("names of secrets", () => {
  test.each([
    ".env",
    ".env.local",
    "a/.env/b",
    ".git/config",
    "gha-creds-1.json",
    "k/id_ed25519",
    "server.key",
    "X.PEM",
    ".ssh/config",
    ".netrc"
  ])("%s", (path) => expect(secretReason(path)).toContain("kept closed"))
  test.each([
    "GEMINI.md",
    ".env.example",
    ".env.sample",
    "environment.md",
    "key.md",
    "id_rsa.md",
    "a.keys",
    ".github/x.md"
  ])("%s is none", (path) => expect(secretReason(path)).toBeUndefined())
})

it.effect("what a project brings lies in the project", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "r/.git/HEAD": "",
      "r/p/a.md": "",
      "r/shared.md": "",
      "out/s.md": "",
      "r/.env": ""
    })
    const cwd = join(root, "r/p")
    const links = {
      inside: "../shared.md",
      out: "../../out/s.md",
      secret: "../.env",
      gone: "nowhere",
      deep: "../../out"
    }
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(cwd, name))
    const borders = [projectBorder(cwd, { home: join(root, "home") })]
    const reason = (name: string) => strayReason(join(cwd, name), borders)
    expect(borders).toEqual([join(root, "r")])
    expect(reason("a.md")).toBeUndefined()
    expect(reason("inside")).toBeUndefined()
    expect(reason("gone")).toBeUndefined()
    expect(reason("out")).toBe(`leads out of the project, to ${root}/out/s.md`)
    expect(reason("deep/s.md")).toBe(`leads out of the project, to ${root}/out/s.md`)
    expect(reason("secret")).toBe("has a name that is kept closed (.env)")
    expect(reason("../../out/s.md")).toContain("leads out")
    expect(strayLinkReason(join(cwd, "out"), () => borders)).toContain("leads out")
    expect(strayLinkReason(join(cwd, "a.md"), () => [])).toBeUndefined()
  })
)

it.effect("a home that is a repository is not one project", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "home/.git/HEAD": "", "home/p/a.md": "" })
    const [home, cwd] = [join(root, "home"), join(root, "home/p")]
    expect(projectBorder(cwd, { home })).toBe(cwd)
    expect(projectBorder(cwd, { home: undefined })).toBe(home)
  })
)
