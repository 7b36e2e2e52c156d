import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { FastCheck as fc } from "effect"
import { guidesAnything } from "../system/guiding-variables.ts"
import { candidates, type DotenvInput, isNotForProjects, loadDotenv } from "./dotenv-file.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "dotenv-file-")))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
/** A home with `work/project` inside, holding these files. */
const place = (files: Record<string, string>, input: Partial<DotenvInput> = {}): DotenvInput => {
  const home = join(root, String(count++))
  const cwd = join(home, "work", "project")
  mkdirSync(cwd, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), content)
  }
  return { cwd, home, isTrusted: true, ignoreLocal: false, excluded: ["DEBUG"], variables: {}, ...input }
}

test("the order of the search: the nearest folder first, the home folder once, the root last", () => {
  const input = { ...place({}), cwd: "/h/me/p", home: "/h/me" }
  expect(candidates(input)).toEqual([
    "/h/me/p/.gemini/.env",
    "/h/me/p/.env",
    "/h/me/.gemini/.env",
    "/h/me/.env",
    "/h/.gemini/.env",
    "/h/.env",
    "/.gemini/.env",
    "/.env"
  ])
  expect(candidates({ ...input, cwd: "/p", ignoreLocal: true })).toEqual([
    "/p/.gemini/.env",
    "/.gemini/.env",
    "/h/me/.gemini/.env",
    "/h/me/.env"
  ])
  expect(candidates({ ...input, isTrusted: false })).toEqual(["/h/me/.gemini/.env", "/h/me/.env"])
  expect(candidates({ ...input, isTrusted: false, home: undefined })).toEqual([])
})

describe("which file", () => {
  const everywhere = {
    "work/project/.gemini/.env": "FROM=project-gemini",
    "work/project/.env": "FROM=project",
    "work/.env": "FROM=above",
    ".gemini/.env": "FROM=home-gemini",
    ".env": "FROM=home"
  }
  const without = (...names: ReadonlyArray<string>) =>
    Object.fromEntries(Object.entries(everywhere).filter(([name]) => !names.includes(name)))

  test.each<[string, Record<string, string>, Partial<DotenvInput>, string | undefined]>([
    ["the project's own", everywhere, {}, "project-gemini"],
    ["then its plain one", without("work/project/.gemini/.env"), {}, "project"],
    ["then one above", without("work/project/.gemini/.env", "work/project/.env"), {}, "above"],
    [
      "plain ones are passed over on request",
      without("work/project/.gemini/.env"),
      { ignoreLocal: true },
      "home-gemini"
    ],
    ["an untrusted folder gives nothing", everywhere, { isTrusted: false }, "home-gemini"],
    ["the home folder's plain one", { ".env": "FROM=home" }, { isTrusted: false, ignoreLocal: true }, "home"],
    ["none", { "work/project/.env": "FROM=x" }, { isTrusted: false }, undefined]
  ])("%s", (_, files, input, from) => expect(loadDotenv(place(files, input)).added.FROM).toBe(from))
})

test("existing variables stay, also empty ones; withheld names only count in .gemini", () => {
  const text = "KEEP=new\nEMPTY=new\nDEBUG=1\nADD=yes"
  const variables = { KEEP: "old", EMPTY: "" }
  const plain = loadDotenv(place({ "work/project/.env": text }, { variables }))
  expect(plain.added).toEqual({ ADD: "yes" })
  expect(plain.values).toEqual({ KEEP: "new", EMPTY: "new", DEBUG: "1", ADD: "yes" })
  const own = loadDotenv(place({ "work/project/.gemini/.env": text }, { variables }))
  expect(own.added).toEqual({ ADD: "yes", DEBUG: "1" })
})

test.each(["SANDBOX_FLAGS", "SANDBOX_MOUNTS", "BUILD_SANDBOX", "SEATBELT_PROFILE"])(
  "a project may not say %s",
  (name) => {
    expect(loadDotenv(place({ "work/project/.env": `${name}=1\n` })).added).toEqual({})
  }
)

describe("what guides programs or this program", () => {
  const hostile = {
    BASH_ENV: "./x.sh",
    LD_PRELOAD: "./x.so",
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:9",
    GEMINI_WRITE_SYSTEM_MD: "/etc/passwd",
    SANDBOX: "1",
    https_proxy: "http://127.0.0.1:9"
  }
  const wanted = { GEMINI_API_KEY: "k", GEMINI_MODEL: "m", GEMINI_SYSTEM_MD: "s.md", DATABASE_URL: "d", PORT: "1" }
  const text = Object.entries({ ...hostile, ...wanted })
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")

  test.each(["work/project/.env", "work/project/.gemini/.env", "work/.env", ".env"])("%s may not say", (file) => {
    const input = place({ [file]: text })
    const { added, findings, isOwn } = loadDotenv(input)
    expect({ added, isOwn }).toEqual({ added: wanted, isOwn: false })
    const [told, ...rest] = findings
    expect(rest).toEqual([])
    expect(told?.file).toBe(join(input.home ?? "", file))
    for (const name of Object.keys(hostile)) expect(told?.message).toContain(name)
    expect(told?.message).toContain("shell that starts gemini")
  })

  test("the user's own file may", () => {
    const { added, findings, isOwn } = loadDotenv(place({ ".gemini/.env": text }))
    expect({ added, findings, isOwn }).toEqual({ added: { ...hostile, ...wanted }, findings: [], isOwn: true })
  })

  test("what the shell set already is not told of", () => {
    expect(loadDotenv(place({ "work/project/.env": text }, { variables: hostile })).findings).toEqual([])
  })

  const name = fc.oneof(
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,12}$/),
    fc
      .tuple(fc.constantFrom("GIT_", "LD_", "gemini_cli_", "GEMINI_", "npm_", "PYTHON"), fc.stringMatching(/^\w{0,8}$/))
      .map(([family, rest]) => family + rest),
    fc.constantFrom("PATH", "Path", "path", "NODE_OPTIONS", "GOOGLE_CLOUD_PROJECT", "DATABASE_URL")
  )

  test("for all files of a project", () =>
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        const input = place({ "work/project/.env": names.map((one) => `${one}=v`).join("\n") })
        const { added, findings, values } = loadDotenv({ ...input, excluded: [] })
        for (const one of Object.keys(values)) {
          const isLeftOut = isNotForProjects(one)
          if (guidesAnything(one)) expect(isLeftOut).toBe(true)
          expect(Object.hasOwn(added, one)).toBe(!isLeftOut)
        }
        expect(findings.length).toBe(Object.keys(added).length === Object.keys(values).length ? 0 : 1)
      }),
      { numRuns: 60 }
    ))
})

describe("what is no file", () => {
  test("a folder is passed over, and so is a FIFO, of which somebody may have hoped for more", () => {
    const input = place({ ".env": "FROM=home" })
    mkdirSync(join(input.cwd, ".env"))
    mkdirSync(join(input.cwd, ".gemini"))
    const file = join(input.cwd, ".gemini", ".env")
    Bun.spawnSync(["mkfifo", file])
    const findings = [{ severity: "warning", file, message: "is not a regular file; ignored" }]
    expect(loadDotenv(input)).toMatchObject({ added: { FROM: "home" }, findings })
  })

  test("a huge one is named and ignored", () => {
    const input = place({ "work/project/.env": "A=1\n".repeat(400_000), ".env": "FROM=home" })
    const { file, added, findings } = loadDotenv(input)
    expect({ file, added }).toEqual({ file: undefined, added: {} })
    expect(findings).toEqual([
      { severity: "warning", file: join(input.cwd, ".env"), message: "is larger than 1 MiB; ignored" }
    ])
  })

  // Only root can make a file of another user.
  test.skipIf(process.getuid?.() !== 0)(
    "one that somebody else left above the folder is named and ignored",
    async () => {
      const { chownSync } = await import("node:fs")
      const input = place({ "work/.env": "FROM=stranger", ".env": "FROM=home" })
      chownSync(join(dirname(input.cwd), ".env"), 12345, 12345)
      const { added, findings } = loadDotenv(input)
      expect(added).toEqual({ FROM: "home" })
      expect(findings.map(({ message }) => message)).toEqual(["belongs to another user; ignored"])
    }
  )
})
