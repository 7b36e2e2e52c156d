import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { blockedBecause, cloneUrl, extensionId, githubOf, isRemote, shownSource } from "./source.ts"

test.each([
  ["https://example.com/x.git", true],
  ["http://example.com/x", true],
  ["git@github.com:acme/x.git", true],
  ["sso://team/x", true],
  ["github:acme/x", true],
  ["gitlab:acme/x", true],
  ["ssh://git@example.com/x", true],
  ["file:///srv/x", true],
  ["acme/x", false],
  ["./x", false],
  ["/srv/x", false]
])("%s is remote: %p", (source, expected) => {
  expect(isRemote(source)).toBe(expected)
})

test.each([
  ["https://me:t0ken@example.com/a@b.git", "https://example.com/a@b.git"],
  ["https://t0ken@example.com/x", "https://example.com/x"],
  ["http://me:p@ss@example.com", "http://example.com"],
  ["ssh://git:p@example.com/x", "ssh://git@example.com/x"],
  ["ssh://git@example.com/x", "ssh://git@example.com/x"],
  ["git@github.com:acme/x.git", "git@github.com:acme/x.git"],
  ["/srv/a:b@c", "/srv/a:b@c"]
])("%s is shown as %s", (source, shown) => {
  expect(shownSource(source)).toBe(shown)
})

const hash = (text: string) => createHash("sha256").update(text).digest("hex")

test.each(["https://github.com/acme/x", "https://github.com/acme/x.git", "git@github.com:acme/x.git", "github:acme/x"])(
  "%s is the same repository of GitHub",
  (source) => {
    expect(githubOf(source)).toEqual({ owner: "acme", repo: "x" })
    expect(extensionId("x", { source, type: "git" })).toBe(hash("https://github.com/acme/x"))
  }
)

test("other sources are known by what was written, and without one by the name", () => {
  expect(githubOf("https://example.com/acme/x")).toBeUndefined()
  expect(extensionId("x", { source: "/srv/x", type: "local" })).toBe(hash("/srv/x"))
  expect(extensionId("x", undefined)).toBe(hash("x"))
  expect(cloneUrl("gitlab:acme/x")).toBe("https://gitlab.com/acme/x.git")
})

test.each([
  [{ allowed: [], blocksGit: false }, undefined],
  [{ allowed: ["^https://github\\.com/acme/"], blocksGit: false }, undefined],
  [{ allowed: ["^https://example"], blocksGit: false }, "no pattern of security.allowedExtensions matches"],
  [{ allowed: ["("], blocksGit: false }, "no pattern of security.allowedExtensions matches"],
  [{ allowed: [], blocksGit: true }, "security.blockGitExtensions"]
])("settings %j", (settings, expected) => {
  const because = blockedBecause({ source: "https://github.com/acme/x", type: "git" }, settings)
  if (expected === undefined) expect(because).toBeUndefined()
  else expect(because).toContain(expected)
})

test("a list of patterns keeps out what has no source at all", () => {
  expect(blockedBecause(undefined, { allowed: [".*"], blocksGit: false })).toContain("(unknown)")
})
