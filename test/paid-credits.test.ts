/** Credits of Google One AI: who pays with them when a quota is used up, who is asked, and what is told of it. */
import { describe, expect, test } from "bun:test"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { type Answer, type GoogleRequest, startGoogle, status } from "./kit/google.ts"
import { DAILY_QUOTA, errorBody, quotaFailure } from "./kit/google-errors.ts"
import { untilHolds } from "./kit/processes.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const PRO = "gemini-3.1-pro-preview"
const READY = "Type your message"
const pays = ({ body }: GoogleRequest) => body.enabled_credit_types !== undefined

const credits = (amount: string) => [{ creditType: "GOOGLE_ONE_AI", creditAmount: amount }]

/** The quota of the pro model is used up; whoever pays gets an answer, and so does whoever takes another model. */
const paidModel: Answer = (request) =>
  !pays(request) && request.body.model === PRO
    ? status(429, errorBody(429, "no more today", [quotaFailure(DAILY_QUOTA)]))
    : new Response(
        `data: ${JSON.stringify({
          response: {
            candidates: [
              { content: { role: "model", parts: [{ text: pays(request) ? "paid" : "free" }] }, finishReason: "STOP" }
            ]
          },
          ...(pays(request) ? { consumedCredits: credits("7"), remainingCredits: credits("73") } : {})
        })}\n\n`,
        { headers: { "content-type": "text/event-stream" } }
      )

const server = (balance: string, answers: Readonly<Record<string, Answer>> = {}) =>
  startGoogle({
    answers: {
      loadCodeAssist: () => ({
        currentTier: { id: "standard-tier" },
        paidTier: { id: "g1-pro-tier", name: "AI Pro", availableCredits: credits(balance) },
        cloudaicompanionProject: "p"
      }),
      listExperiments: () => ({ flags: [{ flagId: 45760185, boolValue: true }] }),
      retrieveUserQuota: () => ({ buckets: [{ modelId: PRO, remainingFraction: 0 }] }),
      streamGenerateContent: paidModel,
      ...answers
    }
  })

const signedIn = async (google: ReturnType<typeof startGoogle>, strategy?: string): Promise<Workspace> => {
  const place = await newWorkspace()
  await place.write("home/.gemini/oauth_creds.json", google.signedIn())
  if (strategy !== undefined) {
    await place.write("home/.gemini/settings.json", JSON.stringify({ billing: { overageStrategy: strategy } }))
  }
  return place
}
const ARGS = ["-p", "hi", "-m", PRO]

describe("without a person", () => {
  for (const strategy of [undefined, "ask", "never"]) {
    test(`${strategy ?? "nothing said"}: nothing is spent, and the run fails as it would`, async () => {
      using google = server("80")
      await using place = await signedIn(google, strategy)
      const run = await place.run(ARGS, { env: google.env })
      expect(run.exitCode).toBe(1)
      expect(run.stderr).toContain("no more today")
      expect(google.named("streamGenerateContent").some(pays)).toBe(false)
    })
  }

  test("always: spent, said once on stderr, and counted", async () => {
    using google = server("80")
    await using place = await signedIn(google, "always")
    const file = join(place.root, "telemetry.log")
    const env = { ...google.env, GEMINI_TELEMETRY_ENABLED: "true", GEMINI_TELEMETRY_OUTFILE: file }
    const run = await place.run([...ARGS, "-o", "json"], { env })
    expect(run.exitCode).toBe(0)
    expect(await place.read("telemetry.log")).toMatch(/"credits_consumed": 7,\s+"credits_remaining": 73/)
    expect(JSON.parse(run.stdout)).toMatchObject({ response: "paid", stats: { credits: 7 } })
    expect(run.stderr.split("\n").filter((line) => line.includes("Paid credits are used"))).toHaveLength(1)
    expect(run.stderr).toContain("80 are left")
    expect(google.named("streamGenerateContent").map(({ body }) => body.enabled_credit_types)).toEqual([
      ["GOOGLE_ONE_AI"]
    ])
  })

  test("always, of a project: it does not spend what is not its own", async () => {
    using google = server("80")
    await using place = await signedIn(google)
    await place.write("work/.gemini/settings.json", '{ "billing": { "overageStrategy": "always" } }')
    expect((await place.run(ARGS, { env: google.env })).exitCode).toBe(1)
    expect(google.named("streamGenerateContent").some(pays)).toBe(false)
  })

  test.each([
    ["too few are left", "49", PRO],
    ["a model that they are not for", "80", "gemini-2.5-pro"]
  ])("always, and %s: not asked for", async (_, balance, model) => {
    using google = server(balance)
    await using place = await signedIn(google, "always")
    const run = await place.run(["-p", "hi", "-m", model], { env: google.env })
    expect(google.named("streamGenerateContent").some(pays)).toBe(false)
    expect(run.stderr).not.toContain("credits")
  })
})

describe("at the terminal", () => {
  const begin = async (place: Workspace, google: ReturnType<typeof startGoogle>) => {
    const browser = await place.write("bin/xdg-open", `#!/bin/sh\nprintf '%s\\n' "$1" > "$HOME/opened"\n`)
    await chmod(browser, 0o755)
    const env = { ...google.env, DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
    const terminal = startInTerminal(place, ["-m", PRO], { env, columns: 200 })
    await terminal.shows(READY)
    terminal.type("hello\r")
    return terminal
  }

  test("credits are offered with what is left by now, used for the rest of the session, and told", async () => {
    using google = server("80")
    await using place = await signedIn(google)
    const terminal = await begin(place, google)
    await terminal.shows("? 1-4: ")
    for (const words of ["1. Use credits", "80 are left", "2. Switch to", "3. Manage credits", "4. Stop"]) {
      expect(terminal.plain()).toContain(words)
    }
    expect(google.named("loadCodeAssist")).toHaveLength(2)
    terminal.type("1\r")
    await terminal.showsNext("paid")
    terminal.type("again\r")
    await terminal.showsNext("paid")
    terminal.type("/stats\r")
    await terminal.showsNext("14 used, 73 left")
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
    expect(google.named("streamGenerateContent").map(pays)).toEqual([false, true, true])
    expect(await place.read("home/.gemini/oauth_creds.json")).toContain("refresh")
    expect(await Bun.file(join(place.home, ".gemini/settings.json")).exists()).toBe(false)
  })

  test("another model instead; the page where they are managed; and neither spends anything", async () => {
    using google = server("80")
    await using place = await signedIn(google)
    const terminal = await begin(place, google)
    await terminal.shows("? 1-4: ")
    terminal.type("3\r")
    await terminal.shows("no more today")
    await untilHolds(join(place.home, "opened"), "activity")
    expect(terminal.plain()).toContain("https://accounts.google.com/AccountChooser?Email=ada%40example.com")
    terminal.type("hello\r")
    await terminal.showsNext("? 1-4: ")
    terminal.type("2\r")
    await terminal.showsNext("free")
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
    expect(google.named("streamGenerateContent").some(pays)).toBe(false)
  })

  test("too few are left: where to get some", async () => {
    using google = server("12")
    await using place = await signedIn(google)
    const terminal = await begin(place, google)
    await terminal.shows("? 1-3: ")
    expect(terminal.plain()).toContain("only 12 are left")
    expect(terminal.plain()).toContain("1. Get credits")
    terminal.type("1\r")
    await untilHolds(join(place.home, "opened"), "credits")
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
  })

  test("never, and accounts without any: not spoken of", async () => {
    using google = server("80")
    using poor = server("0", {
      loadCodeAssist: () => ({ currentTier: { id: "standard-tier" }, cloudaicompanionProject: "p" })
    })
    for (const [one, strategy] of [
      [google, "never"],
      [poor, "ask"]
    ] as const) {
      await using place = await signedIn(one, strategy)
      const terminal = await begin(place, one)
      await terminal.shows("? 1-2: ")
      expect(terminal.plain()).not.toMatch(/credits/i)
      terminal.type("2\r")
      await terminal.showsNext("no more today")
      terminal.type("\u0004")
      expect(await terminal.exitCode).toBe(0)
    }
  })
})
