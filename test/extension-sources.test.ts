/** Where extensions come from, in the compiled program: releases, repositories, a source that moves, and a kill half way. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { tarGz } from "./kit/archive-bytes.ts"
import { contentsBelow, writeFiles } from "./kit/extension-room.ts"
import { startGithub } from "./kit/github-server.ts"
import { canTrace } from "./kit/kill-run.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const env = { GEMINI_FORCE_FILE_STORAGE: "true" }

/** A small extension; `extra` goes into its manifest. */
const filesOf = (version: string, extra: Readonly<Record<string, unknown>> = {}) => ({
  "gemini-extension.json": JSON.stringify({ name: "small", version, ...extra }),
  "GEMINI.md": `Small ${version}.\n`
})

const archiveOf = (files: Readonly<Record<string, string>>): Uint8Array =>
  tarGz(Object.entries(files).map(([name, text]) => ({ name: `acme-small-1/${name}`, text })))

const metadataOf = (place: Workspace): unknown =>
  JSON.parse(readFileSync(join(place.home, ".gemini/extensions/small/.gemini-extension-install.json"), "utf8"))

const commit = (place: Workspace, version: string) => {
  writeFiles(join(place.root, "repo"), filesOf(version))
  return place.shell(
    "set -e; cd ../repo; git init -q -b main; git add .; git -c user.name=t -c user.email=t@example.com commit -qm x"
  )
}

test("a release is installed, updated when a conversation begins, and follows its source to another place", async () => {
  await using place = await newWorkspace()
  await using hub = startGithub({ tag: "v1", archive: archiveOf(filesOf("1.0.0")) })
  await using server = await startModelServer(() => say("done"))
  const online = { ...env, ...hub.env }
  const manage = (...args: ReadonlyArray<string>) => place.run(["extensions", ...args], { env: online })
  const before = contentsBelow(place.home)
  const installed = await manage("install", "github:acme/small", "--auto-update", "--consent", "--json")
  const known = { source: "github:acme/small", type: "github-release", releaseTag: "v1", autoUpdate: true }
  expect(JSON.parse(installed.stdout)).toMatchObject({ name: "small", version: "1.0.0", installMetadata: known })
  expect(hub.tokens).toEqual(new Set(["token gh-token"]))

  const repository = `file://${place.root}/repo`
  hub.releases.unshift({ tag: "v2", archive: archiveOf(filesOf("2.0.0", { migratedTo: repository })) })
  const session = startInTerminal(place, [], { env: online, server })
  await session.shows('[INFO] Extension "small" successfully updated: 1.0.0 → 2.0.0. All of it')
  await session.shows("  Type your message")
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  await place.run(["-p", "hi"], { env: online, server })
  expect(JSON.stringify(server.generations.at(-1)?.body)).toContain("Small 2.0.0.")
  expect(metadataOf(place)).toEqual({ ...known, releaseTag: "v2" })

  // The new place does not answer yet: the old one counts.
  expect((await manage("update", "small")).stdout).toBe('Extension "small" is already up to date (2.0.0).\n')
  expect((await commit(place, "3.0.0")).exitCode).toBe(0)
  expect((await manage("update", "--all")).stdout).toBe('Extension "small" successfully updated: 2.0.0 → 3.0.0.\n')
  expect(metadataOf(place)).toEqual({ source: repository, type: "git", autoUpdate: true })

  expect((await manage("uninstall", repository)).exitCode).toBe(0)
  const after = Object.entries(contentsBelow(place.home)).filter(([path]) => !OF_RUNS.test(path))
  expect(Object.fromEntries(after)).toEqual(before)
})

/** What runs write about themselves. */
const OF_RUNS = /^\.gemini(?:$|\/(?:tmp|history|projects\.json)(?:\/|$))/

test("without git, without an answer or with a wrong ref nothing is installed, and the reason is told", async () => {
  await using place = await newWorkspace()
  await commit(place, "1.0.0")
  const before = contentsBelow(place.home)
  const source = `file://${place.root}/repo`
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Readonly<Record<string, string>>, string]> = [
    [[source], { PATH: "/nonexistent" }, "git is not installed"],
    [[source, "--ref", "nothing"], {}, 'has no branch, tag or commit "nothing". Name another with --ref.'],
    [["http://127.0.0.1:9/a.git"], {}, "http://127.0.0.1:9/a.git cannot be fetched"],
    [["github:acme/small"], { GITHUB_API_URL: "http://127.0.0.1:9" }, "cannot be fetched"]
  ]
  for (const [args, variables, words] of cases) {
    const refused = await place.run(["extensions", "install", ...args, "--consent"], { env: { ...env, ...variables } })
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
    expect(refused.stderr).toContain(words)
  }
  expect(contentsBelow(place.home)).toEqual(before)
})

describe.skipIf(!canTrace)("a kill while it is installed", () => {
  // Before the copy, before it is put in place, and before each of the files that are written about it.
  for (const [syscall, when, isThere] of [
    ["/^mkdir", 6, false],
    ["/^rename", 1, false],
    ["/^rename", 2, true],
    ["/^rename", 3, true],
    ["/^rename", 4, true]
  ] as const) {
    test(`at ${syscall.slice(2)} ${when}: it is there or it is not, and the next command goes on`, async () => {
      await using place = await newWorkspace()
      writeFiles(join(place.root, "source"), filesOf("1.0.0"))
      const before = contentsBelow(place.home)
      const install = '"$GEMINI" extensions install ../source --consent'
      const kill = `strace -f -o /dev/null -e trace=${syscall} -e inject=${syscall}:signal=KILL:when=${when}`
      expect((await place.shell(`${kill} ${install}; exit $?`, { env })).exitCode).toBe(137)
      const again = await place.shell(install, { env })
      if (isThere) expect(again.stderr).toContain('Extension "small" is already installed.')
      else expect(again.exitCode).toBe(0)
      expect((await place.run(["-l"], { env })).stdout).toBe("Installed extensions:\n- small\n")
      expect((await place.run(["extensions", "uninstall", "small"], { env })).exitCode).toBe(0)
      // A file that was not complete yet may be left beside its place; nobody reads it.
      const left = Object.keys(contentsBelow(place.home)).filter(
        (path) => !/\.tmp$|^\.gemini(?:\/extensions)?$/.test(path)
      )
      expect(left).toEqual(Object.keys(before))
    })
  }
})
