/** Extensions from git and from GitHub, as a user would name them; everything runs on this machine. */
import { expect } from "bun:test"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { type PackedEntry, tarGz, zip } from "../../../test/kit/archive-bytes.ts"
import { contentsBelow, fullExtension, writeFiles } from "../../../test/kit/extension-room.ts"
import { type FakeRelease, startGithub } from "../../../test/kit/github-server.ts"
import { it } from "../../../test/kit/it.ts"
import { runIn } from "../../../test/kit/sub-command.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { remoteCommit } from "./git.ts"

const PATH = { PATH: process.env.PATH ?? "/usr/bin:/bin", GEMINI_FORCE_FILE_STORAGE: "true" }

const git = (folder: string, ...args: ReadonlyArray<string>): string => {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
  const { status, stderr, stdout } = spawnSync("git", [...identity, "-C", folder, ...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}

const commit = (folder: string, version: string): void => {
  writeFiles(folder, fullExtension(version))
  git(folder, "add", ".")
  git(folder, "commit", "-qm", version)
}

const room = Effect.map(tempFolder({ "home/.keep": "", "repo/.keep": "", "system/.keep": "" }), (root) => {
  const run = (line: string, env: Readonly<Record<string, string>> = {}, answers: ReadonlyArray<string> = []) =>
    runIn(root, ["extensions", ...line.split(" ")], { ...PATH, ...env }, answers)
  const contextFile = join(root, "home/.gemini/extensions/full/FULL.md")
  return { root, repo: join(root, "repo"), home: join(root, "home"), contextFile, run }
})

it.live("a git repository is fetched, updated and asked for a ref that it has or has not", () =>
  Effect.gen(function* () {
    const { contextFile, home, repo, run } = yield* room
    const before = contentsBelow(home)
    git(repo, "init", "-q")
    commit(repo, "1.0.0")
    git(repo, "tag", "-a", "v1", "-m", "one")
    commit(repo, "2.0.0")
    const source = `file://${repo}`
    const wrong = yield* run(`install ${source} --ref nothing --consent`)
    expect(wrong.err).toContain('has no branch, tag or commit "nothing"')
    expect((yield* run(`install ${source} --ref=--upload-pack=evil --consent`)).err).toContain(
      "is not the name of a branch"
    )
    expect(contentsBelow(home)).toEqual(before)
    expect((yield* run(`install ${source} --ref v1 --consent --skip-settings`)).code).toBe(0)
    expect(readFileSync(contextFile, "utf8")).toContain("1.0.0")
    expect((yield* run("update full")).out).toContain("already up to date")
    yield* run("uninstall full")
    const first = git(repo, "rev-parse", "v1^{commit}")
    expect((yield* run(`install ${source} --ref ${first} --consent --skip-settings`)).code).toBe(0)
    expect((yield* run("update full")).out).toContain("already up to date")
    yield* run("uninstall full")
    expect((yield* run(`install ${source} --consent --skip-settings --auto-update`)).code).toBe(0)
    expect(readFileSync(contextFile, "utf8")).toContain("2.0.0")
    commit(repo, "3.0.0")
    expect((yield* run("update full")).out).toContain("2.0.0 → 3.0.0")
    yield* run("uninstall full")
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("without git, or without an answer, nothing is left behind", () =>
  Effect.gen(function* () {
    const { home, root, run } = yield* room
    const before = contentsBelow(home)
    const noGit = yield* run(`install file://${root}/repo --consent`, { PATH: "/nonexistent" })
    expect(noGit.err).toContain("git is not installed")
    const offline = yield* run("install http://127.0.0.1:9/acme/x.git --consent")
    expect(offline.err).toContain("http://127.0.0.1:9/acme/x.git cannot be fetched")
    expect(offline.code).toBe(1)
    const secret = yield* run("install http://me:s3cret@127.0.0.1:9/acme/x.git --consent")
    expect(secret.err).toContain("http://127.0.0.1:9/acme/x.git cannot be fetched")
    expect(secret.err).not.toContain("s3cret")
    const api = yield* run("install github:acme/full --consent", { GITHUB_API_URL: "http://127.0.0.1:9" })
    expect(api.err).toContain("http://127.0.0.1:9/repos/acme/full/releases/latest cannot be fetched")
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("whoever turns away while git works waits for its end, and nothing is left", () =>
  Effect.gen(function* () {
    const { root } = yield* room
    // A git that says when it began, and writes on for a while after it was asked to end.
    const script = `#!/bin/sh\ntrap 'sleep 0.05; touch "${root}/ended"; exit 1' TERM\ntouch "${root}/began"\nwhile :; do sleep 0.05; done\n`
    writeFiles(root, { "bin/git": script })
    chmodSync(join(root, "bin/git"), 0o755)
    const variables = { PATH: `${root}/bin:${PATH.PATH}` }
    const asking = yield* Effect.fork(remoteCommit("https://example.com/x", undefined, { variables }))
    yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => existsSync(join(root, "began")) })
    yield* Fiber.interrupt(asking)
    expect(existsSync(join(root, "ended"))).toBe(true)
  })
)

it.live("a link that leads out of a repository keeps the whole of it out", () =>
  Effect.gen(function* () {
    const { home, repo, run } = yield* room
    const before = contentsBelow(home)
    git(repo, "init", "-q")
    spawnSync("ln", ["-s", "../../../../../../etc/passwd", join(repo, "FULL.md")])
    writeFiles(repo, { "gemini-extension.json": '{ "name": "full", "version": "1.0.0" }' })
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "1")
    const refused = yield* run(`install file://${repo} --consent`)
    expect(refused.err).toContain("a link that leads out of it: FULL.md")
    expect(contentsBelow(home)).toEqual(before)
  })
)

const github = (...releases: ReadonlyArray<FakeRelease>) =>
  Effect.acquireRelease(
    Effect.sync(() => startGithub(...releases)),
    (hub) => Effect.promise(() => hub[Symbol.asyncDispose]())
  )

const packed = (version: string, top = ""): ReadonlyArray<PackedEntry> =>
  Object.entries(fullExtension(version)).map(([name, text]) => ({ name: `${top}${name}`, text }))

it.live("a release of GitHub is unpacked, flattened, and updated when there is another", () =>
  Effect.gen(function* () {
    const { contextFile, home, run } = yield* room
    const before = contentsBelow(home)
    const hub = yield* github({ tag: "v1", archive: tarGz(packed("1.0.0", "acme-full-abc123/")) })
    const done = yield* run("install https://github.com/acme/full --consent --skip-settings --json", hub.env)
    expect(JSON.parse(done.out)).toMatchObject({
      name: "full",
      installMetadata: { source: "https://github.com/acme/full", type: "github-release", releaseTag: "v1" }
    })
    expect(hub.tokens).toEqual(new Set(["token gh-token"]))
    expect((yield* run("update full", hub.env)).out).toContain("up to date")
    hub.releases.unshift({ tag: "v2", archive: zip(packed("2.0.0")), name: "full.zip" })
    expect((yield* run("update full", hub.env)).out).toContain("1.0.0 → 2.0.0")
    expect(readFileSync(contextFile, "utf8")).toContain("2.0.0")
    yield* run("uninstall GITHUB:acme/full", hub.env)
    expect(contentsBelow(home)).not.toEqual(before)
    yield* run("uninstall github:acme/full", hub.env)
    expect(contentsBelow(home)).toEqual(before)
  })
)

it.live("archives that lead out, bring links or never end leave nothing behind", () =>
  Effect.gen(function* () {
    const { home, root, run } = yield* room
    const before = contentsBelow(home)
    const bad: ReadonlyArray<readonly [string, Uint8Array]> = [
      ["traversal", tarGz([...packed("1.0.0"), { name: "../../escaped", text: "x" }])],
      ["traversal in a zip file", zip([...packed("1.0.0"), { name: "../../escaped", text: "x" }])],
      ["a link", tarGz([...packed("1.0.0"), { name: "link", type: "2", link: "/etc/passwd" }])],
      ["a bomb", tarGz([{ name: "big", text: new Uint8Array(300 * 1024 * 1024) }])],
      ["no archive", new TextEncoder().encode("<html>")]
    ]
    for (const [what, archive] of bad) {
      const hub = yield* github({ tag: "v1", archive })
      const refused = yield* run("install github:acme/full --consent", hub.env)
      expect(`${what}: ${refused.err}`).toContain("is not unpacked")
      expect(refused.code).toBe(1)
    }
    expect(existsSync(join(root, "escaped"))).toBe(false)
    expect(contentsBelow(home)).toEqual(before)
  })
)
