/**
 * Whole runs in real containers, by hand: `sudo bun scripts/soak-containers.ts [podman|docker]`. Too slow for every change:
 * the first run makes a small system by `debootstrap` and imports it as an image. It needs no registry and no network but
 * that of the package mirror; besides the engine `runc`, `debootstrap` and `catatonit`. The engine is podman on a machine without services, so it has a configuration of its own.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { eventsOf } from "../test/kit/documents.ts"
import { startModelServer } from "../test/kit/model-server.ts"
import { answer, ask, call, chunk, say, text } from "../test/kit/replies.ts"
import { newWorkspace, type Workspace } from "../test/kit/run-gemini.ts"
import { callTools, inTurns, tool } from "../test/kit/tool-run.ts"

const engine = process.argv[2] ?? "podman"
const IMAGE = "localhost/gemini-soak:1"
const conf = mkdtempSync("/tmp/gemini-soak-")

writeFileSync(
  join(conf, "containers.conf"),
  '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n'
)
writeFileSync(
  join(conf, "storage.conf"),
  '[storage]\ndriver = "vfs"\ngraphroot = "/var/lib/containers/storage"\nrunroot = "/run/containers/storage"\n'
)
const around = {
  CONTAINERS_CONF: join(conf, "containers.conf"),
  CONTAINERS_STORAGE_CONF: join(conf, "storage.conf")
}
const inside = { ...around, GEMINI_SANDBOX: engine, GEMINI_SANDBOX_IMAGE: IMAGE, SANDBOX_FLAGS: "--network=host" }

const sh = (script: string) =>
  Bun.spawnSync(["/bin/bash", "-c", script], { env: { ...process.env, ...around }, stderr: "inherit" })
const listed = () => String(sh(`${engine} ps --all --quiet`).stdout).trim()

let failures = 0
const check = (what: string, holds: boolean, seen?: unknown) => {
  process.stdout.write(`${holds ? "ok  " : "FAIL"}  ${what}\n`)
  if (holds) return
  failures += 1
  process.stdout.write(`${JSON.stringify(seen)}\n`)
}

const until = async (holds: () => boolean, seconds: number) => {
  for (let tries = 0; tries < seconds * 10 && !holds(); tries += 1) await Bun.sleep(100)
  return holds()
}

const shell = (command: string) => tool("run_shell_command", { command })

const calls = async (place: Workspace) => {
  await place.write("home/.gemini/settings.json", "{}\n")
  await place.write("home/.ssh/id_rsa", "MARKER-KEY")
  const { answers, events, result } = await callTools(
    place,
    inTurns(
      shell("echo hello >made.txt; cat made.txt"),
      shell("cat ~/.ssh/id_rsa; ls -A ~"),
      shell("echo '{}' >~/.gemini/settings.json; echo $?"),
      shell("tr '\\0' '\\n' </proc/1/environ | grep -c test-key"),
      shell("grep Cap /proc/self/status; echo $SANDBOX; exit 3")
    ),
    { args: ["--yolo"], env: inside }
  )
  const said = answers.map(({ error, output }) => output ?? error)
  check("a command writes in the workspace", (await place.read("work/made.txt").catch(() => "")) === "hello\n", [
    result,
    said
  ])
  check("keys are not there", !JSON.stringify(answers).includes("MARKER"), said)
  check("settings cannot be written", said[2]?.includes("Read-only") === true, said)
  check("the first process does not know the key", said[3]?.includes("Output: 0") === true, said)
  check("nobody has rights", said[4]?.includes("CapEff:\t0000000000000000") === true, said)
  check("init names the sandbox", JSON.stringify(events[0]).includes(`"backend":"${engine}"`), events[0])
  check("its session is outside", String(sh(`ls ${place.home}/.gemini/tmp/*/chats`).stdout).includes("session-"))
}

const closedNetwork = async (place: Workspace) => {
  const settings = { tools: { sandbox: { enabled: true, command: engine, image: IMAGE, networkAccess: false } } }
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  await using server = await startModelServer([
    ask(call("run_shell_command", { command: "cat /proc/net/dev | wc -l; exec 3<>/dev/tcp/localhost/1" })),
    say("done")
  ])
  const url = server.url.replace("127.0.0.1", "localhost")
  const run = await place.run(["-p", "x", "--yolo"], { server, env: { ...around, GOOGLE_GEMINI_BASE_URL: url } })
  check("the model is reached, and nothing else", run.exitCode === 0 && run.stdout.includes("done"), run)
}

const streams = async (place: Workspace) => {
  await using server = await startModelServer([say("fine"), say("fine")])
  const run = await place.run(["-p", "what is this", "-o", "json"], {
    server,
    env: inside,
    stdin: { pipe: "PIPED-INPUT" }
  })
  check("piped input reaches the model", JSON.stringify(server.requests).includes("PIPED-INPUT"), run)
  check("standard output is the document", JSON.parse(run.stdout).response === "fine", run)
  const wrong = await place.run(["-p", "x", "--resume", "nothing-here"], { server, env: inside })
  check("an exit code comes out", wrong.exitCode === 42, wrong)
}

const signals = async (place: Workspace) => {
  const hanging = answer([chunk(text("wait"))])
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const) {
    await using server = await startModelServer([{ ...hanging, ending: "hang" }])
    const run = place.start(["-p", "x", "-o", "stream-json"], { server, env: inside })
    await until(() => server.requests.length > 0, 30)
    run.kill(signal)
    const end = await run.result
    check(`${signal} is answered inside`, end.exitCode === code && eventsOf(end).at(-1)?.type === "result", end)
    check(`${signal} leaves no container`, await until(() => listed() === "", 10), listed())
  }
  await using server = await startModelServer([{ ...hanging, ending: "hang" }])
  const run = place.start(["-p", "x"], { server, env: inside })
  await until(() => server.requests.length > 0, 30)
  run.kill("SIGKILL")
  await run.result.catch(() => {})
  check("a run that was killed leaves no container", await until(() => listed() === "", 20), listed())
}

if (sh(`${engine} image inspect ${IMAGE} >/dev/null 2>&1`).exitCode !== 0) {
  sh(
    `cd ${conf} && debootstrap --variant=minbase stable root >&2 && tar -C root -c . | ${engine} import - ${IMAGE} >&2`
  )
}
for (const part of [calls, closedNetwork, streams, signals]) {
  await using place = await newWorkspace()
  await part(place)
}
rmSync(conf, { recursive: true, force: true })
process.exit(failures === 0 ? 0 : 1)
