/** What an account may use: tiers, projects, signing up, and what is said where it may not. */
import { describe, expect, test } from "bun:test"
import { expectFailure, expectFailureDocument } from "./kit/expectations.ts"
import { type GoogleOptions, refusal, startGoogle, status } from "./kit/google.ts"
import { answer, call, chunk, finish, say } from "./kit/replies.ts"
import { newWorkspace, type RunResult } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

type Server = ReturnType<typeof startGoogle>

/** One run of somebody who is signed in. */
const asked = async (
  answers: GoogleOptions["answers"] = {},
  env: Record<string, string | undefined> = {},
  args: ReadonlyArray<string> = []
): Promise<RunResult & { readonly server: Server }> => {
  using server = startGoogle({ says: [say("hello")], answers })
  await using place = await newWorkspace()
  await place.write("home/.gemini/oauth_creds.json", server.signedIn())
  const result = await place.run(["-p", "hi", "-m", "gemini-2.5-pro", ...args], { env: { ...server.env, ...env } })
  return { ...result, server }
}
const bodies = ({ server }: { readonly server: Server }, name: string) => server.named(name).map(({ body }) => body)
const METADATA = { ideType: "IDE_UNSPECIFIED", platform: "PLATFORM_UNSPECIFIED", pluginType: "GEMINI" }
const loads = (answer: unknown) => ({ loadCodeAssist: () => answer })

describe("somebody known", () => {
  test("the project of the server goes before that of the environment", async () => {
    const run = await asked({}, { GOOGLE_CLOUD_PROJECT: "mine" })
    expect(bodies(run, "loadCodeAssist")).toEqual([
      { cloudaicompanionProject: "mine", metadata: { ...METADATA, duetProject: "mine" } }
    ])
    expect(bodies(run, "streamGenerateContent")[0]).toMatchObject({ project: "project-of-the-server" })
  })

  for (const name of ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"]) {
    test(`without one, that of ${name}`, async () => {
      const run = await asked(loads({ currentTier: { id: "standard-tier" } }), { [name]: "mine" })
      expect(bodies(run, "streamGenerateContent")[0]).toMatchObject({ project: "mine" })
    })
  }

  test("neither: what to set, exit 41", async () => {
    expectFailure(await asked(loads({ currentTier: { id: "standard-tier" } })), 41, "GOOGLE_CLOUD_PROJECT")
  })

  test("neither, and reasons why no tier is left: the reasons", async () => {
    const answer = {
      currentTier: { id: "x" },
      ineligibleTiers: [
        { reasonCode: "RESTRICTED_AGE", reasonMessage: "Too young." },
        { reasonCode: "UNSUPPORTED_LOCATION", reasonMessage: "Not here." }
      ]
    }
    expectFailure(await asked(loads(answer)), 41, "Too young; Not here")
  })

  test("a number is no project: nothing is asked", async () => {
    const run = await asked({}, { GOOGLE_CLOUD_PROJECT: "123456" })
    expectFailure(run, 41, "123456", "number", "id")
    expect(run.server.requests).toEqual([])
  })

  test("behind a perimeter of the organisation: the standard tier", async () => {
    const run = await asked(
      { loadCodeAssist: () => refusal(403, "no", [{ reason: "SECURITY_POLICY_VIOLATED" }]) },
      { GOOGLE_CLOUD_PROJECT: "mine" }
    )
    expect(run).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    expect(run.server.named("onboardUser")).toEqual([])
  })
})

describe("somebody new", () => {
  const tiers = (id: string, rest = {}) =>
    loads({ allowedTiers: [{ id: "other" }, { id, name: `Tier ${id}`, isDefault: true }], ...rest })

  test("the free tier names no project", async () => {
    const run = await asked(tiers("free-tier"), { GOOGLE_CLOUD_PROJECT: "mine" })
    expect(run.stderr).toContain("Setting up Tier free-tier")
    expect(bodies(run, "onboardUser")).toEqual([{ tierId: "free-tier", metadata: METADATA }])
    expect(bodies(run, "streamGenerateContent")[0]).toMatchObject({ project: "given-project" })
  })

  test("others name it", async () => {
    const run = await asked(tiers("standard-tier"), { GOOGLE_CLOUD_PROJECT: "mine" })
    expect(bodies(run, "onboardUser")).toEqual([
      { tierId: "standard-tier", cloudaicompanionProject: "mine", metadata: { ...METADATA, duetProject: "mine" } }
    ])
  })

  test("no tier at all: the old one", async () => {
    expect(bodies(await asked(loads({})), "onboardUser")).toMatchObject([{ tierId: "legacy-tier" }])
  })

  test("an operation is looked after until it is done", async () => {
    const run = await asked({
      ...tiers("free-tier"),
      onboardUser: () => ({ name: "operations/7", done: false }),
      "operations/7": (_, index) =>
        index === 0 ? { name: "operations/7" } : { done: true, response: { cloudaicompanionProject: { id: "later" } } }
    })
    expect(run.exitCode).toBe(0)
    expect(bodies(run, "streamGenerateContent")[0]).toMatchObject({ project: "later" })
  })

  test("an operation that fails says why", async () => {
    const run = await asked({
      ...tiers("free-tier"),
      onboardUser: () => ({ name: "operations/7", done: true, error: { message: "no more places." } })
    })
    expectFailure(run, 41, "no more places")
  })

  test("an operation that never ends is bounded by the time of the run", async () => {
    const run = await asked(
      {
        ...tiers("free-tier"),
        onboardUser: () => ({ name: "operations/7" }),
        "operations/7": () => ({ name: "operations/7" })
      },
      {},
      ["--max-time", "3s"]
    )
    expect(run.exitCode).toBe(53)
  })

  test("an account that has to be verified: the link, exit 41, a document", async () => {
    const answer = {
      ineligibleTiers: [
        {
          reasonCode: "VALIDATION_REQUIRED",
          reasonMessage: "Verify your account.",
          validationUrl: "https://example.com/verify",
          validationUrlLinkText: "Verify here"
        }
      ]
    }
    expectFailure(await asked(loads(answer)), 41, "Verify your account", "https://example.com/verify")
    const run = await asked(loads(answer), {}, ["-o", "json"])
    expectFailureDocument(run, 41, { completion_reason: "auth" })
    expect(run.stdout).toContain("https://example.com/verify")
    expect(run.server.named("onboardUser")).toEqual([])
  })

  for (const reasonCode of [
    ...["DASHER_USER", "INELIGIBLE_ACCOUNT", "NON_USER_ACCOUNT", "RESTRICTED_AGE", "RESTRICTED_NETWORK", "UNKNOWN"],
    ...["UNKNOWN_LOCATION", "UNSUPPORTED_LOCATION"]
  ]) {
    test(`${reasonCode}: its reason, exit 41`, async () => {
      const run = await asked({
        ...tiers("standard-tier", { ineligibleTiers: [{ reasonCode, reasonMessage: `Because of ${reasonCode}.` }] }),
        onboardUser: () => ({ done: true, response: {} })
      })
      expectFailure(run, 41, `Because of ${reasonCode}`)
    })
  }
})

describe("a server that refuses or cannot answer", () => {
  test("suspended: where to appeal", async () => {
    const details = [
      {
        reason: "TOS_VIOLATION",
        metadata: { appeal_url: "https://example.com/appeal", appeal_url_link_text: "Appeal" }
      }
    ]
    const run = await asked({ loadCodeAssist: () => refusal(403, "Suspended.", details) })
    expectFailure(run, 41, "suspended", "https://example.com/appeal")
  })

  test("Cloud Shell's project: name one of your own", async () => {
    const run = await asked(
      { loadCodeAssist: () => refusal(403, "denied") },
      { GOOGLE_CLOUD_PROJECT: "cloudshell-gca" }
    )
    expectFailure(run, 41, "gcloud config set project", "GOOGLE_CLOUD_PROJECT")
  })

  test("down: asked three times, exit 41", async () => {
    const run = await asked({ loadCodeAssist: () => status(503) })
    expectFailure(run, 41, "503")
    expect(run.server.named("loadCodeAssist").length).toBe(3)
  })

  for (const [name, answer] of [
    ["something else", () => new Response("<html>a portal</html>")],
    ["a list", () => []],
    ["far too much", () => new Response("x".repeat(6 * 1024 * 1024))]
  ] as const) {
    test(`${name} in place of an answer: exit 41 names the server`, async () => {
      expectFailure(await asked({ loadCodeAssist: answer }), 41, "127.0.0.1")
    })
  }

  test("experiments and quota that fail stop nothing", async () => {
    const run = await asked({ listExperiments: () => status(500), retrieveUserQuota: () => status(403) })
    expect(run).toMatchObject({ stdout: "hello\n", stderr: "", exitCode: 0 })
  })
})

describe("experiments", () => {
  const flags = (list: Readonly<Record<number, unknown>>) => ({
    listExperiments: () => ({
      experimentIds: [12, "34"],
      flags: Object.entries(list).map(([flagId, value]) => ({
        flagId: Number(flagId),
        ...(typeof value === "boolean"
          ? { boolValue: value }
          : typeof value === "string"
            ? { intValue: value }
            : { floatValue: value })
      }))
    })
  })
  const has = (...models: ReadonlyArray<string>) => ({
    retrieveUserQuota: () => ({ buckets: models.map((modelId) => ({ modelId, remainingFraction: 1 })) })
  })
  const models = (run: { readonly server: Server }) => bodies(run, "streamGenerateContent").map(({ model }) => model)

  test.each<[string, GoogleOptions["answers"], string, string]>([
    ["the strongest of those it has", has("gemini-3-pro-preview"), "auto", "gemini-3-pro-preview"],
    [
      "its successor",
      { ...has("gemini-3-pro-preview"), ...flags({ 45760185: true }) },
      "auto",
      "gemini-3.1-pro-preview"
    ],
    [
      "no pro at all",
      { ...has("gemini-3-pro-preview"), ...flags({ 45768879: true }) },
      "auto",
      "gemini-3-flash-preview"
    ],
    ["the newest flash, by the server's name", flags({ 45780819: true }), "flash", "gemini-3-flash"],
    ["what it has not", has("gemini-2.5-pro"), "gemini-3-pro-preview", "gemini-2.5-pro"]
  ])("%s", async (_, answers, name, model) => {
    expect(models(await asked(answers, {}, ["-m", name]))).toEqual([model])
  })

  test("the time for the first line of an answer", async () => {
    const answers = { ...flags({ 45773134: "1" }), streamGenerateContent: () => new Promise(() => {}) }
    const run = await asked(answers, {}, ["--max-time", "20s", "--settings", '{"general":{"maxAttempts":1}}'])
    expect(run.stderr).toContain("within 1s")
    expect(run.exitCode).toBe(1)
  })

  test("the threshold of the routing, its ids in telemetry, and a history that is compressed early", async () => {
    using server = startGoogle({
      says: [
        ...[100, 100, 100, 5000].map((prompt, index) =>
          answer([chunk(call("no_such_tool", { index })), finish("STOP", { prompt })])
        ),
        say("hello")
      ],
      answers: { ...has("gemini-3-pro-preview"), ...flags({ 45750527: "101", 45740197: 0.001 }) }
    })
    await using place = await newWorkspace()
    await place.write("home/.gemini/oauth_creds.json", server.signedIn())
    const file = `${place.root}/telemetry.log`
    const env = { ...server.env, GEMINI_TELEMETRY_ENABLED: "true", GEMINI_TELEMETRY_OUTFILE: file }
    const run = await place.run(["-p", "hi", "-m", "auto"], { env })
    expect(run).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    const told = await place.read("telemetry.log")
    expect(told).toMatch(/"experiments.ids": \[\s*"12",\s*"34"\s*\]/)
    expect(told).toContain("threshold 90 (Default)")
    expect(JSON.stringify(server.requests)).toContain("state_snapshot")
  })
})

describe("what the server knows of the account", () => {
  const FREE = { currentTier: { id: "free-tier", name: "Free of charge" }, cloudaicompanionProject: "p" }

  test("without a person: the quota that is left, the choice about prompts, and nothing is changed", async () => {
    using server = startGoogle({
      answers: {
        ...loads(FREE),
        getCodeAssistGlobalUserSetting: () => status(404),
        retrieveUserQuota: () => ({
          buckets: [
            { modelId: "gemini-2.5-pro", remainingFraction: 0.25, resetTime: "2020-01-01T00:00:00Z" },
            { modelId: "gemini-3-flash", remainingFraction: 0.5, remainingAmount: "500" },
            { modelId: "odd" }
          ]
        })
      }
    })
    await using place = await newWorkspace()
    await place.write("home/.gemini/oauth_creds.json", server.signedIn())
    const run = (...args: ReadonlyArray<string>) => place.run(args, { env: server.env })
    const stats = await run("-p", "/stats model")
    expect(stats.stdout.split("\n").slice(-5)).toEqual([
      "Quota             Left                  Resets",
      "gemini-2.5-pro    25.0%                 2020-01-01 00:00 UTC",
      "gemini-3.5-flash  50.0% (500 of 1,000)  -",
      "odd               -                     -",
      ""
    ])
    expect((await run("-p", "/privacy")).stdout).toContain("may use them to improve its products, unless you say no")
    const auth = await run("auth", "status", "--json", "--quota")
    expect(JSON.parse(auth.stdout)).toMatchObject({
      tier: "free-tier",
      quota: [
        { modelId: "gemini-2.5-pro", left: 0.25 },
        { modelId: "gemini-3.5-flash", remaining: 500 },
        { modelId: "odd" }
      ]
    })
    expect(server.named("setCodeAssistGlobalUserSetting")).toEqual([])
    expectFailure(
      await place.run(["auth", "status", "--quota"], { env: { GEMINI_API_KEY: "k" } }),
      1,
      "sign in with Google"
    )
  })

  test("in a conversation: who it is stands above, the choice is asked for, kept, and said", async () => {
    let isAllowed = true
    using server = startGoogle({
      answers: {
        ...loads(FREE),
        listExperiments: () => ({ flags: [{ flagId: 45740199, stringValue: "A word of the server." }] }),
        getCodeAssistGlobalUserSetting: () => ({ freeTierDataCollectionOptin: isAllowed }),
        setCodeAssistGlobalUserSetting: ({ body }) => {
          isAllowed = body.freeTierDataCollectionOptin === true
          return body
        }
      }
    })
    await using place = await newWorkspace()
    await place.write("home/.gemini/oauth_creds.json", server.signedIn())
    const terminal = startInTerminal(place, ["-m", "gemini-2.5-pro"], { env: server.env, columns: 200 })
    await terminal.shows("A word of the server.")
    await terminal.shows("ada@example.com")
    await terminal.shows("Type your message")
    expect(terminal.plain()).toMatch(/ada@example\.com . Free of charge . project p/)
    terminal.type("/privacy\r")
    await terminal.shows("to develop and improve its products?")
    await terminal.shows("? 1-2")
    terminal.type("2\r")
    await terminal.shows("Google may not use them")
    expect(server.named("setCodeAssistGlobalUserSetting").map(({ body }) => body)).toEqual([
      { cloudaicompanionProject: "p", freeTierDataCollectionOptin: false }
    ])
    expect(server.named("getCodeAssistGlobalUserSetting").map(({ method }) => method)).toEqual(["GET"])
    terminal.type("/stats\r")
    await terminal.shows("gemini-2.5-pro  50.0%")
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
  })
})

describe("metrics of edits", () => {
  const edits = async (settings: object) => {
    using server = startGoogle({
      says: [
        answer([
          chunk({ text: "```ts\n1\n```" }),
          chunk(
            call("write_file", { file_path: "a.ts", content: "1\n2\n" }),
            call("write_file", { file_path: "b.md", content: "3\n" })
          ),
          finish("STOP")
        ]),
        answer([chunk(call("replace", { file_path: "a.ts", old_string: "nowhere", new_string: "x" })), finish("STOP")]),
        say("done")
      ]
    })
    await using place = await newWorkspace()
    await place.write("home/.gemini/oauth_creds.json", server.signedIn())
    await place.write("home/.gemini/settings.json", JSON.stringify(settings))
    const run = await place.run(["-y", "-p", "hi", "-m", "gemini-2.5-pro"], { env: server.env })
    expect(run).toMatchObject({ stdout: expect.stringContaining("done\n"), exitCode: 0 })
    return server.named("recordCodeAssistMetrics").map(({ body }) => body)
  }

  test("are sent where the person turned statistics on in a file: what was offered, and what was taken over", async () => {
    const sent = await edits({ privacy: { usageStatisticsEnabled: true } })
    const metrics = sent.flatMap(({ metrics: list }) => list as ReadonlyArray<Record<string, unknown>>)
    expect(sent[0]).toMatchObject({ project: "project-of-the-server", metadata: { updateChannel: "stable" } })
    expect(metrics.map(({ timestamp, ...metric }) => metric)).toMatchObject([
      {
        conversationOffered: {
          ...{ citationCount: "0", includedCode: true, status: 1, traceId: "trace-1", isAgentic: true },
          streamingLatency: { totalLatency: expect.stringMatching(/^\d+\.\d{3}s$/) },
          initiationMethod: 2,
          trajectoryId: expect.any(String)
        }
      },
      {
        conversationInteraction: {
          ...{ traceId: "trace-1", status: 1, interaction: 7, acceptedLines: "3", removedLines: "0" },
          ...{ language: "TypeScript", isAgentic: true, initiationMethod: 2 }
        }
      },
      { conversationOffered: { traceId: "trace-2", includedCode: false } }
    ])
  })

  test("are not where nobody did", async () => {
    expect(await edits({})).toEqual([])
    expect(await edits({ privacy: { usageStatisticsEnabled: false } })).toEqual([])
  })
})
