/**
 * The agent's credentials stay with the agent: no program that it starts gets them, and nobody reads them from what the
 * system shows of the agent's own process. Every kind of child is a spy here, which writes down what it was given and what
 * it can read of its parent.
 */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { chmod, mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { scriptedServer } from "./kit/mcp-script.ts"
import { startModelServer } from "./kit/model-server.ts"
import { asNobody, testWith } from "./kit/needs.ts"
import { untilHolds } from "./kit/processes.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"
import { callTools, inTurns, type ToolRunOptions, tool } from "./kit/tool-run.ts"

const SECRET = "hunter2-0123456789"

/** All that the agent uses to sign in, in any spelling of case, and a mark by which its block is recognised. */
const CREDENTIALS = {
  GEMINI_API_KEY: `${SECRET}-gemini`,
  GOOGLE_API_KEY: `${SECRET}-google`,
  GOOGLE_CLOUD_ACCESS_TOKEN: `${SECRET}-access`,
  GEMINI_OAUTH_CLIENT_SECRET: `${SECRET}-oauth`,
  GEMINI_CLI_CUSTOM_HEADERS: `X-Mine: ${SECRET}-header`,
  GEMINI_CLI_IDE_AUTH_TOKEN: `${SECRET}-ide`,
  GEMINI_CACHE_KEY: `${SECRET}-cache`,
  HARMLESS_MARK: "visible-in-the-block"
}

/** Secrets of the user's own: their programs may have them, but they are not to be read from our process. */
const USERS = { GITHUB_TOKEN: "users-own-0123456789", HTTPS_PROXY: "http://me:users-own-pass@127.0.0.1:1" }

/** Lines of a script that write down what it sees, under the name of its kind. Its parent is the agent. */
const spying = (place: Workspace, kind: string): string => {
  const file = join(place.root, "seen", kind)
  return `{ env; tr '\\0' '\\n' </proc/$$/cmdline; } >>'${file}.given'; { cat /proc/$PPID/environ /proc/$PPID/cmdline; echo; } >>'${file}.parent'`
}

const spy = async (place: Workspace, path: string, kind: string, then = ""): Promise<string> => {
  const file = await place.write(path, `#!/bin/sh\n${spying(place, kind)}\n${then}\n`)
  await chmod(file, 0o755)
  return file
}

const bin = (place: Workspace) => ({ PATH: `${join(place.root, "bin")}:${process.env.PATH}` })

const spied = async (place: Workspace) => {
  const folder = join(place.root, "seen")
  const names = (await readdir(folder)).toSorted()
  const read = (name: string) => readFile(join(folder, name), "latin1")
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)))
}

/** Nothing of a credential anywhere, and the look at the parent was a real one. */
const expectNothing = (seen: Readonly<Record<string, string>>, kinds: ReadonlyArray<string>) => {
  expect(Object.keys(seen)).toEqual(kinds.flatMap((kind) => [`${kind}.given`, `${kind}.parent`]).toSorted())
  const leaks = Object.entries(seen).filter(([, text]) => text.includes(SECRET))
  expect(leaks.map(([name, text]) => [name, text.match(/[^\0\n]*hunter2[^\0\n]*/)?.[0]])).toEqual([])
  for (const kind of kinds) {
    expect(seen[`${kind}.parent`]).toContain("HARMLESS_MARK=visible-in-the-block")
    expect(seen[`${kind}.parent`]).not.toContain("users-own")
  }
}

test("programs of a run: shell, hooks, git, servers, discovery, checkers", async () => {
  await using place = await newWorkspace()
  await mkdir(join(place.root, "seen"))
  await spy(place, "bin/git", "git", 'PATH=/usr/bin:/bin exec git "$@"')
  await spy(place, "home/.gemini/checkers/careful", "checker", `echo '{"decision":"allow"}'`)
  const hook = await spy(place, "home/hook", "hook", "cat >/dev/null")
  const server = await spy(place, "home/server", "server", `exec "$@"`)
  const listing = JSON.stringify([{ name: "found", description: "Was found.", parameters: { type: "OBJECT" } }])
  const discover = await spy(place, "home/discover", "discovery", `echo '${listing}'`)
  const run = await spy(place, "home/call", "discovered", "echo called")
  const policy = await place.write(
    "elsewhere/checkers.toml",
    '[[safety_checker]]\ntoolName = "write_file"\nchecker = { type = "external", name = "careful" }\n'
  )
  const { args, command, ...rest } = scriptedServer({ tools: [] })
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({
      general: { checkpointing: { enabled: true } },
      tools: { discoveryCommand: discover, callCommand: run },
      mcpServers: { one: { ...rest, command: server, args: [command, ...args] } },
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: hook }] }] }
    })
  )
  const { result } = await callTools(
    place,
    inTurns(
      tool("run_shell_command", { command: spying(place, "shell") }),
      tool("run_shell_command", {
        command: `${spying(place, "background")}; touch looked; sleep 60`,
        is_background: true
      }),
      tool("run_shell_command", { command: "until [ -e looked ]; do sleep 0.02; done" }),
      tool("write_file", { file_path: "made.txt", content: "x" }),
      tool("discovered_tool_found", {})
    ),
    { args: ["--yolo", "--policy", policy], env: { ...CREDENTIALS, ...USERS, ...bin(place), NO_PROXY: "127.0.0.1" } }
  )
  expect(result).toMatchObject({ exitCode: 0 })
  const seen = await spied(place)
  expectNothing(seen, ["background", "checker", "discovered", "discovery", "git", "hook", "server", "shell"])
  for (const kind of ["server", "discovery", "discovered"]) expect(seen[`${kind}.given`]).not.toContain("users-own")
  for (const kind of ["shell", "hook"]) expect(seen[`${kind}.given`]).toContain("GITHUB_TOKEN=users-own")
})

test("a server gets what its own env names, and the settings can let a credential through to the shell", async () => {
  await using place = await newWorkspace()
  await mkdir(join(place.root, "seen"))
  const server = await spy(place, "home/server", "server", `exec "$@"`)
  const { args, command, ...rest } = scriptedServer({ tools: [] })
  const env = { MY_KEY: "$GEMINI_API_KEY", PLAIN: "$HOME/x" }
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({
      mcpServers: { one: { ...rest, command: server, args: [command, ...args], env } },
      security: { environmentVariableRedaction: { allowed: ["GEMINI_API_KEY"] } }
    })
  )
  await callTools(place, inTurns(tool("run_shell_command", { command: spying(place, "shell") })), {
    args: ["--yolo"],
    env: CREDENTIALS
  })
  const seen = await spied(place)
  expect(seen["server.given"]).toContain(`MY_KEY=${SECRET}-gemini\n`)
  expect(seen["server.given"]).toContain(`PLAIN=${place.home}/x\n`)
  expect(seen["shell.given"]).toContain(`GEMINI_API_KEY=${SECRET}-gemini\n`)
  expect(seen["shell.given"]).not.toContain("-google")
  expect(seen["server.parent"]).not.toContain(SECRET)
})

test("programs of a person at the terminal: editor, clipboard, browser", async () => {
  await using place = await newWorkspace()
  await mkdir(join(place.root, "seen"))
  const editor = await spy(place, "bin/editor", "editor", 'echo edited > "$1"')
  await spy(place, "bin/xclip", "clipboard", "cat >/dev/null")
  await spy(place, "bin/xdg-open", "browser")
  await using server = await startModelServer(() => say("an answer."))
  const session = startInTerminal(place, ["-m", "gemini-2.5-flash"], {
    server,
    env: { ...CREDENTIALS, ...USERS, ...bin(place), DISPLAY: ":0", EDITOR: editor, NO_PROXY: "127.0.0.1" }
  })
  await session.shows("Type your message or @path/to/file")
  session.type("\u0018\u0005")
  await session.shows("edited")
  session.type("\r")
  await session.shows("an answer.")
  session.type("/copy\r")
  await session.showsNext("opied")
  session.type("/docs\r")
  await session.showsNext("https://")
  // Nobody waits for a browser: it looks at its parent while that is still there.
  await untilHolds(join(place.root, "seen", "browser.parent"), "\n")
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  expectNothing(await spied(place), ["browser", "clipboard", "editor"])
})

test("somebody outside sees none while the run waits for the model, whatever kind of run it is", async () => {
  await using place = await newWorkspace()
  for (const args of [
    ["-p", "hi"],
    ["-p", "hi", "-o", "json"],
    ["--bare", "-p", "hi"]
  ]) {
    const waiting = Promise.withResolvers<void>()
    await using server = await startModelServer(() => ({ ...say("done"), endsAfter: waiting.promise }))
    const run = place.start(args, { server, env: { ...CREDENTIALS, ...USERS, NO_PROXY: "127.0.0.1" } })
    await server.received(1)
    const block = readFileSync(`/proc/${run.pid}/environ`, "latin1")
    expect(block).toContain("HARMLESS_MARK=visible-in-the-block")
    expect(block).not.toMatch(/hunter2|users-own/)
    expect(readFileSync(`/proc/${run.pid}/cmdline`, "latin1")).not.toContain(SECRET)
    waiting.resolve()
    expect(await run.result).toMatchObject({ exitCode: 0 })
    // It could still sign in.
    expect(server.generations[0]?.headers["x-goog-api-key"]).toBe(CREDENTIALS.GEMINI_API_KEY)
    expect(server.generations[0]?.headers["x-mine"]).toBe(`${SECRET}-header`)
  }
})

testWith(...asNobody)("nor does a command of a run that has no special rights", async () => {
  await using place = await newWorkspace()
  const start: ToolRunOptions["start"] = (args, options) =>
    place.shell(
      place.unprivileged(`chmod -R a+rwX "$HOME" "$TMPDIR" "${place.cwd}"`, `exec "$GEMINI" ${args.join(" ")}`),
      options
    )
  const command = "cat /proc/$PPID/environ /proc/self/environ | tr '\\0' '\\n'"
  const { answers } = await callTools(place, inTurns(tool("run_shell_command", { command })), {
    args: ["--yolo"],
    env: CREDENTIALS,
    start
  })
  expect(answers[0]?.output).toContain("HARMLESS_MARK=visible-in-the-block")
  expect(answers[0]?.output).not.toMatch(/hunter2|REDACTED/)
})

/** Where a person keeps them in settings and variables: none of these is a question that is answered by its value. */
test("no list and no explanation shows a credential", async () => {
  await using place = await newWorkspace()
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({
      mcpServers: {
        one: { command: "true", args: ["--api-key", SECRET, `--token=${SECRET}`], env: { MY_TOKEN: SECRET } },
        two: { httpUrl: `http://me:${SECRET}@127.0.0.1:1/mcp?key=${SECRET}`, headers: { "X-Mine": SECRET } },
        three: { url: "http://127.0.0.1:1/sse", oauth: { enabled: true, clientId: "me", clientSecret: SECRET } }
      },
      hooks: {
        BeforeTool: [
          {
            matcher: "none",
            hooks: [
              { type: "command", command: `true -H 'Authorization: Bearer ${SECRET}'`, env: { HOOK_TOKEN: SECRET } },
              { type: "command", command: `true --password ${SECRET}`, name: "named" }
            ]
          }
        ]
      },
      security: { auth: { apiKey: SECRET } },
      telemetry: { otlpEndpoint: `http://me:${SECRET}@127.0.0.1:1` },
      tools: { discoveryCommand: `true --secret ${SECRET}` }
    })
  )
  const env = { ...CREDENTIALS, HTTPS_PROXY: `http://me:${SECRET}@127.0.0.1:1` }
  const lists = [
    ...["config list", "config list --all --json", "config explain mcpServers", "config get mcpServers --json"],
    ...["config get mcpServers", "config explain hooks.BeforeTool", "config explain security.auth.apiKey"],
    ...["config explain telemetry --json", "config validate --json", "mcp list", "mcp list --json", "mcp test one"],
    ...[
      "hooks list",
      "hooks list --json",
      "auth status",
      "doctor",
      "tools list",
      "sandbox check",
      "policy list --json"
    ],
    ...["-p /settings", "-p /mcp", "-p /hooks", "-p /about", "-p /tools"]
  ]
  const leaks: Array<string> = []
  for (const words of lists) {
    const { stderr, stdout } = await place.run(words.split(" "), { env })
    expect([words, stdout + stderr]).not.toEqual([words, ""])
    if ((stdout + stderr).includes(SECRET)) leaks.push(words)
  }
  expect(leaks).toEqual([])
  const named = await place.run(["config", "get", "mcpServers.one.env.MY_TOKEN"], { env })
  expect(named.stdout).toBe(`${SECRET}\n`)
}, 60_000)
