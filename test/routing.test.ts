/** Which model is asked: routing of `auto`, and what happens when a quota is used up (`--on-quota`). */
import { describe, expect, test } from "bun:test"
import { documentOf, eventsOf, type Json } from "./kit/documents.ts"
import { expectFailure, expectFailureDocument } from "./kit/expectations.ts"
import { DAILY_QUOTA, errorInfo, googleError, quotaFailure, retryInfo } from "./kit/google-errors.ts"
import { type ModelRequest, startModelServer } from "./kit/model-server.ts"
import { ask, call, type Reply, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const LITE = "gemini-3.1-flash-lite"
const PRO = "gemini-3.1-pro-preview"
const SCRIPTED = { classifier: "scripted" } as const

const score = (value: number) => say(JSON.stringify({ complexity_reasoning: "as asked", complexity_score: value }))
const modelsOf = (requests: ReadonlyArray<ModelRequest>) => requests.map(({ model }) => model)

describe.concurrent("auto", () => {
  test.each([
    ["below the threshold", score(89), "gemini-3.5-flash"],
    ["at the threshold", score(90), "gemini-3.1-pro-preview-customtools"],
    ["prose", say("It looks simple to me."), PRO],
    ["a refusal", googleError(400, "no"), PRO]
  ])("%s", async (_, classified, model) => {
    await using server = await startModelServer([classified, say("ok")], SCRIPTED)
    await using place = await newWorkspace()
    const result = await place.run(["-p", "rename a file"], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(modelsOf(server.generations)).toEqual([LITE, model])
  })

  test("the classifier gets the prompt, not the surroundings, and few tokens", async () => {
    await using server = await startModelServer([score(1), say("ok")], SCRIPTED)
    await using place = await newWorkspace()
    const document = documentOf(await place.run(["-p", "rename a file", "-o", "json"], { server }))
    const [asked] = server.generations
    expect(asked).toMatchObject({
      operation: "generateContent",
      body: {
        contents: [{ role: "user", parts: [{ text: "rename a file" }] }],
        generationConfig: { temperature: 0, maxOutputTokens: 1024, responseMimeType: "application/json" }
      }
    })
    expect(asked?.body).not.toHaveProperty("tools")
    expect(JSON.stringify(document.stats)).toContain("utility_router")
  })

  test("what the question took stays known when the conversation goes on", async () => {
    await using server = await startModelServer([score(1), say("one"), score(1), say("two")], SCRIPTED)
    await using place = await newWorkspace()
    const flags = ["-o", "json", "-p"]
    const first = documentOf(await place.run([...flags, "rename a file"], { server }))
    const second = documentOf(await place.run(["--resume", "latest", ...flags, "and another"], { server }))
    const tokensIn = (document: Json) =>
      [...JSON.stringify(document.stats).matchAll(/"tokens":\{[^}]*"total":(\d+)[^}]*\},"roles"/g)].reduce(
        (sum, [, total]) => sum + Number(total),
        0
      )
    expect(tokensIn(first)).toBeGreaterThan(0)
    const recorded = JSON.parse((await place.run(["stats", "--json"])).stdout)
    expect(recorded).toMatchObject({ requests: 4, total: tokensIn(first) + tokensIn(second) })
  })

  test("one question for each prompt, however many turns it takes", async () => {
    const lookAround = ask(call("list_directory", { dir_path: "." }))
    await using server = await startModelServer([score(1), lookAround, lookAround, say("ok")], SCRIPTED)
    await using place = await newWorkspace()
    await place.run(["-p", "look around"], { server })
    expect(modelsOf(server.generations)).toEqual([LITE, ...Array<string>(3).fill("gemini-3.5-flash")])
  })

  test.each([
    ["a named model", ["-m", "flash"], "gemini-3.5-flash"],
    ["--bare", ["--bare"], PRO],
    ["plan mode", ["--approval-mode", "plan"], "gemini-3.1-pro-preview-customtools"]
  ])("%s asks nobody", async (_, flags, model) => {
    await using server = await startModelServer([say("ok")], SCRIPTED)
    await using place = await newWorkspace()
    await place.run(["-p", "hi", ...flags], { server })
    expect(modelsOf(server.generations)).toEqual([model])
  })

  test("a prompt that does not fit is refused before anybody is asked about it", async () => {
    await using server = await startModelServer([], SCRIPTED)
    await using place = await newWorkspace()
    const stdin = { pipe: "word ".repeat(900_000) }
    expectFailure(await place.run([], { server, stdin }), 1, "context window")
    expect(server.requests).toEqual([])
  })

  test("a classifier that keeps silent costs seconds, not the run", async () => {
    await using server = await startModelServer(
      (request) => (request.model === LITE ? { ...score(1), ending: "hang", delayMs: 60_000 } : say("ok")),
      SCRIPTED
    )
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(modelsOf(server.generations)).toEqual([LITE, PRO])
  }, 30_000)
})

describe.concurrent("a router on this machine", () => {
  const gemmaAt = (host: string, more: object = {}) =>
    JSON.stringify({
      run: { classifyPrompts: true },
      experimental: { gemmaModelRouter: { enabled: true, classifier: { host }, ...more } }
    })
  const choice = (model_choice: string) => say(JSON.stringify({ reasoning: "small", model_choice }))

  test("is asked first, in one message and without a key, and nobody else is", async () => {
    await using gemma = await startModelServer([choice("flash")])
    await using server = await startModelServer([say("ok")], SCRIPTED)
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", gemmaAt(gemma.url))
    expect(await place.run(["-p", "rename a file"], { server })).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(modelsOf(server.generations)).toEqual(["gemini-3.5-flash"])
    const [asked] = gemma.generations
    expect(asked).toMatchObject({
      model: "gemma3-1b-gpu-custom",
      operation: "generateContent",
      body: {
        contents: [{ role: "user", parts: [{ text: expect.stringContaining("user: rename a file") }] }],
        generationConfig: { temperature: 0, maxOutputTokens: 256 }
      }
    })
    expect(asked?.headers).not.toHaveProperty("x-goog-api-key")
  })

  test.each<[string, Reply | undefined, object]>([
    ["prose", say("It is simple."), {}],
    ["an error", googleError(500, "no"), {}],
    ["nobody there", undefined, {}],
    ["another model", choice("flash"), { classifier: { model: "other" } }]
  ])("%s: the classifier decides", async (_, reply, more) => {
    await using gemma = await startModelServer(reply === undefined ? [] : [reply])
    if (reply === undefined) await gemma.close()
    await using server = await startModelServer([score(1), say("ok")], SCRIPTED)
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", gemmaAt(gemma.url, more))
    expect(await place.run(["-p", "hi"], { server })).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(modelsOf(server.generations)).toEqual([LITE, "gemini-3.5-flash"])
  })

  test("what is not done here is said", async () => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    const settings = { experimental: { gemmaModelRouter: { enabled: true, autoStartServer: true } } }
    await place.write("home/.gemini/settings.json", JSON.stringify(settings))
    const { stderr } = await place.run(["-p", "hi", "-m", "flash"], { server })
    expect(stderr).toContain("experimental.gemmaModelRouter.autoStartServer has no effect")
  })
})

describe.concurrent("a preset of the person's own", () => {
  const mine = {
    extends: "chat-base-3",
    modelConfig: { model: "gemini-3.5-flash", generateContentConfig: { temperature: 0.33 } }
  }
  const modelConfigs = {
    customAliases: { mine, other: { extends: "mine" } },
    customOverrides: [{ match: { model: "mine" }, modelConfig: { generateContentConfig: { topK: 7 } } }]
  }

  test.each([
    ["by a flag", ["-m", "mine"], { modelConfigs }],
    ["by a setting", [], { modelConfigs, model: { name: "mine" } }],
    ["through another one", ["-m", "other"], { modelConfigs }],
    ["with a wish about thinking", ["-m", "mine", "--thinking", "low"], { modelConfigs }]
  ])("%s brings its parameters to every request of the prompt", async (_, flags, settings) => {
    await using server = await startModelServer([ask(call("list_directory", { dir_path: "." })), say("ok")])
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", JSON.stringify(settings))
    const result = await place.run(["-p", "hello", ...flags], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(modelsOf(server.generations)).toEqual(["gemini-3.5-flash", "gemini-3.5-flash"])
    for (const { body } of server.generations) {
      expect(body).toMatchObject({ generationConfig: { temperature: 0.33, topK: 7, topP: 0.95 } })
    }
  })
})

describe("tables of the settings", () => {
  const modelConfigs = {
    modelIdResolutions: { pro: { default: "house-pro" } },
    modelChains: { house: [{ model: "pro" }, { model: "house-flash", isLastResort: true }] }
  }
  const settingsWith = (tables: object, isOn = true) =>
    JSON.stringify({ experimental: { dynamicModelConfiguration: isOn }, modelConfigs: tables })

  test("say what a name means and who stands in, where they were turned on", async () => {
    await using server = await startModelServer(usedUpFor("house-pro"))
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settingsWith(modelConfigs))
    const run = await place.run(["-p", "hi", "-m", "pro", "--on-quota", "fallback"], { server })
    expect(run).toMatchObject({ exitCode: 0, stdout: "answered\n" })
    expect(modelsOf(server.generations)).toEqual(["house-pro", "house-flash"])
    await place.write("home/.gemini/settings.json", settingsWith(modelConfigs, false))
    await place.run(["-p", "hi", "-m", "pro"], { server })
    expect(modelsOf(server.generations).at(-1)).toBe("gemini-3.1-pro-preview")
  })

  test("that cannot be read are named, and the built-in ones are used", async () => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settingsWith({ modelIdResolutions: { pro: {} } }))
    const run = await place.run(["-p", "hi", "-m", "pro"], { server })
    expect(run).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(run.stderr).toMatch(/modelConfigs\.modelIdResolutions\.pro\.default: .*; the built-in table is used/)
    expect(modelsOf(server.generations)).toEqual(["gemini-3.1-pro-preview"])
  })
})

const usedUp = googleError(429, "used up", [quotaFailure(DAILY_QUOTA)])
const usedUpFor =
  (...models: ReadonlyArray<string>) =>
  ({ model }: ModelRequest): Reply =>
    models.includes(model ?? "") ? usedUp : say("answered")

describe.concurrent("--on-quota", () => {
  test("fail is the default: no other model is asked", async () => {
    await using server = await startModelServer(usedUpFor(PRO))
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "pro", "-o", "json"], { server })
    expectFailureDocument(result, 1, { completion_reason: "quota" })
    expect(modelsOf(server.generations)).toEqual([PRO])
  })

  test.each<[string, ReadonlyArray<string>, Record<string, string>]>([
    ["the flag", ["--on-quota", "fallback"], {}],
    ["the variable", [], { GEMINI_ON_QUOTA: "fallback" }]
  ])("fallback by %s: the next model answers, and the result names it", async (_, flags, env) => {
    await using server = await startModelServer(usedUpFor(PRO))
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "pro", "-o", "json", ...flags], { server, env })
    const document = documentOf(result)
    expect(modelsOf(server.generations)).toEqual([PRO, "gemini-3-flash-preview"])
    expect(document).toMatchObject({ response: "answered", completion_reason: "success" })
    expect(JSON.stringify(document.warnings)).toContain("gemini-3-flash-preview answers in place of")
    expect(document.stats).toMatchObject({ models: { [PRO]: { api: { totalErrors: 1 } } } })
    expect(result.exitCode).toBe(0)
  })

  test("fallback by the setting, to a model of the user's choice, in every later turn too", async () => {
    await using server = await startModelServer((request, index) => {
      if (request.model === "mine") return usedUp
      return index === 1 ? ask(call("list_directory", { dir_path: "." })) : say("answered")
    })
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "run": { "onQuota": "fallback:spare" } }')
    const result = await place.run(["-p", "hi", "-m", "mine", "-o", "stream-json"], { server })
    expect(modelsOf(server.generations)).toEqual(["mine", "spare", "spare"])
    const notices = eventsOf(result).filter(({ type }) => type === "error")
    expect(notices).toHaveLength(1)
  })

  test("the parameters of the request stay what they were", async () => {
    await using server = await startModelServer(usedUpFor(PRO))
    await using place = await newWorkspace()
    await place.run(["-p", "hi", "-m", "pro", "--on-quota", "fallback:gemini-2.5-flash"], { server })
    const config = { temperature: 1, topP: 0.95, topK: 64 }
    expect(server.generations[1]?.body).toMatchObject({
      generationConfig: { ...config, thinkingConfig: { thinkingBudget: 8192 } }
    })
  })

  test("the fallback fails as well: the run fails, and names both", async () => {
    await using server = await startModelServer(usedUpFor(PRO, "gemini-3-flash-preview"))
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "pro", "--on-quota", "fallback"], { server })
    expectFailure(result, 1, "used up", PRO)
    expect(modelsOf(server.generations)).toEqual([PRO, "gemini-3-flash-preview"])
  })

  test("a wrong key is not a quota", async () => {
    await using server = await startModelServer(() =>
      googleError(400, "API key not valid", [errorInfo("API_KEY_INVALID")])
    )
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "pro", "--on-quota", "fallback"], { server })
    expect(result.exitCode).not.toBe(0)
    expect(server.generations).toHaveLength(1)
  })

  test("wait: a wait that does not fit into the run's time is not begun", async () => {
    await using server = await startModelServer(() => usedUp)
    await using place = await newWorkspace()
    const flags = ["--on-quota", "wait", "--max-time", "20s"]
    const result = await place.run(["-p", "hi", "-m", "pro", ...flags], { server })
    expectFailure(result, 1, "of the run's time is left")
    expect(server.generations).toHaveLength(1)
  })

  test("wait: what the server asks for is waited, and then answered", async () => {
    await using server = await startModelServer([googleError(429, "slow down", [retryInfo("0.2s")]), say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "pro", "--on-quota", "wait"], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
  })

  test("anything else is refused before a request", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expectFailure(await place.run(["-p", "hi", "--on-quota", "panic"], { server }), 1, "--on-quota", "fallback:MODEL")
    const env = { GEMINI_ON_QUOTA: "panic" }
    expectFailure(await place.run(["-p", "hi"], { server, env }), 1, "GEMINI_ON_QUOTA", "fallback:MODEL")
    expect(server.requests).toEqual([])
  })
})
