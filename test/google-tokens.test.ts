/** A run on the Code Assist server: where its token comes from, how it is renewed, and what is said where there is none. */
import { describe, expect, test } from "bun:test"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { expectFailure, expectFailureDocument } from "./kit/expectations.ts"
import { type Google, type GoogleOptions, refusal, startGoogle, status } from "./kit/google.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { serviceAccountFile } from "./kit/service-account.ts"

const CREDENTIALS = "home/.gemini/oauth_creds.json"
const google = (options: GoogleOptions = {}) => startGoogle({ says: [say("hello")], ...options })
const ask = (place: Workspace, server: Google, env: Record<string, string | undefined> = {}) =>
  place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { env: { ...server.env, ...env } })
const ended = { expiry_date: 1000 }

describe("a sign-in that is kept", () => {
  test("is used as it is; what is known of the account is asked for once", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    expect(await ask(place, server)).toMatchObject({ stdout: "hello\n", stderr: "", exitCode: 0 })
    expect(server.asked().toSorted()).toEqual(
      [
        "/oauth2/v2/userinfo",
        "listExperiments",
        "loadCodeAssist",
        "retrieveUserQuota",
        "streamGenerateContent"
      ].toSorted()
    )
    const before = server.requests.length
    expect(await ask(place, server)).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    expect(server.asked().slice(before)).toEqual(["streamGenerateContent"])
  })

  test("the request stands in an envelope with project, prompt and session", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const result = await place.run(["-p", "hi", "-m", "gemini-3.5-flash", "-o", "json"], { env: server.env })
    const { session_id } = JSON.parse(result.stdout)
    const [request] = server.named("streamGenerateContent")
    const body = request?.body ?? {}
    expect(request?.path).toBe("/v1internal:streamGenerateContent")
    expect(Object.keys(body).toSorted()).toEqual(["model", "project", "request", "user_prompt_id"])
    expect(body).toMatchObject({
      model: "gemini-3-flash",
      project: "project-of-the-server",
      user_prompt_id: session_id,
      request: { session_id, contents: expect.any(Array), systemInstruction: expect.any(Object) }
    })
    expect(request?.headers["x-goog-api-key"]).toBeUndefined()
    expect(request?.headers["user-agent"]).toStartWith("GeminiCLI")
  })

  test("is renewed when its token has ended, and the file is replaced with its refresh token and mode", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn(ended))
    expect(await ask(place, server)).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    expect(server.named("/token").map(({ body }) => body)).toEqual([
      {
        client_id: "client-of-the-tests",
        client_secret: "GOCSPX-canary-secret",
        grant_type: "refresh_token",
        refresh_token: "1//canary-refresh"
      }
    ])
    const kept = JSON.parse(await place.read(CREDENTIALS))
    expect(kept).toMatchObject({ refresh_token: "1//canary-refresh", scope: "s", token_type: "Bearer" })
    expect(kept.expiry_date).toBeGreaterThan(Date.now())
    expect((await stat(join(place.root, CREDENTIALS))).mode & 0o777).toBe(0o600)
  })

  test("runs at once renew it once", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn(ended))
    const results = await Promise.all(Array.from({ length: 4 }, () => ask(place, server)))
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0])
    expect(server.named("/token").length).toBe(1)
  })

  test("a new refresh token is kept", async () => {
    let issue = () => ""
    using server = google({
      answers: { "/token": () => ({ access_token: issue(), expires_in: 10, refresh_token: "1//canary-second" }) }
    })
    issue = server.issue
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn(ended))
    expect((await ask(place, server)).exitCode).toBe(0)
    expect(JSON.parse(await place.read(CREDENTIALS))).toMatchObject({ refresh_token: "1//canary-second" })
  })

  test("a token that is refused in the middle of a run is renewed, and the run goes on", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    expect((await ask(place, server)).exitCode).toBe(0)
    server.revoke()
    expect(await ask(place, server)).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    expect(server.asked().slice(-3)).toEqual(["streamGenerateContent", "/token", "streamGenerateContent"])
  })
})

describe("a sign-in that does not hold: exit 41, one sentence, and the file stays", () => {
  const rows: ReadonlyArray<readonly [string, GoogleOptions["answers"], ReadonlyArray<string>]> = [
    [
      "revoked",
      { "/token": () => status(400, { error: "invalid_grant", error_description: "Token has been revoked." }) },
      ["revoked", "gemini auth login"]
    ],
    ["another client", { "/token": () => status(401, { error: "invalid_client" }) }, ["GEMINI_OAUTH_CLIENT_ID"]],
    ["the server is down", { "/token": () => status(503) }, ["503", "try again"]],
    ["no answer that makes sense", { "/token": () => new Response("<html>") }, ["could not be renewed"]],
    ["a proxy that blocks", { "/token": () => status(302) }, ["could not be renewed"]]
  ]
  for (const [name, answers, words] of rows) {
    test(name, async () => {
      using server = google({ ...(answers === undefined ? {} : { answers }) })
      await using place = await newWorkspace()
      const content = server.signedIn(ended)
      await place.write(CREDENTIALS, content)
      const result = await ask(place, server)
      expectFailure(result, 41, ...words)
      expect(result.stdout).toBe("")
      expect(result.stderr).not.toContain("canary")
      expect(await place.read(CREDENTIALS)).toBe(content)
      expect(server.named("streamGenerateContent")).toEqual([])
    })
  }

  test("a server that is down is asked three times", async () => {
    using server = google({ answers: { "/token": () => status(503) } })
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn(ended))
    await ask(place, server)
    expect(server.named("/token").length).toBe(3)
  })

  test("refused by the model's server, and again after it was renewed", async () => {
    using server = google({ answers: { streamGenerateContent: () => refusal(401, "invalid credentials") } })
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const result = await ask(place, server)
    expectFailure(result, 41, "gemini auth login")
    expect(server.named("/token").length).toBe(1)
    expect(server.named("streamGenerateContent").length).toBe(2)
  })

  for (const [name, content] of [
    ["half-written", '{"access_token": "ya29.can'],
    ["something else", "[]"],
    ["empty", ""]
  ] as const) {
    test(`${name}: the file is named`, async () => {
      using server = google()
      await using place = await newWorkspace()
      await place.write(CREDENTIALS, content)
      expectFailure(await ask(place, server), 41, "oauth_creds.json", "gemini auth login")
      expect(await place.read(CREDENTIALS)).toBe(content)
      expect(server.requests).toEqual([])
    })
  }

  test("nobody signed in: what to do, with and without an OAuth client", async () => {
    using server = google()
    await using place = await newWorkspace()
    expectFailure(await ask(place, server), 41, "nobody is signed in", "gemini auth login", "GEMINI_API_KEY")
    expectFailure(
      await ask(place, server, { GEMINI_OAUTH_CLIENT_ID: undefined }),
      41,
      "GEMINI_OAUTH_CLIENT_ID",
      "GEMINI_API_KEY",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "GOOGLE_CLOUD_ACCESS_TOKEN"
    )
    expect(server.requests).toEqual([])
  })

  test("no OAuth client: a token that is still valid works, one that ended does not", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    expect((await ask(place, server, { GEMINI_OAUTH_CLIENT_ID: undefined })).exitCode).toBe(0)
    await place.write(CREDENTIALS, server.signedIn(ended))
    expectFailure(await ask(place, server, { GEMINI_OAUTH_CLIENT_ID: undefined }), 41, "GEMINI_OAUTH_CLIENT_ID")
  })

  test("json: the failure is a document", async () => {
    using server = google()
    await using place = await newWorkspace()
    expectFailureDocument(await place.run(["-p", "hi", "-o", "json"], { env: server.env }), 41, {
      completion_reason: "auth"
    })
  })
})

describe("GOOGLE_CLOUD_ACCESS_TOKEN", () => {
  test("goes before what is stored, and nothing is written", async () => {
    using server = google()
    await using place = await newWorkspace()
    const token = server.issue()
    expect(await ask(place, server, { GOOGLE_CLOUD_ACCESS_TOKEN: token })).toMatchObject({ stdout: "hello\n" })
    expect(server.named("streamGenerateContent")[0]?.headers.authorization).toBe(`Bearer ${token}`)
    expect(server.named("/token")).toEqual([])
    expect(await Bun.file(join(place.root, CREDENTIALS)).exists()).toBe(false)
  })

  test("refused: exit 41 names the variable", async () => {
    using server = google()
    await using place = await newWorkspace()
    expectFailure(
      await ask(place, server, { GOOGLE_CLOUD_ACCESS_TOKEN: "ya29.other" }),
      41,
      "GOOGLE_CLOUD_ACCESS_TOKEN"
    )
  })

  test("no program that the run starts has it, nor the secret of the client", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const env = { ...server.env, GOOGLE_CLOUD_ACCESS_TOKEN: server.issue() }
    await place.write(
      "home/.gemini/settings.json",
      JSON.stringify({
        hooks: { SessionStart: [{ hooks: [{ type: "command", command: `env > "${place.root}/seen"` }] }] }
      })
    )
    expect((await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { env })).exitCode).toBe(0)
    expect(await place.read("seen")).not.toContain("canary")
  })
})

describe("GOOGLE_APPLICATION_CREDENTIALS", () => {
  const files: ReadonlyArray<readonly [type: string, content: (server: Google, place: Workspace) => string]> = [
    ["a service account", ({ url }) => serviceAccountFile(`${url}/token`)],
    [
      "what gcloud writes",
      ({ url }) =>
        JSON.stringify({
          type: "authorized_user",
          client_id: "client-of-the-file",
          client_secret: "canary-of-the-file",
          refresh_token: "1//canary-of-the-file",
          token_uri: `${url}/token`
        })
    ],
    [
      "another identity provider, by a file",
      ({ url }, place) =>
        JSON.stringify({
          type: "external_account",
          audience: "//iam.googleapis.com/x",
          subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
          token_url: `${url}/sts`,
          credential_source: { file: join(place.root, "subject") }
        })
    ],
    [
      "another identity provider, by an address",
      ({ url }) =>
        JSON.stringify({
          type: "external_account",
          audience: "//iam.googleapis.com/x",
          subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
          token_url: `${url}/sts`,
          credential_source: { url: `${url}/subject` }
        })
    ],
    [
      "somebody else's service account",
      ({ url }) =>
        JSON.stringify({
          type: "impersonated_service_account",
          service_account_impersonation_url: `${url}/v1/projects/-/serviceAccounts/robot@p.iam.gserviceaccount.com:generateAccessToken`,
          source_credentials: {
            type: "authorized_user",
            client_id: "c",
            client_secret: "s",
            refresh_token: "r",
            token_uri: `${url}/token`
          }
        })
    ]
  ]
  for (const [type, content] of files) {
    test(`${type} gives a token, and nothing is copied`, async () => {
      let issue = () => ""
      using server = google({
        answers: {
          "/subject": () => new Response("the-subject"),
          generateAccessToken: () => ({ accessToken: issue(), expireTime: "2099-01-01T00:00:00Z" })
        }
      })
      issue = server.issue
      await using place = await newWorkspace()
      await place.write("subject", "the-subject")
      const file = await place.write("account.json", content(server, place))
      expect(await ask(place, server, { GOOGLE_APPLICATION_CREDENTIALS: file })).toMatchObject({
        stdout: "hello\n",
        exitCode: 0
      })
      expect(await Bun.file(join(place.root, CREDENTIALS)).exists()).toBe(false)
    })
  }

  test("what gcloud writes is renewed with the client of the file", async () => {
    using server = google()
    await using place = await newWorkspace()
    const file = await place.write("account.json", files[1]?.[1](server, place) ?? "")
    await ask(place, server, { GOOGLE_APPLICATION_CREDENTIALS: file })
    expect(server.named("/token")[0]?.body).toMatchObject({ client_id: "client-of-the-file" })
  })

  test("a file that cannot be used is named", async () => {
    using server = google()
    await using place = await newWorkspace()
    const file = await place.write("account.json", "{")
    expectFailure(await ask(place, server, { GOOGLE_APPLICATION_CREDENTIALS: file }), 41, "account.json")
    expectFailure(await ask(place, server, { GOOGLE_APPLICATION_CREDENTIALS: "/nowhere" }), 41, "/nowhere")
  })
})

describe("the credentials of the machine", () => {
  const machine = { GOOGLE_GENAI_USE_GCA: undefined, GEMINI_CLI_USE_COMPUTE_ADC: "true", GOOGLE_CLOUD_PROJECT: "p" }

  test("come from the metadata server, and nothing is written", async () => {
    using server = google()
    await using place = await newWorkspace()
    expect(await ask(place, server, machine)).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    expect(server.asked()[0]).toBe("/computeMetadata/v1/instance/service-accounts/default/token")
    expect(await Bun.file(join(place.root, CREDENTIALS)).exists()).toBe(false)
    expect(await Bun.file(join(place.home, ".gemini/settings.json")).exists()).toBe(false)
  })

  test("no metadata server: exit 41 names it", async () => {
    using server = google()
    await using place = await newWorkspace()
    expectFailure(
      await ask(place, server, { ...machine, GCE_METADATA_HOST: "127.0.0.1:9" }),
      41,
      "metadata server 127.0.0.1:9"
    )
  })

  test("Cloud Shell has a project of its own, unless a file names another", async () => {
    using server = google({ answers: { loadCodeAssist: () => ({ currentTier: { id: "standard-tier" } }) } })
    await using place = await newWorkspace()
    const env = { ...machine, GEMINI_CLI_USE_COMPUTE_ADC: undefined, CLOUD_SHELL: "true" }
    expect((await ask(place, server, env)).exitCode).toBe(0)
    expect(server.named("loadCodeAssist")[0]?.body).toMatchObject({ cloudaicompanionProject: "cloudshell-gca" })
    await place.write("home/.gemini/.env", "GOOGLE_CLOUD_PROJECT=mine\n")
    expect((await ask(place, server, env)).exitCode).toBe(0)
    expect(server.named("loadCodeAssist")[1]?.body).toMatchObject({ cloudaicompanionProject: "mine" })
  })
})

describe("where a token may be sent", () => {
  for (const [name, value] of [
    ["CODE_ASSIST_ENDPOINT", "http://example.com"],
    ["GEMINI_OAUTH_ENDPOINT", "http://192.168.1.1:8080"],
    ["CODE_ASSIST_ENDPOINT", "nonsense"]
  ] as const) {
    test(`${name}=${value}: exit 52`, async () => {
      using server = google()
      await using place = await newWorkspace()
      await place.write(CREDENTIALS, server.signedIn())
      expectFailure(await ask(place, server, { [name]: value }), 52, name)
    })
  }

  test("a project does not say so, trusted or not", async () => {
    using server = google()
    using other = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    await place.write(
      "work/.env",
      `CODE_ASSIST_ENDPOINT=${other.url}\nGOOGLE_APPLICATION_CREDENTIALS=/x\nHTTPS_PROXY=${other.url}\n`
    )
    expect((await ask(place, server, { CODE_ASSIST_ENDPOINT: server.url })).exitCode).toBe(0)
    expect(other.requests).toEqual([])
  })

  test("the file of the user does", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    await place.write("home/.gemini/.env", `CODE_ASSIST_ENDPOINT=${server.url}\n`)
    expect((await ask(place, server, { CODE_ASSIST_ENDPOINT: undefined })).exitCode).toBe(0)
  })
})
