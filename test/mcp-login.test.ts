/** A server behind a login: what a run says, the login in a browser, and what it is worth afterwards. */
import { expect, test } from "bun:test"
import { chmod } from "node:fs/promises"
import { startModelServer } from "./kit/model-server.ts"
import { startOAuthServer } from "./kit/oauth-server.ts"
import { startEverything } from "./kit/reference-servers.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

/** A browser that follows the page to its end, as a person who agrees would. */
const BROWSER = '#!/bin/sh\nexec node -e "fetch(process.argv[1])" "$1"\n'

test("a server that wants a login is logged in to, called, and logged out of", async () => {
  await using place = await newWorkspace()
  await using everything = await startEverything("streamableHttp")
  using oauth = startOAuthServer({ protects: `http://127.0.0.1:${everything.port}/mcp` })
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({ mcpServers: { far: { url: `${oauth.url}/mcp`, type: "http", trust: true } } })
  )
  const before = await callTools(place, [])
  expect(before.result.exitCode).toBe(0)
  expect(before.result.stderr).toContain('MCP server "far" wants a login. Run "gemini mcp login far"')

  await chmod(await place.write("bin/xdg-open", BROWSER), 0o755)
  const login = await place.run(["mcp", "login", "far"], {
    env: { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
  })
  expect(login).toMatchObject({ exitCode: 0, stdout: 'Logged in to the MCP server "far".\n' })
  expect(login.stderr).toContain(`${oauth.url}/authorize?`)

  const after = await callTools(place, inTurns(tool("mcp_far_echo", { message: "hello" })))
  expect(after.answers).toMatchObject([{ status: "success" }])
  expect(after.result.stdout).not.toContain("token-1")

  const logout = await place.run(["mcp", "logout", "far"])
  expect(logout).toMatchObject({ exitCode: 0, stdout: 'Logged out of the MCP server "far".\n' })
  expect((await place.run(["mcp", "logout", "far"])).exitCode).toBe(1)
  expect((await callTools(place, [])).result.stderr).toContain("wants a login")
})

/** A page that the person has open beside, which tries every port it can think of; then the person agrees. */
const STRANGE_PAGE = `#!/bin/sh
exec node -e '
const back = new URL(new URL(process.argv[1]).searchParams.get("redirect_uri"))
const state = new URL(process.argv[1]).searchParams.get("state")
const at = (query) => back.href + "?" + new URLSearchParams(query)
const tries = [
  [at({ error: "access_denied", error_description: "gone" })],
  [at({ code: "stolen", state: "guess" })],
  [at({ code: "stolen", state }), { method: "POST" }],
  [at({ code: "stolen", state }), { headers: { origin: "https://evil.example" } }],
  [back.origin + "/?" + new URLSearchParams({ code: "stolen", state })]
]
const run = async () => {
  const seen = []
  for (const [url, init] of tries) seen.push((await fetch(url, init)).status)
  require("node:fs").writeFileSync(process.env.HOME + "/seen", JSON.stringify(seen))
  await fetch(process.argv[1])
}
run()' "$1"
`

test("a strange page cannot end a login, nor take part in it", async () => {
  await using place = await newWorkspace()
  using oauth = startOAuthServer({ protects: "http://127.0.0.1:9/mcp" })
  const settings = { mcpServers: { far: { url: `${oauth.url}/mcp`, type: "http" } } }
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  await chmod(await place.write("bin/xdg-open", STRANGE_PAGE), 0o755)
  const login = await place.run(["mcp", "login", "far"], {
    env: { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
  })
  expect(login).toMatchObject({ exitCode: 0, stdout: 'Logged in to the MCP server "far".\n' })
  expect(login.stderr).toContain("An answer that does not belong to this login was refused")
  expect(login.stderr).not.toContain("gone")
  expect(JSON.parse(await place.read("home/seen"))).toEqual([400, 400, 405, 403, 404])
  expect(oauth.tokenRequests.map(({ code }) => code)).toEqual(["code-1"])
})

test("a server cannot have the browser open a file", async () => {
  await using place = await newWorkspace()
  using oauth = startOAuthServer({ describes: { authorization_endpoint: "file:///etc/passwd" } })
  const settings = { mcpServers: { far: { url: `${oauth.url}/mcp`, type: "http" } } }
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  await chmod(await place.write("bin/xdg-open", `#!/bin/sh\ntouch "$HOME/opened"\n`), 0o755)
  const login = await place.run(["mcp", "login", "far"], {
    env: { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
  })
  expect(login.exitCode).toBe(1)
  expect(login.stderr).toContain("describes a login at file:///etc/passwd")
  expect(await Bun.file(`${place.home}/opened`).exists()).toBe(false)
})

test("a login that was taken back is renewed on the way", async () => {
  await using place = await newWorkspace()
  await using everything = await startEverything("streamableHttp")
  using oauth = startOAuthServer({ protects: `http://127.0.0.1:${everything.port}/mcp` })
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({ mcpServers: { far: { url: `${oauth.url}/mcp`, type: "http", trust: true } } })
  )
  await chmod(await place.write("bin/xdg-open", BROWSER), 0o755)
  await place.run(["mcp", "login", "far"], { env: { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` } })
  oauth.revoke()
  const { answers } = await callTools(place, inTurns(tool("mcp_far_echo", { message: "again" })))
  expect(answers).toMatchObject([{ status: "success" }])
  expect(oauth.tokenRequests.at(-1)).toMatchObject({ grant_type: "refresh_token" })
})

test("/mcp auth logs in from a conversation, and the server is there at once", async () => {
  await using place = await newWorkspace()
  await using model = await startModelServer([])
  await using everything = await startEverything("streamableHttp")
  using oauth = startOAuthServer({ protects: `http://127.0.0.1:${everything.port}/mcp` })
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({ mcpServers: { far: { url: `${oauth.url}/mcp`, type: "http" } } })
  )
  await chmod(await place.write("bin/xdg-open", BROWSER), 0o755)
  const session = startInTerminal(place, [], {
    server: model,
    columns: 200,
    env: { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
  })
  await session.shows("Type your message")
  await session.shows('MCP server "far" wants a login')
  session.type("/mcp auth\r")
  await session.shows("Servers with a login: far")
  session.type("/mcp auth far\r")
  await session.shows("(http) - Connected")
  expect(session.plain()).toContain(`${oauth.url}/authorize?`)
  expect(session.plain()).not.toContain("token-1")
  session.type("/quit\r")
  expect(await session.exitCode).toBe(0)
  expect(model.generations).toEqual([])
})
