/**
 * The sandbox under attack: every case of the corpus, for every back end that works here. A case that a back end cannot
 * prevent counts only when its report names the gap.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { ESCAPES, type EscapeCase, SECRET_FILES } from "./kit/escape-cases.ts"
import { BINARY, environmentOf } from "./kit/run-gemini.ts"

setDefaultTimeout(60_000)

/** Not below `/tmp`, which is another one inside. */
const base = await mkdtemp(resolve(import.meta.dir, "../dist/escape-"))
await mkdir(join(base, "tmp"))
const MARKER = `MARKER-${crypto.randomUUID()}`

const reached: Array<string> = []
const greet = (name: string) => ({
  open: (client: { end: (text: string) => unknown }) => {
    reached.push(name)
    client.end(MARKER)
  },
  data: () => {}
})
const tcp = Bun.listen({ hostname: "localhost", port: 0, socket: greet("tcp") })
const udp = await Bun.udpSocket({
  port: tcp.port,
  hostname: "127.0.0.1",
  socket: { data: () => void reached.push("udp") }
})
const abstractName = `gemini-escape-${crypto.randomUUID()}`
const abstractSocket = Bun.listen({ unix: `\0${abstractName}`, socket: greet("abstract") })
const victim = Bun.spawn(["sleep", "600"], { env: { VICTIM_SECRET: MARKER }, argv0: MARKER })

afterAll(async () => {
  tcp.stop(true)
  udp.close()
  abstractSocket.stop(true)
  victim.kill("SIGKILL")
  await rm(base, { recursive: true, force: true })
})

/** A home, a project and a neighbour, with secrets in all of them. */
const newPlace = async () => {
  const root = await mkdtemp(join(base, "place-"))
  const put = async (path: string, content: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const secret = `VALUE=${MARKER}\n`
  for (const folder of ["home", "out", "tmp", "system", "work/.git/hooks"]) {
    await mkdir(join(root, folder), { recursive: true })
  }
  await put("outside/secret", secret)
  await put("outside/kept", "kept\n")
  for (const path of SECRET_FILES.home)
    await put(`home/${path}`, path.endsWith("settings.json") ? `// ${MARKER}\n{}` : secret)
  for (const path of SECRET_FILES.project) await put(`work/${path}`, secret)
  await put("work/plain.txt", "plain\n")
  await put("work/.gemini/settings.json", "{ }\n")
  await put("work/.git/HEAD", "ref: refs/heads/main\n")
  await put("work/.git/config", "[core]\n\trepositoryformatversion = 0\n")
  await mkdir(join(root, "work/.git/objects"))
  await mkdir(join(root, "work/.git/refs"))
  await symlink(".env", join(root, "work/link-env"))
  await symlink("../outside", join(root, "work/link-out"))
  await symlink(join(root, "outside/secret"), join(root, "work/link-secret"))
  await symlink(join(root, "home"), join(root, "work/link-home"))
  await link(join(root, "outside/kept"), join(root, "kept-too"))
  const listener = Bun.listen({ unix: join(root, "outside/socket"), socket: greet("socket") })
  return {
    root,
    [Symbol.asyncDispose]: async () => {
      listener.stop(true)
      await rm(root, { recursive: true, force: true })
    }
  }
}

/** Everything that a case must leave as it is. */
const stateOf = async (root: string) => ({
  out: await readdir(join(root, "out")),
  home: (await readdir(join(root, "home"), { recursive: true }))
    .filter((name) => !name.startsWith(".gemini/tmp"))
    .toSorted(),
  outside: (await readdir(join(root, "outside"))).toSorted(),
  secret: await readFile(join(root, "outside/secret"), "utf8"),
  mode: (({ mode, mtimeMs }) => [mode, mtimeMs])(await stat(join(root, "outside/secret"))),
  kept: await readFile(join(root, "kept-too"), "utf8"),
  config: await readFile(join(root, "work/.git/config"), "utf8").catch(() => "gone"),
  hooks: await readdir(join(root, "work/.git/hooks")).catch(() => ["gone"]),
  settings: await readdir(join(root, "work/.gemini")).catch(() => ["gone"]),
  settingsText: await readFile(join(root, "work/.gemini/settings.json"), "utf8").catch(() => "gone"),
  hasVictim:
    existsSync(`/proc/${victim.pid}`) && !/^State:\s+[TZ]/m.test(await readFile(`/proc/${victim.pid}/status`, "utf8")),
  reached: [...reached]
})

/** Descriptor 7 is a secret that gemini itself was given. */
const START = 'exec 7<"$ROOT/outside/secret"; cd "$ROOT/work" && exec "$GEMINI" sandbox run -- bash -c "$SCRIPT"'

const attack = async (root: string, backend: string, script: string) => {
  const child = Bun.spawn(["/bin/bash", "-c", START], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: {
      ...environmentOf(root, undefined),
      GEMINI_SANDBOX: backend,
      ROOT: root,
      OUT: join(root, "out"),
      VICTIM: String(victim.pid),
      PORT: String(tcp.port),
      ABSTRACT: abstractName,
      SCRIPT: `won() { echo GOT''OUT; }\n${script}`
    }
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { said: stdout + stderr, exitCode: await child.exited }
}

const check = Bun.spawnSync([BINARY, "sandbox", "check", "--json"], {
  cwd: base,
  env: { ...environmentOf(base, undefined), GEMINI_SANDBOX: "landlock" }
})
const gaps = String(check.stdout)

describe.each(["bwrap", "landlock"])("%s", (backend) => {
  test("the place is what it should be: a case that may succeed does", async () => {
    await using place = await newPlace()
    const { exitCode, said } = await attack(place.root, backend, "cat plain.txt && echo made >made.txt && won")
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: "plain\nGOTOUT\n" })
    expect(await readFile(join(place.root, "work/made.txt"), "utf8")).toBe("made\n")
  })

  test.each(ESCAPES)("$name", async ({ landlockGap, script }: EscapeCase) => {
    if (backend === "landlock" && landlockGap !== undefined) return expect(gaps).toContain(landlockGap)
    await using place = await newPlace()
    const before = await stateOf(place.root)
    const { exitCode, said } = await attack(place.root, backend, script)
    expect(said).not.toContain(MARKER)
    expect(said).not.toContain("GOTOUT")
    expect(await stateOf(place.root)).toEqual(before)
    // A case that never began proves nothing.
    expect(exitCode).not.toBe(44)
  })
})

test("the corpus is as large as it is meant to be", () => {
  expect(ESCAPES.length).toBeGreaterThanOrEqual(120)
})
