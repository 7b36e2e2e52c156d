/**
 * Runs that go into a sandbox as a whole: what is there inside, what comes back, and how it ends. bubblewrap is the real
 * one; engines of containers are a script that writes down what it was asked for, and starts the program right here
 * (`scripts/soak-containers.ts` has real ones).
 */
import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, chunk, say, text } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const shell = (command: string) => tool("run_shell_command", { command })

const HANGING = answer([chunk(text("wait"))], { ending: "hang" })

describe("bwrap around the whole run", () => {
  const env = { GEMINI_SANDBOX: "bwrap-process" }

  test("changes the workspace and nothing else, and its session is there afterwards", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", "{}\n")
    await place.write("home/.gemini/mcp-oauth-tokens.json", "MARKER-TOKEN")
    await place.write("home/.ssh/id_rsa", "MARKER-KEY")
    const { answers, events, result } = await callTools(
      place,
      inTurns(
        shell("echo hello >made.txt && cat made.txt"),
        shell(`echo x >${place.root}/outside.txt; cat ~/.ssh/id_rsa ~/.gemini/mcp*`),
        shell("echo '{}' >~/.gemini/settings.json"),
        shell("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c test-key"),
        shell("echo $SANDBOX; exit 3")
      ),
      { args: ["--yolo"], env }
    )
    expect(result.exitCode).toBe(0)
    expect(await place.read("work/made.txt")).toBe("hello\n")
    expect(existsSync(join(place.root, "outside.txt"))).toBe(false)
    expect(JSON.stringify(answers)).not.toContain("MARKER-")
    expect(answers[2]?.output).toContain("Read-only file system")
    expect(answers[3]?.output).toContain("Output: 0")
    expect(answers[4]?.output).toMatch(/Output: bwrap-process\nExit Code: 3/)
    expect(events[0]).toMatchObject({
      sandbox: { backend: "bwrap-process", isWhole: true, network: "on", writable: [place.cwd] }
    })
    expect(result.stderr).toContain("[INFO] this runs in a sandbox: bwrap-process, network on")
    expect(readdirSync(join(place.home, ".gemini/tmp/work/chats"))).toHaveLength(1)
    expect(readdirSync(join(place.root, "tmp")).filter((name) => name.startsWith("gemini-inside"))).toEqual([])
  })

  test("piped input goes in, and the document comes out", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([say("fine")])
    const run = await place.run(["-p", "what", "-o", "json"], { server, env, stdin: { pipe: "PIPED" } })
    expect(documentOf(run)).toMatchObject({ response: "fine", sandbox: { backend: "bwrap-process" } })
    expect(JSON.stringify(server.requests)).toContain("PIPED")
  })

  test("where the network is forbidden, the model is reached and nothing else", async () => {
    await using place = await newWorkspace()
    const sandbox = { enabled: true, command: "bwrap-process", networkAccess: false }
    await place.write("home/.gemini/settings.json", JSON.stringify({ tools: { sandbox } }))
    const { answers, events } = await callTools(place, inTurns(shell("grep -c : /proc/net/dev")), {
      args: ["--yolo"],
      start: (args, options) => {
        const url = options.server?.url.replace("127.0.0.1", "localhost") ?? ""
        return place.run(args, { ...options, env: { ...options.env, GOOGLE_GEMINI_BASE_URL: url } })
      }
    })
    expect(answers[0]?.output).toContain("Output: 1\n")
    expect(events[0]).toMatchObject({
      sandbox: { network: "domains", domains: [expect.stringContaining("localhost:")] }
    })
  })

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const)("%s is answered by the program inside", async (signal, exitCode) => {
    await using place = await newWorkspace()
    await using server = await startModelServer([HANGING])
    const run = place.start(["-p", "x", "-o", "stream-json"], { server, env })
    await server.received(1)
    run.kill(signal)
    const end = await run.result
    expect(end.exitCode).toBe(exitCode)
    expect(eventsOf(end).at(-1)).toMatchObject({ type: "result", completion_reason: "cancelled" })
  })

  test("a file that would be lost with the sandbox is refused at once", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([])
    const run = await place.run(["-p", "x", "--last-message-file", join(place.root, "answer.txt")], { server, env })
    expect(run).toMatchObject({ exitCode: 44, stdout: "" })
    expect(run.stderr).toContain("--last-message-file")
    expect(server.requests).toHaveLength(0)
  })

  test("without credentials nothing is started", async () => {
    await using place = await newWorkspace()
    expect(await place.run(["-p", "x"], { env })).toMatchObject({ exitCode: 41, stdout: "" })
  })
})

/** Knows one image, and runs what it is given on this machine, with the folders that are mounted elsewhere put in place. */
const ENGINE = `#!/bin/bash
printf '%s\\0' "$@" >>"$CONTAINERS_LOG/$(date +%s%N)-$1"
tr '\\0' '\\n' </proc/$$/environ >>"$CONTAINERS_LOG/environment"
case "$1" in
  info) [ ! -e "$CONTAINERS_LOG/../dead" ] || { echo "cannot connect" >&2; exit 125; }
    # As podman answers, also where it is called docker: it refuses names of fields that it does not have.
    [ "$3" = "{{json .}}" ] || { echo "template: can't evaluate field" >&2; exit 125; }
    echo '{ "host": { "security": { "rootless": false } } }'; exit ;;
  image) [ "$3" = known:1 ] || [ -e "$CONTAINERS_LOG/../built" ]; exit ;;
  pull) echo "pulling $2"; [ "$2" = debian:stable-slim ]; exit ;;
  build) echo "building"; touch "$CONTAINERS_LOG/../built"; exit ;;
  run) ;;
  *) exit 0 ;;
esac
[ ! -e "$CONTAINERS_LOG/../broken" ] || { echo "no such runtime" >&2; exit 125; }
temp= self=
while [ $# -gt 0 ]; do
  case "$1" in
    --mount) case "$2" in
      *,target=/tmp) temp=\${2#*source=}; temp=\${temp%%,*} ;;
      *,target=/usr/local/bin/gemini,*) self=\${2#*source=}; self=\${self%%,*} ;;
    esac ;;
    --entrypoint) shift 3; break ;;
  esac
  shift
done
args=()
for word in "$@"; do
  case "$word" in
    /tmp/.gemini-session*) args+=("$temp\${word#/tmp}") ;;
    /usr/local/bin/gemini) args+=("$self") ;;
    *) args+=("$word") ;;
  esac
done
exec "\${args[@]}"
`

const withEngine = async (name: string) => {
  const place = await newWorkspace()
  await place.write(`bin/${name}`, ENGINE)
  await chmod(join(place.root, "bin", name), 0o755)
  await place.write("log/environment", "")
  const env = {
    PATH: `${join(place.root, "bin")}:${process.env.PATH ?? ""}`,
    CONTAINERS_LOG: join(place.root, "log"),
    CONTAINERS_CONF: "kept",
    GEMINI_SANDBOX: name,
    GEMINI_SANDBOX_IMAGE: "known:1",
    SANDBOX_SET_UID_GID: "true"
  }
  return { place, env, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

/** What the engine was asked for, one list of words after the other. */
const asked = async (place: Workspace): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
  Promise.all(
    readdirSync(join(place.root, "log"))
      .filter((name) => name !== "environment")
      .toSorted()
      .map(async (name) => (await place.read(`log/${name}`)).split("\0").slice(0, -1))
  )

const runOf = async (place: Workspace) => (await asked(place)).find(([word]) => word === "run") ?? []

const after = (words: ReadonlyArray<string>, option: string): ReadonlyArray<string> =>
  words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ""] : []))

describe("a container", () => {
  test("is asked for with nothing secret among the words, and few rights", async () => {
    await using setting = await withEngine("podman")
    const { env, place } = setting
    await place.write("home/.gemini/settings.json", "{}\n")
    await place.write("work/.gemini/settings.json", "{}\n")
    await place.write("more,folder/file", "x")
    await using server = await startModelServer([say("fine")])
    const run = await place.run(["-p", "x", "-o", "json"], {
      server,
      env: {
        ...env,
        SANDBOX_FLAGS: `--memory 2g "--label=a b" --env 'C=$HOME' --env D=$CONTAINERS_CONF`,
        SANDBOX_MOUNTS: `${place.root}/bin:/opt/more:rw`,
        SANDBOX_ENV: "GIVEN=secret-given",
        SANDBOX_PORTS: "3000,3001"
      }
    })
    expect(documentOf(run)).toMatchObject({ response: "fine", sandbox: { backend: "podman" } })
    const words = await runOf(place)
    const text = JSON.stringify(words)
    expect(text).not.toContain("test-key")
    expect(text).not.toContain("secret-given")
    expect(await place.read("log/environment")).not.toContain("test-key")
    expect(words.slice(0, 4)).toEqual(["run", "-i", "--rm", "--init"])
    expect(words.slice(4, 11)).toEqual(["--memory", "2g", "--label=a b", "--env", "C=$HOME", "--env", "D=kept"])
    expect(words).toContain("--cap-drop=ALL")
    expect(words).toContain("--security-opt=no-new-privileges")
    expect(after(words, "--workdir")).toEqual([place.cwd])
    expect(after(words, "--user")).toEqual([`${process.getuid?.()}:${process.getgid?.()}`])
    expect(after(words, "--publish")).toEqual(["3000:3000", "3001:3001"])
    expect(after(words, "--name")[0]).toMatch(/^known-[0-9a-f]{12}$/)
    const mounts = after(words, "--mount")
    const of = (target: string) =>
      mounts.find((mount) => mount.includes(`target=${target}`) && !mount.includes(`target=${target}/`))
    expect(of(place.cwd)).toBe(`type=bind,source=${place.cwd},target=${place.cwd}`)
    expect(of(`${place.cwd}/.gemini`)).toEndWith(",readonly")
    expect(of(`${place.home}/.gemini/settings.json`)).toEndWith(",readonly")
    expect(of(`${place.home}/.gemini/tmp/work`)).not.toContain("readonly")
    expect(of(`${place.home}/.gemini`)).not.toContain(`source=${place.home}`)
    expect(of("/opt/more")).toBe(`type=bind,source=${place.root}/bin,target=/opt/more`)
    expect(readdirSync(join(place.home, ".gemini/tmp/work/chats"))).toHaveLength(1)
  })

  const refusals: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    ["a mount of what is not there", { SANDBOX_MOUNTS: "/nowhere-at-all" }, "/nowhere-at-all does not exist"],
    ["a mount of a relative path", { SANDBOX_MOUNTS: "here:/there" }, "here is not an absolute path"],
    ["a variable without a value", { SANDBOX_ENV: "ALONE" }, 'SANDBOX_ENV: "ALONE" is not NAME=value'],
    ["a port that is none", { SANDBOX_PORTS: "99999" }, '"99999" is not a port'],
    ["a quote that stays open", { SANDBOX_FLAGS: "--label 'a" }, "is not closed"],
    ["an image that is an option", { GEMINI_SANDBOX_IMAGE: "--privileged" }, "is not the name of an image"],
    ["an image that nobody has", { GEMINI_SANDBOX_IMAGE: "unknown:2" }, "unknown:2 could not be fetched"],
    ["an image that no registry has", { GEMINI_SANDBOX_IMAGE: "gemini-cli-sandbox:1" }, "no registry has it"],
    ["a build without a file", { BUILD_SANDBOX: "1" }, "there is no"],
    ["a wish that cannot be read", { SANDBOX_SET_UID_GID: "maybe" }, "SANDBOX_SET_UID_GID"]
  ]
  test.each(refusals)("%s ends the run before it begins", async (_, more, said) => {
    await using setting = await withEngine("docker")
    await using server = await startModelServer([])
    const run = await setting.place.run(["-p", "x", "-o", "json"], { server, env: { ...setting.env, ...more } })
    expect(run.exitCode).toBe(44)
    expect(documentOf(run)).toMatchObject({
      error: { type: "FatalSandboxError", message: expect.stringContaining(said) }
    })
    expect(server.requests).toHaveLength(0)
  })

  test("a file of the project builds the image, once for each content", async () => {
    await using setting = await withEngine("docker")
    const { place } = setting
    await place.write("work/.gemini/sandbox.Dockerfile", "FROM debian\n")
    await using server = await startModelServer([say("fine"), say("fine")])
    const env = { ...setting.env, BUILD_SANDBOX: "1" }
    for (let round = 0; round < 2; round += 1) {
      expect(await place.run(["-p", "x"], { server, env })).toMatchObject({ stdout: "fine\n", exitCode: 0 })
    }
    const builds = (await asked(place)).filter(([word]) => word === "build")
    expect(builds).toHaveLength(1)
    expect(builds[0]).toEqual([
      "build",
      "-f",
      `${place.cwd}/.gemini/sandbox.Dockerfile`,
      "-t",
      expect.stringMatching(/^gemini-cli-sandbox:[0-9a-f]{12}$/),
      `${place.cwd}/.gemini`
    ])
  })

  test("an engine that fails says so, and nothing runs outside", async () => {
    await using setting = await withEngine("docker")
    await setting.place.write("broken", "")
    await using server = await startModelServer([])
    const run = await setting.place.run(["-p", "x", "-o", "json"], { server, env: setting.env })
    expect(run.exitCode).toBe(44)
    expect(documentOf(run)).toMatchObject({ error: { type: "FatalSandboxError" } })
    expect(run.stderr).toContain("no such runtime")
    expect(server.requests).toHaveLength(0)
  })

  test("a client whose service does not answer is no sandbox", async () => {
    await using setting = await withEngine("docker")
    await setting.place.write("dead", "")
    const run = await setting.place.run(["-p", "x"], { env: setting.env })
    expect(run).toMatchObject({ exitCode: 44, stdout: "" })
    expect(run.stderr).toContain("docker does not answer: cannot connect")
  })

  test("another user inside has the home folder of the image", async () => {
    await using setting = await withEngine("docker")
    await using server = await startModelServer([say("fine")])
    const env = { ...setting.env, SANDBOX_SET_UID_GID: "0" }
    await setting.place.run(["-p", "x"], { server, env })
    const words = await runOf(setting.place)
    expect(after(words, "--user")).toEqual([])
    expect(after(words, "--mount").some((mount) => mount.endsWith("target=/home/node/.gemini"))).toBe(true)
    expect(words).toContain("host.docker.internal:host-gateway")
  })
})
