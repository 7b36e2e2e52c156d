/** Remote agents of the compiled binary: how they are reached, how one signs in to them, and when they are asked about. */
import { describe, expect, test } from "bun:test"
import { chmod } from "node:fs/promises"
import { startGrpcAgent } from "./kit/a2a-grpc.ts"
import { startA2aServer } from "./kit/a2a-server.ts"
import { isAfterTools, lastParts, stepsOf, type Task } from "./kit/agent-run.ts"
import { canMakeCertificates, makeCertificate } from "./kit/certificate.ts"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { startOAuthServer } from "./kit/oauth-server.ts"
import { startProxy } from "./kit/proxy-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { serviceAccountFile } from "./kit/service-account.ts"
import { startInTerminal } from "./kit/terminal.ts"

const remote = (name: string, cardUrl: string, auth = "") =>
  `---\nkind: remote\nname: ${name}\nagent_card_url: ${cardUrl}\n${auth}---\n`

/** The main agent gives out these tasks in one turn, and is done. */
const calling = (...tasks: ReadonlyArray<Task>) =>
  startModelServer((request) =>
    isAfterTools(request)
      ? say("All is done.")
      : ask(...tasks.map(({ agent, prompt }) => call("invoke_agent", { agent_name: agent, prompt })))
  )

describe("every call is asked about", () => {
  const far = { agent: "far", prompt: "hello" }

  test("nobody there: refused. Yolo, or a rule of the user: called. A deny counts in every mode", async () => {
    await using place = await newWorkspace()
    await using server = startA2aServer()
    await place.write("home/.gemini/agents/far.md", remote("far", server.cardUrl))
    await using model = await calling(far)
    for (const mode of ["default", "auto_edit"]) {
      const run = await place.run(["-p", "go", "-o", "json", "--approval-mode", mode], { server: model })
      expect(documentOf(run).permission_denials).toMatchObject([
        {
          tool_name: "invoke_agent",
          rule: expect.stringContaining("AgentRegistry (Dynamic)"),
          allow_with: "--allowed-tools far"
        }
      ])
    }
    expect(server.received).toEqual([])
    const yolo = await place.run(["-p", "go", "-o", "json", "--yolo"], { server: model })
    expect(documentOf(yolo).permission_denials).toEqual([])
    expect(server.received).toHaveLength(1)

    const rule = (decision: string) => `[[rule]]\ntoolName = "far"\ndecision = "${decision}"\npriority = 1\n`
    await place.write("home/.gemini/policies/far.toml", rule("allow"))
    const allowed = await place.run(["-p", "go", "-o", "json"], { server: model })
    expect(documentOf(allowed).permission_denials).toEqual([])
    expect(server.received).toHaveLength(2)
    await place.write("home/.gemini/policies/far.toml", rule("deny"))
    const denied = await place.run(["-p", "go", "-o", "json", "--yolo"], { server: model })
    expect(documentOf(denied).permission_denials).toHaveLength(1)
    expect(server.received).toHaveLength(2)
  }, 30_000)
})

test("a task that waits for an answer is gone on with; one that ended is not", async () => {
  await using place = await newWorkspace()
  await using far = startA2aServer()
  await place.write("home/.gemini/agents/far.md", remote("far", far.cardUrl))
  const prompts = ["ask me", "a.txt", "login first", "again", "fail"]
  const answers: Array<string> = []
  await using model = await startModelServer((request, index) => {
    if (index > 0) answers.push(lastParts(request))
    const prompt = prompts[index]
    return prompt === undefined ? say("All is done.") : ask(call("invoke_agent", { agent_name: "far", prompt }))
  })
  const run = await place.run(["-p", "go", "--yolo"], { server: model })
  expect(run).toMatchObject({ exitCode: 0, stdout: "All is done.\n" })
  const words = ["which file?", "you said: a.txt", "needs authorisation", "you said: again", "the disk is gone"]
  expect(answers).toEqual(words.map((said) => expect.stringContaining(said)))
  const tasks = far.received.map(({ taskId }) => taskId)
  expect(tasks.map((task) => tasks.indexOf(task))).toEqual([0, 0, 2, 2, 4])
  expect(new Set(far.received.map(({ contextId }) => contextId)).size).toBe(1)
}, 30_000)

describe("every way to reach one", () => {
  test("JSON-RPC, REST and gRPC stream the same answer; HTTP goes through the proxy", async () => {
    await using place = await newWorkspace()
    await using rpc = startA2aServer()
    await using rest = startA2aServer({ binding: "HTTP+JSON" })
    await using grpc = await startGrpcAgent({ accepts: (given) => given === "Bearer s3cret" })
    await using proxy = await startProxy()
    await place.write("home/.gemini/agents/rpc.md", remote("rpc", rpc.cardUrl))
    await place.write("home/.gemini/agents/rest.md", remote("rest", rest.cardUrl))
    await place.write(
      "home/.gemini/agents/grpc.md",
      remote("grpc", grpc.cardUrl, "auth: { type: http, scheme: Bearer, token: s3cret }\n")
    )
    const names = ["rpc", "rest", "grpc"]
    await using model = await calling(...names.map((agent) => ({ agent, prompt: "stream it" })))
    const run = await place.run(["-p", "go", "-o", "stream-json", "--yolo"], {
      server: model,
      env: { https_proxy: proxy.url }
    })
    expect(run.stderr).toBe(
      "[WARNING] yolo: every tool call is approved without asking, and no sandbox stands around them (--sandbox)\n"
    )
    expect(run.exitCode).toBe(0)
    const events = eventsOf(run)
    expect(events.filter(({ type }) => type === "tool_result")).toEqual(
      names.map(() =>
        expect.objectContaining({
          status: "success",
          output: "looking\n\ndone\n\nArtifact (Report):\npart one, part two"
        })
      )
    )
    expect(stepsOf(events).filter(({ event }) => event.type === "finished")).toHaveLength(3)
    expect(proxy.asked).toContain(`POST ${rpc.url}`)
    expect(proxy.asked).toContain(`POST ${rest.url}message:stream`)
    expect(proxy.asked).toContain(`CONNECT ${new URL(grpc.url).host}`)
  }, 30_000)

  test.if(canMakeCertificates)(
    "gRPC over TLS, and Google's hosts with Google's credentials",
    async () => {
      await using place = await newWorkspace()
      const tls = await makeCertificate(place, "DNS:localhost", "DNS:agents.googleapis.com", "DNS:agents.run.app")
      await using grpc = await startGrpcAgent({ tls })
      const google = (host: string, token: string) =>
        startA2aServer({
          tls: { ...tls, address: `https://${host}/` },
          accepts: (given) => given === `Bearer ${token}`
        })
      await using byAccess = google("agents.googleapis.com", "access-token")
      await using byIdentity = google("agents.run.app", "identity-of-agents.run.app")
      await using proxy = await startProxy({
        standIns: { "agents.googleapis.com:443": byAccess.port, "agents.run.app:443": byIdentity.port }
      })
      using tokens = startTokens()
      const auth = "auth: { type: google-credentials }\n"
      await place.write("home/.gemini/agents/grpc.md", remote("grpc", grpc.cardUrl))
      await place.write("home/.gemini/agents/access.md", remote("access", byAccess.cardUrl, auth))
      await place.write("home/.gemini/agents/identity.md", remote("identity", byIdentity.cardUrl, auth))
      const names = ["grpc", "access", "identity"]
      await using model = await calling(...names.map((agent) => ({ agent, prompt: "hello" })))
      const run = await place.run(["-p", "go", "-o", "stream-json", "--yolo"], {
        server: model,
        env: {
          NODE_EXTRA_CA_CERTS: tls.file,
          HTTPS_PROXY: proxy.url,
          NO_PROXY: "127.0.0.1,localhost",
          GOOGLE_APPLICATION_CREDENTIALS: await place.write("account.json", tokens.account)
        }
      })
      expect(run.exitCode).toBe(0)
      const results = eventsOf(run).filter(({ type }) => type === "tool_result")
      expect(results.map(({ output }) => output)).toEqual(names.map(() => "hello yourself"))
    },
    30_000
  )
})

/** A service account, and the endpoint on loopback that gives out its tokens. */
const startTokens = () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const assertion = new URLSearchParams(await request.text()).get("assertion") ?? ""
      const { target_audience: audience } = JSON.parse(
        Buffer.from(assertion.split(".")[1] ?? "", "base64url").toString()
      )
      return Response.json(
        audience === undefined
          ? { access_token: "access-token", expires_in: 3600, token_type: "Bearer" }
          : { id_token: `identity-of-${audience}` }
      )
    }
  })
  return { account: serviceAccountFile(`${server.url.href}token`), [Symbol.dispose]: () => void server.stop(true) }
}

describe("signing in", () => {
  test("keys, tokens and passwords, written out, from variables and from commands; two agents in one file", async () => {
    await using place = await newWorkspace()
    const [accepted, seen] = [new Set(["k3y", "Basic dXNlcjpwYXNz", "Custom $literal"]), new Set<string>()]
    await using far = startA2aServer({ accepts: (given) => accepted.has(given) && Boolean(seen.add(given)) })
    const agents = [
      ["by-key", '{ type: apiKey, key: "!printf k3y" }'],
      ["by-password", "{ type: http, scheme: Basic, username: user, password: $PASSWORD }"],
      ["by-value", "{ type: http, scheme: Custom, value: $$literal }"],
      ["by-nothing", "{ type: http, scheme: Bearer, token: $NOT_SET }"]
    ]
    const list = agents.map(
      ([name, auth]) => `- kind: remote\n  name: ${name}\n  agent_card_url: ${far.cardUrl}\n  auth: ${auth}\n`
    )
    await place.write("home/.gemini/agents/all.md", `---\n${list.join("")}---\n`)
    await using model = await calling(...agents.map(([agent = ""]) => ({ agent, prompt: "hello" })))
    const run = await place.run(["-p", "go", "-o", "stream-json", "--yolo"], {
      server: model,
      env: { PASSWORD: "pass" }
    })
    expect(run.exitCode).toBe(0)
    const results = eventsOf(run).filter(({ type }) => type === "tool_result")
    expect(results.map(({ status }) => status)).toEqual(["success", "success", "success", "error"])
    expect(results.at(-1)?.output).toContain("the variable NOT_SET is not set")
    expect(seen).toEqual(accepted)
    expect(run.stdout + run.stderr).not.toMatch(/k3y|dXNlcjpwYXNz/)
  }, 30_000)

  test("a login in the browser is kept, renewed when it was taken back, and missed where nobody can log in", async () => {
    await using place = await newWorkspace()
    using oauth = startOAuthServer()
    await using far = startA2aServer({ accepts: (given) => oauth.accepts(given) })
    await place.write(
      "home/.gemini/agents/far.md",
      remote(
        "far",
        far.cardUrl,
        `auth:\n  type: oauth\n  client_id: me\n  authorization_url: ${oauth.url}/authorize\n  token_url: ${oauth.url}/token\n`
      )
    )
    await chmod(await place.write("bin/xdg-open", '#!/bin/sh\nexec node -e "fetch(process.argv[1])" "$1"\n'), 0o755)
    await using model = await calling({ agent: "far", prompt: "hello" })
    const before = await place.run(["-p", "go", "--yolo", "-o", "json"], { server: model })
    expect(before.exitCode).toBe(0)
    expect(lastParts(model.generations.at(-1))).toContain(
      "it wants a login; to log in, call it once in a conversation at a terminal"
    )

    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], {
      server: model,
      columns: 200,
      env: { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
    })
    await session.shows("Type your message")
    session.type("go\r")
    await session.shows("Allow? ")
    expect(session.plain()).toContain("Give this to the remote agent far?")
    session.type("y\r")
    await session.shows("All is done.")
    expect(session.plain()).toContain(`${oauth.url}/authorize?`)
    expect(lastParts(model.generations.at(-1))).toContain("hello yourself")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect(JSON.parse(await place.read("home/.gemini/a2a-logins.json"))).toEqual(["far"])
    expect(await place.read("home/.gemini/gemini-credentials.json")).toMatch(/^[0-9a-f:]+$/)

    oauth.revoke()
    const after = await place.run(["-p", "go", "--yolo"], { server: model })
    expect(after.exitCode).toBe(0)
    expect(lastParts(model.generations.at(-1))).toContain("hello yourself")
    expect(oauth.tokenRequests.at(-1)).toMatchObject({ grant_type: "refresh_token" })
  }, 60_000)
})
