/** Tracked files that may not be read, against the real git in the environment of lines that only read. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GIT_ATTRIBUTES, unaskedEnvironment } from "../../shell/unasked-environment.ts"
import { childVariables } from "../../system/child-variables.ts"
import { gitFolder } from "./git-repository.ts"

const SECRET = "the-secret"
const CLOSED = [".env", "app/.env", "app/.ENV", "in/.env/lib/key", "gha-creds-1.json"]

let root = ""
let template = ""
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "git-closed-")))
  template = join(root, "template")
  for (const folder of ["app", "in/.env/lib", ".git/info"]) mkdirSync(join(template, folder), { recursive: true })
  for (const name of CLOSED) writeFileSync(join(template, name), `${SECRET} before\n`)
  writeFileSync(join(template, "a.txt"), "open\n")
  git(template, "init -q --template=")
  git(template, "add -f .")
  git(template, "commit -q -m first")
  for (const name of CLOSED) writeFileSync(join(template, name), `${SECRET} after\n`)
  writeFileSync(join(template, "a.txt"), "changed\n")
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const variables = () => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: root,
  GIT_CONFIG_NOSYSTEM: "1",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "a"],
      [`GIT_${who}_EMAIL`, "a@b"]
    ])
  )
})

const git = (cwd: string, words: string, env: Readonly<Record<string, string>> = variables()): string => {
  const { stderr, stdout } = Bun.spawnSync(["git", ...words.split(" ")], { cwd, env, stdin: "ignore" })
  return stdout.toString() + stderr.toString()
}

const doubtIn = (folder: string, isPassedOver: boolean) => gitFolder(folder, {}, new Set()).contentDoubt?.(isPassedOver)

test("git that only reads says that they differ, and not how", () => {
  const attributes = join(root, "attributes")
  writeFileSync(attributes, GIT_ATTRIBUTES)
  const unasked = unaskedEnvironment(childVariables({ inherits: variables() }), {
    gitAttributes: attributes,
    ripgrepConfig: ""
  })
  expect(doubtIn(template, true)).toBeUndefined()
  for (const words of [
    ...["diff", "diff HEAD", "diff --word-diff", "diff-files -p", "diff-index -p HEAD", "status -vv"],
    ...["log -p", "show", "show --format= -c HEAD", "diff-tree -p --root HEAD", "whatchanged -p", "reflog -p"]
  ]) {
    const text = git(template, words, unasked)
    expect([words, text.includes(SECRET), /open|changed/.test(text)]).toEqual([words, false, true])
  }
  // Nothing at all, where it looks for lines or changes that match.
  for (const words of [`grep -I ${SECRET}`, `grep -Ic ${SECRET}`, `log --oneline -G${SECRET}`])
    expect([words, git(template, words, unasked)]).toEqual([words, ""])
  // What the environment cannot keep it from, which therefore asks.
  expect(git(template, "diff --text", unasked)).toContain(SECRET)
  expect(git(template, "show --indexed-objects", unasked)).toContain(SECRET)
  expect(git(template, `grep -l ${SECRET}`, unasked)).toContain(".env")
  expect(git(template, `log --oneline -S${SECRET}`, unasked)).not.toBe("")
  expect(git(template, `cat-file -p ${idOf("HEAD:.env")}`, unasked)).toContain(SECRET)
})

const idOf = (revision: string) => git(template, `rev-parse ${revision}`).trim()

test("their contents are known by name, however short, and others are not", () => {
  const { namesClosed } = gitFolder(template, {}, new Set())
  for (const name of CLOSED) {
    const id = idOf(`:${name}`)
    expect([namesClosed?.([id]), namesClosed?.(["abcd", id.slice(0, 4)])]).toEqual([
      expect.stringContaining("may not be read"),
      expect.stringContaining("may not be read")
    ])
  }
  expect(namesClosed?.([idOf(":a.txt"), idOf("HEAD"), idOf("HEAD^{tree}")])).toBeUndefined()
})

test("in another environment, and where attributes may say otherwise, there is a doubt", () => {
  expect(doubtIn(template, false)).toContain("is tracked")
  const attempts: ReadonlyArray<readonly [file: string, text: string, isDoubt: boolean]> = [
    [".gitattributes", "* text=auto eol=lf\n*.png binary\n*.lock -diff linguist-generated=true\n# .env diff\n", false],
    [".gitattributes", "*.md diff=markdown\nenv diff\n", false],
    [".gitattributes", "* diff\n", true],
    [".gitattributes", "*.txt -text\r\n.env diff=x\r\n", true],
    [".gitattributes", ".ENV !diff\n", true],
    [".gitattributes", ".e?v diff\n", true],
    [".gitattributes", ".[e]nv diff\n", true],
    [".gitattributes", '".\\145nv" diff\n', true],
    [".gitattributes", "[attr]binary diff\n.env binary\n", true],
    [".gitattributes", ".env custom\n", true],
    [".gitattributes", "app/** diff\n", true],
    ["app/.gitattributes", ".env diff\n", true],
    ["in/.env/lib/.gitattributes", "* diff\n", true],
    ["other/.gitattributes", ".env diff\n", false],
    [".git/info/attributes", ".env diff\n", true]
  ]
  const folder = join(root, "attempts")
  cpSync(template, folder, { recursive: true })
  mkdirSync(join(folder, "other"))
  for (const [file, text, isDoubt] of attempts) {
    writeFileSync(join(folder, file), text)
    expect([file, text, doubtIn(folder, true) !== undefined]).toEqual([file, text, isDoubt])
    rmSync(join(folder, file))
  }
})

test("attributes that are in the index alone count as well", () => {
  const folder = join(root, "indexed")
  cpSync(template, folder, { recursive: true })
  writeFileSync(join(folder, "app/.gitattributes"), "* text\n")
  git(folder, "add app/.gitattributes")
  expect(doubtIn(folder, true)).toBeUndefined()
  rmSync(join(folder, "app/.gitattributes"))
  expect(doubtIn(folder, true)).toContain("app/.gitattributes")
  git(folder, "update-index --index-version 4")
  expect(doubtIn(folder, true)).toContain("app/.gitattributes")
})

test("without such files nothing is in doubt", () => {
  const folder = join(root, "plain")
  cpSync(template, folder, { recursive: true })
  git(folder, "rm -rqf --cached .")
  git(folder, "add a.txt")
  for (const version of [2, 4]) {
    git(folder, `update-index --index-version ${version}`)
    expect(doubtIn(folder, false)).toBeUndefined()
  }
})
