import { describe, expect } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { accept } from "./integrity.ts"
import { isProtected, loadPolicyFiles, type PolicySources } from "./policy-files.ts"

const rule = (decision: string, more = "") =>
  `[[rule]]\ntoolName = "glob"\ndecision = "${decision}"\npriority = 10\n${more}`

/** A home, a project, a system folder; files are given by their path under the root. */
const inFolders = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  more: Partial<PolicySources> = {}
) {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "policy-files-")))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const sources: PolicySources = {
    geminiDir: join(root, "home/.gemini"),
    project: join(root, "project"),
    home: join(root, "home"),
    isTrusted: true,
    systemDir: join(root, "system"),
    extensions: [{ name: "ext", dir: join(root, "ext") }],
    acceptsWorkspace: false,
    ...more
  }
  return { root, sources }
})

const load = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, more: Partial<PolicySources> = {}) {
  const { root, sources } = yield* inFolders(files, more)
  const loaded = yield* loadPolicyFiles(sources)
  const tiers = loaded.rules.map((found) => `${found.tier}:${found.decision}`)
  return { ...loaded, root, tiers }
})

describe("sources", () => {
  it.live("nothing there is nothing loaded", () =>
    Effect.gen(function* () {
      expect((yield* load({})).tiers).toEqual([])
    })
  )

  it.live("each source gives rules of its tier; others than *.toml are not read", () =>
    Effect.gen(function* () {
      const { tiers } = yield* load({
        "home/.gemini/policies/a.toml": rule("ask_user"),
        "home/.gemini/policies/b.txt": rule("deny"),
        "home/.gemini/policy.toml": '[tools.glob]\nmode = "ask_user"',
        "home/.gemini/policies.toml": rule("deny"),
        "project/.gemini/policies/a.toml": rule("deny"),
        "project/.gemini/policy.toml": '[tools.glob]\nmode = "always_deny"',
        "project/.gemini/policies.toml": rule("ask_user"),
        "ext/policies/a.toml": rule("deny")
      })
      expect(tiers).toEqual([
        ...["user:ask_user", "user:deny", "user:ask_user"],
        ...["workspace:deny", "workspace:ask_user", "workspace:deny", "extension:deny"]
      ])
    })
  )

  it.live("an extension may not allow, nor touch yolo", () =>
    Effect.gen(function* () {
      const { tiers } = yield* load({
        "ext/policies/a.toml": rule("allow") + rule("deny", 'modes = ["yolo"]\n') + rule("ask_user")
      })
      expect(tiers).toEqual(["extension:ask_user"])
    })
  )

  it.live("paths given by flag replace the user's files; a missing one is told", () =>
    Effect.gen(function* () {
      const files = {
        "home/.gemini/policies/a.toml": rule("deny"),
        "project/extra/x.toml": rule("allow"),
        "project/one.toml": rule("ask_user")
      }
      const { tiers, problems } = yield* load(files, { policyPaths: ["extra", "one.toml", "missing.toml"] })
      expect(tiers).toEqual(["user:allow", "user:ask_user"])
      expect(problems.map(({ kind }) => kind)).toEqual(["source_skipped"])
    })
  )

  it.live("an untrusted project, and a project that is the home, give nothing", () =>
    Effect.gen(function* () {
      const files = { "project/.gemini/policies/a.toml": rule("deny") }
      expect((yield* load(files, { isTrusted: false })).tiers).toEqual([])
      const { root, sources } = yield* inFolders(files)
      const loaded = yield* loadPolicyFiles({ ...sources, home: join(root, "project") })
      expect(loaded.rules).toEqual([])
    })
  )
})

describe("administrator", () => {
  it.live("extra paths count while the system folder is empty", () =>
    Effect.gen(function* () {
      const { tiers } = yield* load({ "project/admin.toml": rule("deny") }, { adminPolicyPaths: ["admin.toml"] })
      expect(tiers).toEqual(["admin:deny"])
    })
  )

  it.live("a folder that others may write to is not believed, and silences the extra paths", () =>
    Effect.gen(function* () {
      const { root, sources } = yield* inFolders({ "system/a.toml": rule("deny"), "project/x.toml": rule("deny") })
      chmodSync(join(root, "system"), 0o777)
      const loaded = yield* loadPolicyFiles({ ...sources, adminPolicyPaths: ["x.toml"] })
      expect(loaded.rules).toEqual([])
      expect(loaded.problems.map(({ kind }) => kind)).toEqual(["source_skipped", "source_skipped"])
    })
  )

  it.live("ownership", () =>
    Effect.sync(() => {
      expect(isProtected({ uid: 0, mode: 0o40755 }, "linux")).toBe(true)
      expect(isProtected({ uid: 1000, mode: 0o40755 }, "linux")).toBe(false)
      expect(isProtected({ uid: 0, mode: 0o40775 }, "linux")).toBe(false)
      expect(isProtected({ uid: 0, mode: 0o40757 }, "darwin")).toBe(false)
    })
  )
})

describe("broken files", () => {
  it.live("of the administrator stop the run, with file and line", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(load({ "project/a.toml": "x = 1\nbroken" }, { adminPolicyPaths: ["a.toml"] }))
      expect(error).toMatchObject({ _tag: "PolicyError", atLine: 2 })
      expect(error.message).toContain("a.toml:2")
      const large = { "project/b.toml": "#".repeat(1024 * 1024 + 1) }
      const noLine = yield* Effect.flip(load(large, { adminPolicyPaths: ["b.toml"] }))
      expect(noLine.message).toContain("/b.toml: it is larger than 1 MiB")
    })
  )

  it.live("of the user force a question; the other files count", () =>
    Effect.gen(function* () {
      const loaded = yield* load({
        "home/.gemini/policies/a.toml": "broken",
        "home/.gemini/policies/b.toml": rule("deny")
      })
      expect(loaded.tiers).toEqual(["user:deny"])
      expect(loaded.forceAsk).toContain("a.toml:1")
    })
  )

  it.live("of a project are reported only", () =>
    Effect.gen(function* () {
      const loaded = yield* load({ "project/.gemini/policies/a.toml": "broken" })
      expect([loaded.forceAsk, loaded.problems.map(({ kind }) => kind)]).toEqual([undefined, ["toml_parse"]])
    })
  )

  it.live("a folder with the name of a file is no file", () =>
    Effect.gen(function* () {
      const loaded = yield* load({ "home/.gemini/policies/a.toml/inner": "" })
      expect(loaded.rules).toEqual([])
      expect(loaded.forceAsk).toBeUndefined()
    })
  )
})

describe("agreement to a project's rules", () => {
  const files = { "project/.gemini/policies/a.toml": rule("allow") + rule("deny") }

  it.live("allowing rules wait, the others count", () =>
    Effect.gen(function* () {
      const loaded = yield* load(files)
      expect([loaded.tiers, loaded.pending?.rules.length]).toEqual([["workspace:deny"], 1])
      expect((yield* load(files, { acceptsWorkspace: true })).tiers).toEqual(["workspace:allow", "workspace:deny"])
    })
  )

  it.live("agreed content is loaded until it changes", () =>
    Effect.gen(function* () {
      const { root, sources } = yield* inFolders(files)
      const before = yield* loadPolicyFiles(sources)
      yield* accept(join(root, "home/.gemini"), sources.project, before.pending?.hash ?? "")
      const after = yield* loadPolicyFiles(sources)
      expect([after.rules.length, after.pending]).toEqual([2, undefined])
      writeFileSync(join(root, "project/.gemini/policies/b.toml"), rule("deny"))
      expect((yield* loadPolicyFiles(sources)).pending?.rules).toHaveLength(1)
    })
  )
})
