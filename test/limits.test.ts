/** Limits of a run: what is counted, where it ends, and what it costs. */
import { describe, expect, test } from "bun:test"
import { documentOf, resultOf } from "./kit/documents.ts"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { googleError } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, MODEL_VERSION, type Reply, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const look = (...folders: ReadonlyArray<string>): Reply =>
  ask(...folders.map((folder) => call("list_directory", { dir_path: folder })))
/** Never ends by itself; every turn asks for something else, so that it is not a loop. */
const endless = (_: unknown, index: number): Reply => look(`folder-${index}`)

const PRICES = JSON.stringify({ run: { prices: { [MODEL_VERSION]: { input: 1000, output: 0 } } } })

describe.concurrent("every limit ends the run with exit 53 and its reason", () => {
  test.each<[ReadonlyArray<string>, string, number]>([
    [["--max-turns", "3"], "max_turns", 3],
    [["--max-tool-calls", "2"], "max_tool_calls", 3],
    // Each answer counts 17 tokens.
    [["--max-tokens", "30"], "budget", 2],
    // Ten prompt tokens of which four were kept: a cent each, kept or not.
    [["--max-cost", "0.015"], "budget", 2]
  ])("%j: %s", async (flags, reason, requests) => {
    await using server = await startModelServer(endless)
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", PRICES)
    const json = await place.run(["-p", "hi", "-o", "json", ...flags], { server })
    expectFailureDocument(json, 53, { completion_reason: reason })
    expect(server.generations).toHaveLength(requests)
    const stream = await place.run(["-p", "hi", "-o", "stream-json", ...flags], { server })
    expectFailureEvents(stream, 53, { completion_reason: reason })
    expectFailure(await place.run(["-p", "hi", ...flags], { server }), 53, flags[0] ?? "")
  })

  test.each<[Record<string, string>, string]>([
    [{ GEMINI_MAX_TURNS: "1" }, "GEMINI_MAX_TURNS"],
    [{ GEMINI_MAX_TOOL_CALLS: "1" }, "GEMINI_MAX_TOOL_CALLS"],
    [{ GEMINI_MAX_TOKENS: "10" }, "GEMINI_MAX_TOKENS"],
    [{ GEMINI_MAX_COST: "0.005" }, "GEMINI_MAX_COST"]
  ])("variables: %j", async (env, source) => {
    await using server = await startModelServer(endless)
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", PRICES)
    expectFailure(await place.run(["-p", "hi"], { server, env }), 53, source)
  })

  test.each(["maxTurns", "maxToolCalls", "maxTokens"])("the setting run.%s", async (key) => {
    await using server = await startModelServer(endless)
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", JSON.stringify({ run: { [key]: 1 } }))
    expectFailure(await place.run(["-p", "hi"], { server }), 53, `run.${key}`)
  })
})

test("exactly the allowed calls are made, also when one turn asks for more", async () => {
  await using server = await startModelServer([
    ask(...["a", "b", "c"].map((name) => call("write_file", { file_path: `${name}.txt`, content: name }))),
    say("never asked for")
  ])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "--yolo", "-o", "json", "--max-tool-calls", "2"], { server })
  expectFailureDocument(result, 53, { completion_reason: "max_tool_calls" })
  expect([await place.read("work/a.txt"), await place.read("work/b.txt")]).toEqual(["a", "b"])
  expect(place.read("work/c.txt")).rejects.toThrow()
  expect(server.generations).toHaveLength(1)
})

test("a run that ends within its limits is a success", async () => {
  await using server = await startModelServer([look("."), say("done")])
  await using place = await newWorkspace()
  const flags = ["--max-turns", "2", "--max-tool-calls", "1", "--max-tokens", "18"]
  expect(await place.run(["-p", "hi", ...flags], { server })).toMatchObject({ exitCode: 0, stdout: "done\n" })
})

test("the time limit holds while the run waits for the next attempt", async () => {
  await using server = await startModelServer(() => googleError(503, "overloaded"))
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "-m", "pro", "--max-time", "2s", "-o", "json"], { server })
  expect([1, 53]).toContain(result.exitCode)
  expect(server.generations.length).toBeLessThan(3)
})

test("what compression used counts, and nothing is sent after it", async () => {
  let turns = 0
  const main = (): Reply =>
    answer([chunk(call("no_such_tool", { turns })), finish("STOP", { prompt: turns++ === 3 ? 600_000 : 1000 })])
  const snapshot = answer([
    chunk(text("<state_snapshot>the goal</state_snapshot>")),
    finish("STOP", { prompt: 100_000 })
  ])
  const isMain = ({ operation }: { readonly operation: string | undefined }) => operation === "streamGenerateContent"
  await using server = await startModelServer((request) => (isMain(request) ? main() : snapshot))
  await using place = await newWorkspace()
  const flags = ["-m", "gemini-2.5-pro", "-o", "json", "--max-tokens", "700000"]
  const result = await place.run(["-p", "the task", ...flags], { server })
  expectFailureDocument(result, 53, { completion_reason: "budget" })
  expect(server.generations.filter(isMain)).toHaveLength(4)
  expect(server.generations.some((request) => !isMain(request))).toBe(true)
})

describe.concurrent("cost", () => {
  test("is part of the statistics", async () => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", PRICES)
    const document = documentOf(await place.run(["-p", "hi", "-o", "json"], { server }))
    expect(document.stats).toMatchObject({ cost_usd: 0.01 })
    const result = resultOf(await place.run(["-p", "hi", "-o", "stream-json"], { server }))
    expect(result.stats).toMatchObject({ cost_usd: 0.01 })
  })
  test("of a model without a price is not known", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const document = documentOf(await place.run(["-p", "hi", "-m", "mine", "-o", "json"], { server }))
    expect(document.stats).toMatchObject({ cost_usd: null })
  })
  test("a limit that cannot be kept is refused before anything is sent", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "mine", "--max-cost", "1"], { server })
    expectFailure(result, 52, "mine", "run.prices")
    expect(server.requests).toEqual([])
  })
})

describe.concurrent("--estimate", () => {
  const context = "Always answer in the form of a haiku about ships and rain.\n".repeat(40)

  test("lists every part and file, and sends nothing; no key is needed", async () => {
    await using place = await newWorkspace()
    const file = await place.write("work/GEMINI.md", context)
    const result = await place.run(["-p", "hi there", "--estimate"])
    expect(result.exitCode).toBe(0)
    expect(result.stdout).toContain(`${file} (trusted)`)
    expect(result.stdout).toMatch(/system instruction/)
    expect(result.stdout).toMatch(/total for gemini-.*nothing was sent/)
  })

  test("as json: shares add up to one", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const file = await place.write("work/GEMINI.md", context)
    const result = await place.run(["-p", "hi there", "--estimate", "-o", "json", "-m", "flash"], { server })
    const { estimate } = documentOf(result) as {
      estimate: { model: string; total_tokens: number; input_cost_usd: number; parts: Array<Record<string, unknown>> }
    }
    expect(estimate.model).toBe("gemini-3.5-flash")
    expect(estimate.input_cost_usd).toBeCloseTo((estimate.total_tokens * 1.5) / 1_000_000, 9)
    expect(estimate.parts.reduce((sum, { share }) => sum + Number(share), 0)).toBeCloseTo(1, 6)
    const found = estimate.parts.find(({ name }) => name === file)
    expect(found).toMatchObject({ kind: "context_file", trust: "trusted" })
    expect(Number(found?.tokens)).toBeGreaterThan(context.length / 5)
    expect(server.requests).toEqual([])
  })

  test("as stream-json: in the result", async () => {
    await using place = await newWorkspace()
    expect(resultOf(await place.run(["-p", "hi", "--estimate", "-o", "stream-json"]))).toMatchObject({
      status: "success",
      estimate: { total_tokens: expect.any(Number) }
    })
  })

  test("a folder that is not trusted has no files in it", async () => {
    await using place = await newWorkspace()
    await place.write("work/GEMINI.md", context)
    const env = { GEMINI_CLI_TRUST_WORKSPACE: "false" }
    const { stdout } = await place.run(["-p", "hi", "--estimate"], { env })
    expect(stdout).not.toContain("GEMINI.md")
  })
})

describe.concurrent("--bare", () => {
  test("small, without context files, settings and .env of the project", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    await place.write("work/GEMINI.md", "the context file")
    await place.write("work/.gemini/settings.json", '{ "model": { "name": "of-the-project" } }')
    await place.write("work/.env", "GEMINI_MODEL=of-the-env-file\n")
    const result = await place.run(["-p", "hi", "--bare", "-o", "json"], { server })
    expect(result.exitCode).toBe(0)
    const [request] = server.generations
    expect(request?.model).toBe("gemini-3.1-pro-preview")
    expect(JSON.stringify(request?.body)).not.toContain("the context file")
  })
})
