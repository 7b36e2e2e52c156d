/**
 * The sandbox under attack: every case of the corpus, for every back end that works here. A case that a back end cannot
 * prevent counts only when its report names the gap.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { link, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { ESCAPES, type EscapeCase, MODES_GAP, SECRET_FILES } from "./kit/escape-cases.ts"
import { BINARY, environmentOf } from "./kit/run-gemini.ts"

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
/** Another terminal of the person. */
const atTerminal = Bun.spawn(["sleep", "601"], { terminal: { data: () => {} } })

afterAll(async () => {
  tcp.stop(true)
  udp.close()
  abstractSocket.stop(true)
  victim.kill("SIGKILL")
  atTerminal.kill("SIGKILL")
  await rm(base, { recursive: true, force: true })
})

/** How many cases one process tries, each in a place of its own. The secrets of many places are hidden another way. */
const AT_ONCE = { few: 8, many: 24 }
const placeAt = (index: number) => join(base, `place-${index}`)
const home = join(base, "home")
const template = join(base, "template")

/** A home; a project and a neighbour, with secrets in all of them. */
const put = async (root: string, path: string, content: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), content)
}
const secret = `VALUE=${MARKER}\n`
const include = Array.from({ length: AT_ONCE.many }, (_, index) => join(placeAt(index), "work"))
for (const path of SECRET_FILES.home) {
  const settings = `// ${MARKER}\n${JSON.stringify({ context: { includeDirectories: include } })}`
  await put(home, path, path.endsWith("settings.json") ? settings : secret)
}
for (const folder of ["out", "work/.git/hooks", "work/.git/objects", "work/.git/refs", "work/bare/.git/objects"]) {
  await mkdir(join(template, folder), { recursive: true })
}
await mkdir(join(template, "work/bare/.git/refs"))
await put(template, "outside/secret", secret)
await put(template, "outside/kept", "kept\n")
for (const path of SECRET_FILES.project) await put(template, `work/${path}`, secret)
await put(template, "work/plain.txt", "plain\n")
await put(template, "work/.gemini/settings.json", "{ }\n")
for (const repository of ["work/.git", "work/bare/.git"]) {
  await put(template, `${repository}/HEAD`, "ref: refs/heads/main\n")
  await put(template, `${repository}/config`, "[core]\n\trepositoryformatversion = 0\n")
}
// A repository and settings that are links, and a file that the configuration of a repository includes.
await put(
  template,
  "work/.git/config",
  "[core]\n\trepositoryformatversion = 0\n[include]\n\tpath = ../included\n\tpath = ../not-there-yet\n"
)
await put(template, "work/included", "[alias]\n\ty = status\n")
await put(template, "work/linked/real.git/HEAD", "ref: refs/heads/main\n")
await put(template, "work/linked/real.git/config", "[core]\n\trepositoryformatversion = 0\n")
for (const name of ["hooks", "objects", "refs"]) await mkdir(join(template, "work/linked/real.git", name))
await put(template, "work/linked/own/settings.json", "{ }\n")
await symlink("real.git", join(template, "work/linked/.git"))
await symlink("own", join(template, "work/linked/.gemini"))
await symlink(".env", join(template, "work/link-env"))
await symlink("../outside", join(template, "work/link-out"))
await symlink(home, join(template, "work/link-home"))
await link(join(template, "outside/kept"), join(template, "kept-too"))

const newPlaces = async (count: number) => {
  const roots = Array.from({ length: count }, (_, index) => placeAt(index))
  Bun.spawnSync([
    "/bin/sh",
    "-c",
    't=$1; shift; rm -rf "$@"; for p; do cp -a "$t" "$p"; done',
    "sh",
    template,
    ...roots
  ])
  for (const root of roots) await symlink(join(root, "outside/secret"), join(root, "work/link-secret"))
  const listeners = roots.map((root) => Bun.listen({ unix: join(root, "outside/socket"), socket: greet("socket") }))
  return { roots, [Symbol.dispose]: () => listeners.forEach((listener) => void listener.stop(true)) }
}

/** Everything that a case must leave as it is. */
const stateOf = async (root: string) => ({
  out: await readdir(join(root, "out")).catch(() => ["gone"]),
  outside: (await readdir(join(root, "outside"))).toSorted(),
  secret: await readFile(join(root, "outside/secret"), "utf8"),
  mode: (({ mode, mtimeMs }) => [mode, mtimeMs])(await stat(join(root, "outside/secret"))),
  kept: await readFile(join(root, "kept-too"), "utf8"),
  config: await readFile(join(root, "work/.git/config"), "utf8").catch(() => "gone"),
  hooks: await readdir(join(root, "work/.git/hooks")).catch(() => ["gone"]),
  common: existsSync(join(root, "work/.git/commondir")),
  bare: (await readdir(join(root, "work/bare/.git"))).filter((name) =>
    ["hooks", "commondir", "config.worktree"].includes(name)
  ),
  included: await readFile(join(root, "work/included"), "utf8").catch(() => "gone"),
  notThere: existsSync(join(root, "work/not-there-yet")),
  linked: await Promise.all(
    ["real.git/config", "own/settings.json"].map((name) =>
      readFile(join(root, "work/linked", name), "utf8").catch(() => "gone")
    )
  ),
  linkedHooks: await readdir(join(root, "work/linked/real.git/hooks")).catch(() => ["gone"]),
  settings: await readdir(join(root, "work/.gemini")).catch(() => ["gone"]),
  settingsText: await readFile(join(root, "work/.gemini/settings.json"), "utf8").catch(() => "gone")
})

/** What all cases of a process share. */
const sharedState = async () => ({
  home: (await readdir(home, { recursive: true })).filter((name) => !name.startsWith(".gemini/tmp")).toSorted(),
  settings: await readFile(join(home, ".gemini/settings.json"), "utf8"),
  hasVictim:
    existsSync(`/proc/${victim.pid}`) && !/^State:\s+[TZ]/m.test(await readFile(`/proc/${victim.pid}/status`, "utf8")),
  reached: [...reached]
})

/** Each script by itself, in its place; descriptor 7 is a secret that gemini itself was given. */
const EACH = `b=$1; shift; n=0; for script; do printf '\n@@%s@@\n' $n
  (export ROOT=$b/place-$n OUT=$b/place-$n/out; cd "$ROOT/work" && exec timeout -s KILL 20 bash -c "$script") </dev/null 2>&1
  n=$((n+1)); done; printf '\n@@end@@\n'`
const START =
  'exec 7<"$BASE/place-0/outside/secret"; cd "$BASE/place-0/work" && exec "$GEMINI" sandbox run -- bash -c "$@"'

const attack = async (backend: string, scripts: ReadonlyArray<string>) => {
  const tried = scripts.map((script) => `won() { echo GOT''OUT; }\n${script}`)
  const child = Bun.spawn(["/bin/bash", "-c", START, "bash", EACH, "bash", base, ...tried], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: {
      ...environmentOf(base, undefined),
      GEMINI_SANDBOX: backend,
      BASE: base,
      VICTIM: String(victim.pid),
      VICTIM_TERMINAL: await readlink(`/proc/${atTerminal.pid}/fd/0`),
      PORT: String(tcp.port),
      ABSTRACT: abstractName
    }
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const parts = stdout.split(/\n@@(?:\d+|end)@@\n/).slice(1, -1)
  return { said: parts, stderr, exitCode: await child.exited }
}

interface Outcome {
  readonly said: string
  readonly before: unknown
  readonly after: unknown
}

/** What several share is found out by halves. */
const tryAll = async (backend: string, cases: ReadonlyArray<EscapeCase>, outcomes: Map<string, Outcome>) => {
  using places = await newPlaces(cases.length)
  const states = () => Promise.all(places.roots.map(stateOf))
  const [before, shared] = [await states(), await sharedState()]
  const { said, stderr } = await attack(
    backend,
    cases.map(({ script }) => script)
  )
  const [after, sharedAfter] = [await states(), await sharedState()]
  const isWhole = said.length === cases.length && !stderr.includes(MARKER) && Bun.deepEquals(shared, sharedAfter)
  if (!isWhole && cases.length > 1) {
    const half = Math.ceil(cases.length / 2)
    await tryAll(backend, cases.slice(0, half), outcomes)
    return void (await tryAll(backend, cases.slice(half), outcomes))
  }
  for (const [index, { name }] of cases.entries()) {
    outcomes.set(name, {
      said: said[index] ?? `it did not run: ${stderr}`,
      before: [before[index], shared],
      after: [after[index], sharedAfter]
    })
  }
}

const check = Bun.spawnSync([BINARY, "sandbox", "check", "--json"], {
  cwd: base,
  env: { ...environmentOf(base, undefined), GEMINI_SANDBOX: "landlock" }
})
const gaps = String(check.stdout)
const isMounting = process.getuid?.() === 0 && !gaps.includes(MODES_GAP)

describe.each(["bwrap", "landlock"])("%s", (backend) => {
  const outcomes = new Map<string, Outcome>()
  // As root, where it may mount, there are fewer of them.
  const isTried = ({ landlockGap }: EscapeCase) =>
    backend !== "landlock" || landlockGap === undefined || (isMounting && landlockGap === MODES_GAP)

  beforeAll(async () => {
    // A command that names git may change repositories: the others are tried where it may not.
    const tried = ESCAPES.filter(isTried)
    const groups = [
      { group: tried.filter(namesGit), size: AT_ONCE.few },
      { group: tried.filter((one) => !namesGit(one)), size: AT_ONCE.many }
    ]
    for (const { group, size } of groups) {
      for (let from = 0; from < group.length; from += size) {
        await tryAll(backend, group.slice(from, from + size), outcomes)
      }
    }
  }, 300_000)

  test("the place is what it should be: a case that may succeed does", async () => {
    using places = await newPlaces(1)
    const { exitCode, said } = await attack(backend, ["cat plain.txt && echo made >made.txt && won"])
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: ["plain\nGOTOUT\n"] })
    expect(await readFile(join(places.roots[0] ?? "", "work/made.txt"), "utf8")).toBe("made\n")
  })

  test.each(ESCAPES)("$name", (attempt: EscapeCase) => {
    if (!isTried(attempt)) return expect(gaps).toContain(attempt.landlockGap ?? "")
    const { after, before, said } = outcomes.get(attempt.name) ?? { after: 1, before: 2, said: "it did not run" }
    expect(said).not.toContain(MARKER)
    expect(said).not.toContain("GOTOUT")
    expect(said).not.toContain("it did not run")
    expect(after).toEqual(before)
  })
})

const namesGit = ({ script }: EscapeCase): boolean => /\bgit\b/.test(script)

test("the corpus is as large as it is meant to be", () => {
  expect(ESCAPES.length).toBeGreaterThanOrEqual(120)
})
