/** `gemini doctor`: every thing that a run depends on, one at a time broken. */
import { expect, test } from "bun:test"
import { chmod, rm } from "node:fs/promises"
import { startModelServer } from "./kit/model-server.ts"
import { newWorkspace, type RunOptions, type Workspace } from "./kit/run-gemini.ts"

interface Examined {
  readonly ok: boolean
  readonly checks: ReadonlyArray<{
    readonly group: string
    readonly check: string
    readonly status: "ok" | "warning" | "fault"
    readonly detail: string
    readonly advice?: string
  }>
}

const KEY = "AIza-this-must-not-show"

const examine = async (place: Workspace, { env, ...options }: RunOptions = {}, args: ReadonlyArray<string> = []) => {
  const result = await place.run(["doctor", "--json", ...args], { ...options, env: { GEMINI_API_KEY: KEY, ...env } })
  expect(`${result.stdout}${result.stderr}`).not.toContain(KEY)
  const told = JSON.parse(result.stdout) as Examined
  expect(result.exitCode).toBe(told.ok ? 0 : 1)
  expect(told.ok).toBe(told.checks.every(({ status }) => status !== "fault"))
  for (const { advice, status } of told.checks) expect(advice !== undefined).toBe(status !== "ok")
  return told
}

test("a machine that is in order: everything is looked at, nothing is sent, the exit code is 0", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  const { checks, ok } = await examine(place, { server, env: { HTTPS_PROXY: `http://me:${KEY}@proxy.example:3128` } })
  expect(ok).toBe(true)
  expect([...new Set(checks.map(({ group }) => group))]).toEqual([
    "Program",
    "Machine",
    "Home",
    "Terminal",
    "Programs",
    "Settings",
    "Account",
    "Network",
    "Telemetry",
    "Sandbox",
    "MCP servers",
    "Extensions",
    "Hooks",
    "Sessions"
  ])
  expect(checks.find(({ check }) => check === "proxy")?.detail).toBe("HTTPS_PROXY: proxy.example:3128")
  expect(server.requests).toHaveLength(0)
  const text = await place.run(["doctor"], { env: { GEMINI_API_KEY: KEY } })
  expect(text.stdout).toMatch(/^Program\n {2}ok {7}version: \d/)
})

test("--online asks for the model, once, and compares clocks", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{"model":{"name":"gemini-2.5-flash"}}')
  const { checks } = await examine(place, { server }, ["--online"])
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v1beta/models/gemini-2.5-flash"
  ])
  expect(checks.filter(({ check }) => check === "service" || check === "clock skew")).toMatchObject([
    { status: "ok" },
    { status: "ok" }
  ])
  const away = await examine(place, { server: { url: "http://127.0.0.1:1" } }, ["--online"])
  expect(away.checks.find(({ check }) => check === "service")?.status).toBe("fault")
})

test("what is broken is named with what to do, and hides nothing else", async () => {
  await using place = await newWorkspace()
  const rows: ReadonlyArray<
    readonly [status: "fault" | "warning", check: string, said: string, env: Record<string, string>, settings: string]
  > = [
    ["fault", "sign-in", "no authentication is configured", { GEMINI_API_KEY: "" }, "{}"],
    ["fault", "settings", "settings.json:1", {}, '{"model":{"name":}'],
    ["warning", "settings", "modle", {}, '{"modle":{"name":"x"}}'],
    ["fault", "proxy", "HTTPS_PROXY", { HTTPS_PROXY: "http://[" }, "{}"],
    ["fault", "certificates", "/nowhere.pem", { NODE_EXTRA_CA_CERTS: "/nowhere.pem" }, "{}"],
    ["fault", "budget", "does not exist", { GEMINI_BUDGET: "none.json" }, "{}"],
    ["fault", "asked for", "lxc", { GEMINI_SANDBOX: "lxc" }, "{}"],
    ["warning", "editor", "no-such-editor", { EDITOR: "no-such-editor -w" }, "{}"],
    ["warning", "locale", "not UTF-8", { LC_ALL: "POSIX" }, "{}"],
    ["warning", "docs", "docs", {}, '{"mcpServers":{"docs":{"command":"no-such-server"}}}'],
    [
      "warning",
      "hooks",
      "no-such-hook is not there",
      {},
      '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"no-such-hook --x"}]}]}}'
    ],
    ["warning", "telemetry", "cannot be written", {}, '{"telemetry":{"enabled":true,"outfile":"/nowhere/x.log"}}']
  ]
  for (const [status, check, said, env, settings] of rows) {
    await place.write("home/.gemini/settings.json", settings)
    const { checks } = await examine(place, { env })
    const found = checks.filter((one) => one.check === check && one.status === status)
    expect([check, found.map(({ detail }) => detail).join("\n")]).toEqual([check, expect.stringContaining(said)])
    expect(checks.length).toBeGreaterThan(25)
  }
})

test("a home that cannot be used, and a folder that is open to others", async () => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", "{}")
  await chmod(`${place.home}/.gemini`, 0o755)
  const open = await examine(place)
  expect(open.checks.find(({ check }) => check === "home")).toMatchObject({ status: "warning" })
  await rm(`${place.home}/.gemini`, { recursive: true })
  await place.write("home/.gemini", "a file")
  const file = await examine(place)
  expect(file.checks.find(({ check }) => check === "home")).toMatchObject({
    status: "fault",
    detail: `${place.home}/.gemini is no folder`
  })
})

test("servers that hang do not hold it, and those of the network are not asked", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  const mcpServers = { hangs: { command: "sleep", args: ["600"] }, far: { httpUrl: `${server.url}/mcp` } }
  await place.write("home/.gemini/settings.json", JSON.stringify({ mcpServers }))
  const { checks } = await examine(place)
  expect(checks.find(({ check }) => check === "hangs")?.status).toBe("warning")
  expect(checks.find(({ check }) => check === "far")?.detail).toContain("--online")
  expect(server.requests).toHaveLength(0)
})
