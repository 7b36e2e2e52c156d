/**
 * What people install, tried with a small stand-in for the program: archives, the npm launcher, the install script. The
 * programs of other machines and system packages are tried by `scripts/release-test`, which takes minutes.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import manifest from "../package.json"
import { BINARY } from "./kit/run-gemini.ts"

const root = resolve(import.meta.dir, "..")
const { version } = manifest
const EPOCH = "1700000000"

/** It tells what reached it: arguments, standard input, the signal that ended it. */
const STAND_IN = `#!/bin/sh
if [ "$1" = --version ]; then echo ${version}; exit 0; fi
if [ "$1" = wait ]; then trap 'echo got TERM; exit 143' TERM; echo ready; while :; do sleep 0.05; done; fi
if [ "$1" = die ]; then kill -9 $$; fi
printf '%s|' "$@"; cat; exit 42
`

let place = ""
let release = ""

const run = async (command: ReadonlyArray<string>, env: Record<string, string> = {}, stdin = "") => {
  const child = Bun.spawn([...command], {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: join(place, "home"), ...env },
    stdin: Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe"
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { stdout, stderr, exitCode, signal: child.signalCode }
}

const makeRelease = async (out: string) => {
  const targets = ["linux-x64", "linux-x64-baseline", "linux-x64-musl", "linux-arm64", "windows-x64"]
  const made = await run(
    [
      process.execPath,
      join(root, "scripts/release.ts"),
      `--out=${out}`,
      `--targets=${targets.join(",")}`,
      "--skip=deb,rpm,sbom",
      ...targets.map((target) => `--prebuilt=${target}=${join(place, "stand-in")}`)
    ],
    { SOURCE_DATE_EPOCH: EPOCH }
  )
  expect(made).toMatchObject({ exitCode: 0 })
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "gemini-release-"))
  release = join(place, "release")
  await mkdir(join(place, "home"))
  await writeFile(join(place, "stand-in"), STAND_IN)
  await chmod(join(place, "stand-in"), 0o755)
  await makeRelease(release)
})
afterAll(() => rm(place, { recursive: true, force: true }))

test("the same sources give the same bytes", async () => {
  const again = join(place, "again")
  await makeRelease(again)
  expect(await readFile(join(again, "SHA256SUMS"), "utf8")).toBe(await readFile(join(release, "SHA256SUMS"), "utf8"))
  expect(await readdir(again)).toEqual(await readdir(release))
})

test("the program does not know where it was built, so that it has the same bytes wherever that is", async () => {
  const program = await readFile(BINARY)
  expect(program.includes(root)).toBe(false)
})

test("an archive holds the program, its papers and completions", async () => {
  const listed = await run(["tar", "-tzf", join(release, `gemini-${version}-linux-x64.tar.gz`)])
  const top = `gemini-${version}-linux-x64`
  for (const name of ["gemini", "LICENSE", "README.md", "gemini.1", "completions/gemini.bash"])
    expect(listed.stdout.split("\n")).toContain(`${top}/${name}`)
})

describe("the npm launcher", () => {
  let launcher = ""
  const platform = `linux-${process.arch}`

  /** As npm lays packages out; npm itself is tried by `scripts/release-test`. */
  const unpack = async (archive: string, name: string) => {
    const folder = join(place, "node_modules", name)
    await mkdir(folder, { recursive: true })
    await run(["tar", "-xzf", join(release, archive), "-C", folder, "--strip-components=1"])
    return folder
  }

  beforeAll(async () => {
    launcher = join(await unpack(`gemini-fx-${version}.tgz`, "gemini-fx"), "bin/gemini.js")
  })

  test("has no install scripts, and says what to do when the program is missing", async () => {
    const text = await readFile(join(place, "node_modules/gemini-fx/package.json"), "utf8")
    expect(JSON.parse(text)).not.toHaveProperty("scripts")
    expect(await run(["node", launcher, "--version"])).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringContaining(`npm install @gemini-fx/`)
    })
  })

  describe("with the program", () => {
    beforeAll(() => unpack(`gemini-fx-${platform}-${version}.tgz`, `@gemini-fx/${platform}`))

    test("passes arguments, input and the exit code", async () => {
      expect(await run(["node", launcher, "a b", "", "*"], {}, "in")).toEqual({
        stdout: "a b||*|in",
        stderr: "",
        exitCode: 42,
        signal: null
      })
    })

    test("prints the version alone", async () => {
      expect(await run(["node", launcher, "--version"])).toMatchObject({ stdout: `${version}\n`, exitCode: 0 })
    })

    test("passes signals on", async () => {
      const child = Bun.spawn(["node", launcher, "wait"], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
      const reader = child.stdout.getReader()
      expect(new TextDecoder().decode((await reader.read()).value)).toBe("ready\n")
      child.kill("SIGTERM")
      expect(new TextDecoder().decode((await reader.read()).value)).toBe("got TERM\n")
      expect(await child.exited).toBe(143)
    })

    test("ends as the program ended", async () => {
      expect((await run(["node", launcher, "die"])).signal).toBe("SIGKILL")
    })
  })
})

describe.each([["sh"], ["busybox sh"], ["bash"]])("install.sh in %s", (shell) => {
  const words = shell.split(" ")
  const isHere = Bun.which(words[0] ?? "") !== null || process.env.GEMINI_TESTS_SKIP_NOTHING === "1"

  const install = async (
    serve: (name: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>,
    args: ReadonlyArray<string> = []
  ) => {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const body = await serve(new URL(request.url).pathname.replace(`/v${version}/`, ""))
        return body === undefined ? new Response("no", { status: 404 }) : new Response(new Uint8Array(body))
      }
    })
    try {
      const folder = join(place, `bin-${words.join("-")}`)
      const result = await run([...words, join(release, "install.sh"), "--dir", folder, ...args], {
        GEMINI_FX_DOWNLOAD_BASE: `http://127.0.0.1:${server.port}`
      })
      const left = (await readdir(folder)).filter((name) => name !== "gemini")
      return { ...result, left, program: await readFile(join(folder, "gemini"), "utf8").catch(() => undefined) }
    } finally {
      await server.stop(true)
    }
  }
  const file = (name: string): Promise<Uint8Array> => Bun.file(join(release, name)).bytes()

  test.skipIf(!isHere)("a damaged, a changed and a missing download leave things as they were", async () => {
    const cases: ReadonlyArray<(name: string) => Promise<Uint8Array | undefined>> = [
      async (name) => (name.endsWith(".gz") ? (await file(name)).slice(0, 100) : file(name)),
      async (name) =>
        name.endsWith(".gz") ? (await file(name)).map((byte, at) => (at === 50 ? byte ^ 1 : byte)) : file(name),
      async (name) => (name.endsWith(".gz") ? undefined : file(name)),
      async (name) => (name === "SHA256SUMS" ? undefined : file(name)),
      async (name) => (name === "SHA256SUMS" ? new TextEncoder().encode("nothing\n") : file(name))
    ]
    for (const serve of cases) {
      const result = await install(serve)
      expect(result).toMatchObject({ exitCode: 1, left: [], program: undefined })
      expect(result.stderr).toContain("nothing was changed")
    }
  })

  test.skipIf(!isHere)(
    "installs, twice alike, and leaves an old program alone when the next download is bad",
    async () => {
      const first = await install(file, ["--no-modify-path"])
      expect(first).toMatchObject({ exitCode: 0, stderr: "", left: [], program: STAND_IN })
      expect(first.stdout).toContain(`installed gemini ${version}`)
      expect(await install(file, ["--no-modify-path"])).toMatchObject({ exitCode: 0, program: STAND_IN })
      expect(await install(async () => undefined)).toMatchObject({ exitCode: 1, left: [], program: STAND_IN })
    }
  )

  test.skipIf(!isHere)("adds the folder to PATH once", async () => {
    await install(file)
    await install(file)
    const profile = await readFile(join(place, "home/.profile"), "utf8")
    const own = profile.split("\n").filter((line) => line.includes(`bin-${words.join("-")}:`))
    expect(own).toHaveLength(1)
  })

  test.skipIf(!isHere)("refuses what it does not know", async () => {
    for (const args of [["--nonsense"], ["--version", "../x"], ["--dir"]])
      expect((await run([...words, join(release, "install.sh"), ...args])).exitCode).toBe(1)
  })
})
