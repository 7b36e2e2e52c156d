/** The Code Assist server as the model of a run: what is sent, what is read, and servers and files that are not as they should be. */
import { describe, expect, test } from "bun:test"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { expectFailure } from "./kit/expectations.ts"
import { type Answer, type Google, type GoogleOptions, startGoogle, status } from "./kit/google.ts"
import { errorBody } from "./kit/google-errors.ts"
import { answer, call, chunk, finish, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { serviceAccountFile } from "./kit/service-account.ts"

const CREDENTIALS = "home/.gemini/oauth_creds.json"
const google = (options: GoogleOptions = {}) => startGoogle({ says: [say("hello")], ...options })
const signedIn = async (server: Google, changes: Readonly<Record<string, unknown>> = {}): Promise<Workspace> => {
  const place = await newWorkspace()
  await place.write(CREDENTIALS, server.signedIn(changes))
  return place
}
type Env = Record<string, string | undefined>
const ask = (place: Workspace, server: Google, env: Env = {}, args: ReadonlyArray<string> = []) =>
  place.run(["-p", "hi", "-m", "gemini-2.5-pro", ...args], { env: { ...server.env, ...env } })
const HELLO = { stdout: "hello\n", exitCode: 0 }

const events =
  (text: string): Answer =>
  () =>
    new Response(text, { headers: { "content-type": "text/event-stream" } })
const record = (text: string, finishReason?: string) =>
  JSON.stringify({ response: { candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason }] } })

describe("answers", () => {
  test("records over several lines; comments, other fields, records without an answer and broken ones are passed over", async () => {
    const [head, tail] = [record("hel").slice(0, 12), record("hel").slice(12)]
    const body = [
      `: a comment\nevent: message\nid: 7\ndata: ${head}\ndata: ${tail}\n\n`,
      `data: {"traceId": "t"}\n\n`,
      `data: {"response": null}\n\n`,
      `data: {"resp\n\n`,
      `data: ${record("lo", "STOP")}\n\n`
    ].join("")
    using server = google({ answers: { streamGenerateContent: events(body) } })
    await using place = await signedIn(server)
    expect(await ask(place, server)).toMatchObject(HELLO)
  })

  test("what the model thought is not sent back, its signature is", async () => {
    using server = google({
      says: [
        answer([
          chunk({ text: "the-thought", thought: true }),
          chunk({ ...call("list_directory", { dir_path: "." }), thoughtSignature: "c2lnbmF0dXJl" }),
          finish("STOP")
        ]),
        say("hello")
      ]
    })
    await using place = await signedIn(server)
    expect(await ask(place, server)).toMatchObject(HELLO)
    const second = JSON.stringify(server.named("streamGenerateContent")[1]?.body)
    expect(second).not.toContain("the-thought")
    expect(second).toContain("c2lnbmF0dXJl")
  })

  test("a token that is refused between two turns of one run is renewed, and the run goes on", async () => {
    let revoke = () => {}
    using server = google({
      says: [answer([chunk(call("list_directory", { dir_path: "." })), finish("STOP")]), say("hello")],
      answers: { "/token": () => ({ access_token: issue(), expires_in: 3599, token_type: "Bearer" }) }
    })
    const { issue } = server
    revoke = server.revoke
    await using place = await signedIn(server)
    const hook = { hooks: [{ type: "command", command: `echo > "${place.root}/between"; sleep 0.3` }] }
    await place.write("home/.gemini/settings.json", JSON.stringify({ hooks: { AfterTool: [hook] } }))
    const running = ask(place, server)
    while (!(await Bun.file(join(place.root, "between")).exists())) await Bun.sleep(5)
    revoke()
    expect(await running).toMatchObject(HELLO)
    expect(server.asked().slice(-3)).toEqual(["streamGenerateContent", "/token", "streamGenerateContent"])
  })

  test("a quota that comes back in hours ends the run at once", async () => {
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "QUOTA_EXHAUSTED",
        domain: "cloudcode-pa.googleapis.com"
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "18000s" }
    ]
    using server = google({
      answers: { streamGenerateContent: () => status(429, errorBody(429, "used up", details)) }
    })
    await using place = await signedIn(server)
    const run = await ask(place, server)
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain("used up")
    expect(server.named("streamGenerateContent")).toHaveLength(1)
  })
})

test("a request holds no field that the server does not know, and tokens are counted for media alone", async () => {
  using server = google()
  await using place = await signedIn(server)
  const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  await Bun.write(join(place.cwd, "dot.png"), Buffer.from(PNG, "base64"))
  const settings = {
    modelConfigs: {
      customOverrides: [
        {
          match: { model: "gemini-2.5-pro" },
          modelConfig: { generateContentConfig: { seed: 5, topK: 3, audioTimestamp: true, enhancedCivicAnswers: true } }
        }
      ]
    }
  }
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  expect(await ask(place, server)).toMatchObject(HELLO)
  expect(server.named("countTokens")).toEqual([])
  const image = await place.run(["-p", "look at @dot.png", "-m", "gemini-2.5-pro"], { env: server.env })
  expect(image).toMatchObject(HELLO)
  expect(server.named("countTokens").map(({ body }) => body)).toEqual([
    { request: { model: "models/gemini-2.5-pro", contents: expect.any(Array) } }
  ])
  const KNOWN =
    "contents systemInstruction cachedContent tools toolConfig labels safetySettings generationConfig session_id"
  for (const { body } of server.named("streamGenerateContent")) {
    const request = body.request as Record<string, Record<string, unknown>>
    expect(Object.keys(request).filter((name) => !KNOWN.split(" ").includes(name))).toEqual([])
    expect(request.generationConfig).toMatchObject({ seed: 5, topK: 3 })
    expect(request.generationConfig).not.toHaveProperty("enhancedCivicAnswers")
  }
})

describe("the account beside the model", () => {
  const never: Answer = () => new Promise(() => {})

  test("experiments and quota that never come hold a run for 5 seconds, once", async () => {
    using server = google({ answers: { listExperiments: never, retrieveUserQuota: never } })
    await using place = await signedIn(server)
    expect(await ask(place, server)).toMatchObject(HELLO)
    expect(await ask(place, server)).toMatchObject(HELLO)
    expect(server.named("listExperiments").length).toBeLessThanOrEqual(3)
  })

  test("a server that never says who it is ends with the time of the run", async () => {
    for (const name of ["loadCodeAssist", "/token"]) {
      using server = google({ answers: { [name]: never } })
      await using place = await signedIn(server, name === "/token" ? { expiry_date: 1 } : {})
      expect((await ask(place, server, {}, ["--max-time", "2s"])).exitCode).toBe(53)
      expect(server.named("streamGenerateContent")).toEqual([])
    }
  })

  test("GEMINI_EXP stands in for experiments where it can be read", async () => {
    using server = google({ answers: { listExperiments: () => ({ flags: [{ flagId: 45780819, boolValue: true }] }) } })
    await using place = await signedIn(server)
    const file = await place.write("exp.json", '{"flags": []}')
    const broken = await place.write("broken.json", "{")
    for (const [GEMINI_EXP, model] of [
      [file, "gemini-2.5-flash"],
      [broken, "gemini-3-flash"],
      ["/nowhere", "gemini-3-flash"]
    ]) {
      await place.run(["-p", "hi", "-m", "flash"], { env: { ...server.env, GEMINI_EXP } })
      expect([GEMINI_EXP, server.named("streamGenerateContent").at(-1)?.body.model]).toEqual([GEMINI_EXP, model])
    }
  })

  for (const [name, answered] of [
    ["is down", () => status(503)],
    ["says nonsense", () => new Response("<html>")],
    ["says far too much", () => new Response("x".repeat(6 * 1024 * 1024))],
    ["sends elsewhere", () => new Response(null, { status: 302, headers: { location: "https://example.com" } })]
  ] as const) {
    test(`an administrator's server that ${name}: one line, and nothing is restricted`, async () => {
      using server = google({
        answers: {
          listExperiments: () => ({ flags: [{ flagId: 45752213, boolValue: true }] }),
          fetchAdminControls: answered
        }
      })
      await using place = await signedIn(server)
      const run = await ask(place, server)
      expect(run).toMatchObject(HELLO)
      expect(run.stderr.trim().split("\n")).toHaveLength(1)
      expect(run.stderr).toContain("administrator")
    })
  }
})

describe("what is kept of a sign-in, and is not as it should be", () => {
  const makers: ReadonlyArray<readonly [string, (file: string, place: Workspace) => Promise<unknown>]> = [
    ["a folder in its place", (file) => mkdir(file, { recursive: true })],
    [
      "a pipe that nobody writes to",
      (_, place) => place.shell(`mkdir -p "$HOME/.gemini"; mkfifo "$HOME/.gemini/oauth_creds.json"`)
    ],
    ["far too large", (file) => Bun.write(file, `{"access_token": "${"x".repeat(5 * 1024 * 1024)}"}`)],
    ["a token of another kind", (file) => Bun.write(file, '{"access_token": 7, "refresh_token": {}}')],
    [
      "bytes that are no text",
      (file) =>
        Bun.write(
          file,
          Uint8Array.from({ length: 400 }, (_, index) => index % 256)
        )
    ],
    [
      "a link to itself",
      (_, place) => place.shell(`mkdir -p "$HOME/.gemini"; ln -s oauth_creds.json "$HOME/.gemini/oauth_creds.json"`)
    ]
  ]
  for (const [name, make] of makers) {
    test(`${name}: exit 41, the file is named, nothing is asked`, async () => {
      using server = google()
      await using place = await newWorkspace()
      await make(join(place.root, CREDENTIALS), place)
      const run = await ask(place, server)
      expectFailure(run, 41, "oauth_creds.json")
      expect(server.requests).toEqual([])
    })
  }

  for (const [name, expiry] of [
    ["long past", -1e15],
    ["of a clock that is years ahead", 4_102_444_800_000],
    ["no number", "tomorrow"],
    ["endless", 1e300],
    ["not there", null]
  ] as const) {
    test(`an end that is ${name}: the token is used or renewed, and the run goes on`, async () => {
      using server = google()
      await using place = await signedIn(server, { expiry_date: expiry })
      server.revoke()
      const run = await ask(place, server)
      if (name === "no number") return expectFailure(run, 41, "oauth_creds.json")
      expect(run).toMatchObject(HELLO)
      expect(server.named("/token")).toHaveLength(1)
    })
  }

  test("what was remembered of the account by a clock that was ahead is asked anew", async () => {
    using server = google()
    await using place = await signedIn(server)
    expect(await ask(place, server)).toMatchObject(HELLO)
    const file = "home/.gemini/code-assist-account.json"
    const kept = JSON.parse(await place.read(file))
    await place.write(file, JSON.stringify({ ...kept, at: kept.at + 86_400_000 }))
    expect(await ask(place, server)).toMatchObject(HELLO)
    for (const content of ["{", "[]", JSON.stringify({ ...kept, project: 7 })]) {
      await place.write(file, content)
      expect(await ask(place, server)).toMatchObject(HELLO)
    }
    expect(server.named("loadCodeAssist")).toHaveLength(5)
  })

  test("a service account in its place is used as one, and nothing is written", async () => {
    using server = google()
    await using place = await newWorkspace()
    const content = serviceAccountFile(`${server.url}/token`)
    await place.write(CREDENTIALS, content)
    expect(await ask(place, server)).toMatchObject(HELLO)
    expect(await place.read(CREDENTIALS)).toBe(content)
    const env = { GEMINI_FORCE_ENCRYPTED_FILE_STORAGE: "true", GEMINI_FORCE_FILE_STORAGE: "true" }
    expect(await ask(place, server, env)).toMatchObject(HELLO)
    expect(await place.read(CREDENTIALS)).toBe(content)
    expect(server.asked()).not.toContain("/oauth2/v2/userinfo")
  })

  test("one that does not work is passed over where the environment names another", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, "{")
    const file = await place.write("account.json", serviceAccountFile(`${server.url}/token`))
    expect(await ask(place, server, { GOOGLE_APPLICATION_CREDENTIALS: file })).toMatchObject(HELLO)
  })

  test("it goes before the metadata server of the machine", async () => {
    using server = google()
    await using place = await signedIn(server)
    const env = { GOOGLE_GENAI_USE_GCA: undefined, GEMINI_CLI_USE_COMPUTE_ADC: "true" }
    expect(await ask(place, server, env)).toMatchObject(HELLO)
    expect(server.asked().join(" ")).not.toContain("computeMetadata")
  })

  test("an encrypted file of another machine: exit 41 names it, and it stays", async () => {
    using server = google()
    await using place = await newWorkspace()
    const content = `${"0".repeat(24)}:${"1".repeat(32)}:${"2".repeat(64)}`
    await place.write("home/.gemini/gemini-credentials.json", content)
    const env = { GEMINI_FORCE_ENCRYPTED_FILE_STORAGE: "true", GEMINI_FORCE_FILE_STORAGE: "true" }
    expectFailure(await ask(place, server, env), 41, "gemini-credentials.json")
    expect(await place.read("home/.gemini/gemini-credentials.json")).toBe(content)
  })
})

describe("a run without a person", () => {
  test("opens no browser and asks nothing, also where there is a display", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write("bin/xdg-open", '#!/bin/sh\necho > "$HOME/opened"\n')
    await place.shell(`chmod +x ../bin/xdg-open`)
    const env = { DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
    expectFailure(await ask(place, server, env), 41, "gemini auth login")
    expect(await Bun.file(join(place.home, "opened")).exists()).toBe(false)
  })

  test("GOOGLE_CLOUD_ACCESS_TOKEN alone chooses no way to sign in", async () => {
    using server = google()
    await using place = await newWorkspace()
    const env = { GOOGLE_GENAI_USE_GCA: undefined, GOOGLE_CLOUD_ACCESS_TOKEN: server.issue() }
    expectFailure(await ask(place, server, env), 41, "GEMINI_API_KEY")
    expect(server.requests).toEqual([])
  })

  test("a proxy that blocks: exit 41 names it", async () => {
    using server = google()
    using blocking = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("blocked", { status: 403 })
    })
    await using place = await signedIn(server)
    const env = {
      CODE_ASSIST_ENDPOINT: "https://code-assist.example",
      HTTPS_PROXY: `http://127.0.0.1:${blocking.port}`
    }
    expectFailure(await ask(place, server, env), 41, "code-assist.example", "HTTPS_PROXY")
  })
})
