/**
 * Secrets stay: credentials of every kind are put before the model's tools, into prompts and answers, and then searched
 * in every byte that the program wrote.
 */
import { describe, expect, test } from "bun:test"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { type Google, type GoogleRequest, refusal, startGoogle, status } from "./kit/google.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const CANARIES = {
  GEMINI_API_KEY: "canary-gemini-key-0001",
  GITHUB_TOKEN: "canary-github-token-0002",
  DB_PASSWORD: 'canary "quoted"\\password-0003',
  DEPLOY_PRIVATE_KEY: "-----BEGIN PRIVATE KEY-----\ncanary-line-0004\n-----END PRIVATE KEY-----"
}
const DOTENV = "canary-dotenv-secret-0005"
const STORED = "canary-refresh-token-0006"
const ALL = [...Object.values(CANARIES), DOTENV, STORED]

/** Where the person put them; there they may stay. */
const OWN = ["work/.env", "work/notes.txt", "home/.gemini/oauth_creds.json"]

/** Relative to the root: everything under the home folder and in the project. */
const filesOf = async (place: Workspace) =>
  (await readdir(place.root, { recursive: true, withFileTypes: true }))
    .filter((found) => found.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.root.length + 1))

/** Files that hold a credential in any form: as it is, in JSON, or the part of it that is unlike anything else. */
const leaksIn = async (place: Workspace) => {
  const leaks: Array<string> = []
  for (const name of await filesOf(place)) {
    const content = await readFile(join(place.root, name))
    const found = [...ALL, ...ALL.map((value) => JSON.stringify(value).slice(1, -1)), "canary-line-0004"].filter(
      (value) => content.includes(value)
    )
    if (found.length > 0 && !OWN.includes(name)) leaks.push(`${name}: ${found[0]}`)
  }
  return leaks
}

const prepared = async () => {
  const place = await newWorkspace()
  await place.write("work/.env", `SERVICE_SECRET=${DOTENV}\n`)
  await place.write("work/notes.txt", `${ALL.join("\n")}\n`)
  await place.write("home/.gemini/settings.json", '{ "general": { "checkpointing": { "enabled": true } } }')
  await place.write("home/.gemini/oauth_creds.json", JSON.stringify({ refresh_token: STORED, scope: "x" }))
  return place
}

describe("no credential is written", () => {
  test("by a run whose prompt, tools and answers are full of them", async () => {
    await using place = await prepared()
    await using server = await startModelServer([
      ask(call("read_file", { file_path: "notes.txt" }), call("run_shell_command", { command: "cat notes.txt; env" })),
      ask(
        call("write_file", { file_path: "out.md", content: "nothing" }),
        call("run_shell_command", { command: "seq 1 30000; cat .env" })
      ),
      // Too much for memory: it goes to a file while it comes. And what goes on in the background has a log.
      ask(
        call("run_shell_command", { command: "cat notes.txt; seq 1 2600000; cat notes.txt" }),
        call("run_shell_command", { command: "cat notes.txt; exec sleep 30", is_background: true })
      ),
      say(`I found ${ALL.join(" and ")}`),
      say("again")
    ])
    const log = join(place.root, "debug.log")
    const env = { ...CANARIES, GEMINI_DEBUG_LOG_FILE: log }
    const first = await place.run(["--debug", "-y", "-p", `keep ${ALL.join(", ")} safe`], { server, env })
    expect(first.exitCode).toBe(0)
    await place.run(["-r", "-p", "and now?"], { server, env })
    expect((await place.run(["sessions", "export", "1", join(place.root, "export.md")], { env })).exitCode).toBe(0)
    expect((await place.run(["sessions", "export", "1", join(place.root, "export.json")], { env })).exitCode).toBe(0)
    expect(await leaksIn(place)).toEqual([])
    // One checkpoint before each of the four calls that may change something: the fifth command is known to read only.
    for (const [kept, count] of [
      ["work/tool-outputs/run_shell_command_", 1],
      ["background-processes/background-", 1],
      ["work/checkpoints/", 4]
    ] as const) {
      expect((await filesOf(place)).filter((name) => name.startsWith(`home/.gemini/tmp/${kept}`))).toHaveLength(count)
    }
    const session = await place.read("export.json")
    for (const name of [...Object.keys(CANARIES), "SERVICE_SECRET", "refresh_token"]) {
      expect(session).toContain(`[REDACTED:${name}]`)
    }
  })

  test("the search finds one that is there", async () => {
    await using place = await prepared()
    await place.write("home/.gemini/tmp/leak.jsonl", JSON.stringify({ text: CANARIES.DB_PASSWORD }))
    expect(await leaksIn(place)).toHaveLength(1)
  })
})

/** Every secret of these servers holds the word. */
const CANARY = /canary-[a-z-]*\d*/g

/** What a run with everything in it wrote, wherever; where the person has put secrets, they may stay. */
const canariesIn = async (place: Workspace, own: ReadonlyArray<string>, outputs: Readonly<Record<string, string>>) => {
  const found = Object.entries(outputs).flatMap(([name, text]) =>
    [...new Set(text.match(CANARY))].map((one) => `${name}: ${one}`)
  )
  for (const name of await filesOf(place)) {
    if (own.includes(name)) continue
    const content = (await readFile(join(place.root, name))).toString("latin1")
    found.push(...[...new Set(content.match(CANARY))].map((one) => `${name}: ${one}`))
  }
  return found
}

/** An MCP server that renews logins, and says in its errors what it was told. */
const startTalker = () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const isToken = new URL(request.url).pathname === "/token"
      return isToken
        ? Response.json({
            access_token: "canary-login-new",
            token_type: "Bearer",
            refresh_token: "canary-login-refresh-new"
          })
        : new Response(`I do not like ${request.headers.get("authorization")}: ${await request.text()}`, {
            status: 500
          })
    }
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}

describe("no credential of a sign-in with Google is written", () => {
  const OF_PERSON = ["home/.gemini/oauth_creds.json", "home/.gemini/mcp-oauth-tokens.json", "client.env"]
  const FILES = ["env.txt", "processes.txt", "environ.txt"]

  const signedIn = async (google: Google, talker: { readonly url: string }, isReusable: boolean) => {
    const place = await newWorkspace()
    await place.write("home/.gemini/oauth_creds.json", google.signedIn(isReusable ? {} : { expiry_date: 0 }))
    const login = {
      serverName: "talker",
      token: {
        accessToken: "canary-login-old",
        refreshToken: "canary-login-refresh",
        tokenType: "Bearer",
        expiresAt: 1
      },
      clientId: "c",
      clientSecret: "canary-login-secret",
      tokenUrl: `${talker.url}/token`,
      updatedAt: 1
    }
    await place.write("home/.gemini/mcp-oauth-tokens.json", JSON.stringify([login]))
    const command = `cd "${place.root}"; env > env.txt; ps axwww -o args > processes.txt; cat /proc/$PPID/environ > environ.txt`
    await place.write(
      "home/.gemini/settings.json",
      JSON.stringify({
        mcpServers: { talker: { url: `${talker.url}/mcp`, type: "http" } },
        hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] },
        telemetry: { enabled: true, outfile: join(place.root, "telemetry.log"), traces: true },
        general: { checkpointing: { enabled: true } }
      })
    )
    return place
  }

  test("by runs that renew it, read it, fail with it, and are told it again by every server", async () => {
    const repeat = ({ headers }: GoogleRequest) => `no, not with ${headers.authorization}`
    let prompts = 0
    using google = startGoogle({
      answers: {
        listExperiments: (request) => refusal(400, repeat(request)),
        fetchAdminControls: (request) => refusal(400, repeat(request)),
        streamGenerateContent: (request) => {
          prompts += 1
          if (prompts === 1) {
            google.revoke()
            return refusal(401, repeat(request))
          }
          if (prompts > 2) return refusal(400, repeat(request))
          const read = call("run_shell_command", { command: "cat ~/.gemini/oauth_creds.json; env; ps axwww" })
          return new Response(`data: ${JSON.stringify({ response: answerOf(read) })}\n\n`, {
            headers: { "content-type": "text/event-stream" }
          })
        }
      }
    })
    using talker = startTalker()
    await using place = await signedIn(google, talker, false)
    const env = {
      ...google.env,
      GEMINI_DEBUG_LOG_FILE: join(place.root, "debug.log"),
      GEMINI_FORCE_FILE_STORAGE: "true"
    }
    const run = await place.run(["-y", "--debug", "-m", "gemini-2.5-pro", "-p", "hi"], { env })
    expect([run.exitCode, prompts]).toEqual([1, 3])
    expect(run.stderr).toContain("not with Bearer [REDACTED")
    expect(google.named("/token").length).toBe(2)
    const status = await place.run(["auth", "status"], { env })
    const doctor = await place.run(["doctor"], { env })
    const outputs = {
      stdout: run.stdout,
      stderr: run.stderr,
      status: status.stdout,
      doctor: doctor.stdout + doctor.stderr
    }
    expect(await canariesIn(place, OF_PERSON, outputs)).toEqual([])
    for (const name of FILES) expect((await place.read(name)).length).toBeGreaterThan(10)
    expect(await place.read("home/.gemini/mcp-logins.json")).toContain("talker")
    expect(await Bun.file(join(place.root, "home/.gemini/mcp-oauth-tokens.json")).exists()).toBe(false)
  })

  test("by a run that is refused on its way in, at every door", async () => {
    const form = ({ body }: GoogleRequest) =>
      status(400, { error: "invalid_grant", error_description: JSON.stringify(body) })
    const repeat = ({ headers }: GoogleRequest) => refusal(403, `not with ${headers.authorization}`)
    for (const answers of [{ "/token": form }, { loadCodeAssist: repeat }]) {
      using google = startGoogle({ answers })
      using talker = startTalker()
      await using place = await signedIn(google, talker, "loadCodeAssist" in answers)
      const env = { ...google.env, GEMINI_DEBUG_LOG_FILE: join(place.root, "debug.log") }
      const run = await place.run(["--debug", "-o", "json", "-m", "gemini-2.5-pro", "-p", "hi"], { env })
      expect(run.exitCode).toBe(41)
      expect(await canariesIn(place, OF_PERSON, { stdout: run.stdout, stderr: run.stderr })).toEqual([])
    }
  })
})

const answerOf = (...parts: ReadonlyArray<unknown>) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }]
})
