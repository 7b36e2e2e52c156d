/** `gemini batch --via api`: jobs of Google's batch engine, each created once and collected whole. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { answerTo, type BatchServerOptions, startBatchServer } from "./kit/batch-server.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { serviceAccountFile } from "./kit/service-account.ts"

const items = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify({ id: `k${index}`, text: `t${index}` })}\n`).join("")

interface Line {
  readonly key: string
  readonly status: string
  readonly response: string
  readonly tier: string
  readonly stats: { readonly cost_usd: number }
  readonly error?: { readonly type: string; readonly message: string; readonly status?: number }
}

const linesOf = (place: Workspace): ReadonlyArray<Line> =>
  readFileSync(join(place.cwd, "out.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

const lineOf = (place: Workspace, key: string) => linesOf(place).find((line) => line.key === key)

const keysOf = (place: Workspace) => linesOf(place).map(({ key }) => key)

const allKeys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`)

const API = ["batch", "in.jsonl", "-O", "out.jsonl", "-p", "{{text}}", "-m", "gemini-3.5-flash", "--via", "api"]
const RUN = [...API, "--poll", "20ms"]

const place = async (count: number, options: BatchServerOptions = {}) => {
  const workspace = await newWorkspace()
  const server = await startBatchServer(options)
  await workspace.write("work/in.jsonl", items(count))
  return {
    workspace,
    server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await workspace[Symbol.asyncDispose]()
    }
  }
}

describe("jobs of the batch engine", () => {
  test("answer all items at half the price, in one job, whatever order they come in", async () => {
    await using at = await place(20, {
      polls: 3,
      answers: (all) =>
        [...all, ...all.slice(0, 2), { response: answerTo("?"), metadata: { key: "stranger" } }].reverse()
    })
    const run = await at.workspace.run([...RUN, "--ordered", "--report", "report.json"], { server: at.server })
    expect(run).toMatchObject({ exitCode: 0, stdout: "" })
    expect(run.stderr).toContain("answered 1 keys that were not asked: stranger")
    expect(keysOf(at.workspace)).toEqual(allKeys(20))
    expect(lineOf(at.workspace, "k7")).toMatchObject({ status: "success", response: "re: t7", tier: "batch" })
    expect(lineOf(at.workspace, "k7")?.stats.cost_usd).toBeCloseTo((10 * 1.5 + 5 * 9) / 1e6 / 2, 12)
    expect(at.server.jobs).toHaveLength(1)
    expect(at.server.jobs[0]?.name).toMatch(/^gfx-[0-9a-f]{16}-1$/)
    expect(at.server.count("get")).toBe(3)
    await at.workspace.run(RUN, { server: at.server })
    expect(at.server.count("create")).toBe(1)
  })

  test("are made and left, looked at, and collected by other processes", async () => {
    await using at = await place(6, { polls: 2 })
    const { server, workspace } = at
    const made = await workspace.run([...API, "--detach"], { server })
    expect(made.exitCode).toBe(0)
    expect(made.stderr).toContain("gemini batch collect")
    expect(server.count("get")).toBe(0)
    const status = await workspace.run(["batch", "status", "out.jsonl", "--json"], { server })
    const anew = await workspace.run([...API, "--restart"], { server })
    expect({ code: anew.exitCode, err: anew.stderr }).toEqual({ code: 42, err: expect.stringContaining("1 job of") })
    expect(JSON.parse(status.stdout)).toMatchObject({ total: 6, done: 0, jobs: [{ state: "RUNNING", items: 6 }] })
    const collected = await workspace.run(["batch", "collect", "out.jsonl", "--poll", "20ms"], { server })
    expect(collected.exitCode).toBe(0)
    expect(keysOf(workspace).sort()).toEqual(allKeys(6))
    expect((await workspace.run(["batch", "collect", "out.jsonl"], { server })).exitCode).toBe(0)
    expect((await workspace.run([...RUN], { server })).exitCode).toBe(0)
    expect(server.count("create")).toBe(1)
  })

  test.each([
    ["the answer to create is lost", "lost"],
    ["create is refused for now", 429]
  ] as const)("are there once where %s", async (_, broken) => {
    await using at = await place(3, { fault: (kind, count) => (kind === "create" && count === 1 ? broken : undefined) })
    expect((await at.workspace.run(RUN, { server: at.server })).exitCode).toBe(0)
    expect(at.server.jobs).toHaveLength(1)
    expect(keysOf(at.workspace).sort()).toEqual(allKeys(3))
  })

  test("that fail, expire, disappear or leave items out blame their items, which are asked live where that is wanted", async () => {
    for (const [state, message] of [
      ["FAILED", "failed: the engine broke"],
      ["EXPIRED", "expired before this item was answered"]
    ] as const) {
      await using at = await place(3, { endsAs: () => state, answers: (all) => all.slice(0, 1) })
      const run = await at.workspace.run(RUN, { server: at.server })
      expect({ state, code: run.exitCode }).toEqual({ state, code: 58 })
      const last = lineOf(at.workspace, "k2")
      expect(last?.error).toMatchObject({ type: "api" })
      expect(last?.error?.message).toContain(message)
      expect(lineOf(at.workspace, "k0")?.status).toBe(state === "FAILED" ? "error" : "success")
    }
    await using at = await place(4, {
      answer: (prompt) => (prompt === "t1" ? { error: { code: 13, message: "not this one" } } : answerTo(prompt)),
      answers: (all) => all.slice(0, 3)
    })
    const { server, workspace } = at
    expect((await workspace.run(RUN, { server })).exitCode).toBe(58)
    expect(lineOf(workspace, "k1")?.error).toMatchObject({ type: "api", status: 500 })
    expect(lineOf(workspace, "k3")?.error?.message).toContain("gave no answer for this key")
  })

  test("whose items failed are gone on with live, and each key is there once", async () => {
    let isBroken = true
    await using at = await place(4, {
      answer: (prompt) => (prompt === "t1" && isBroken ? { error: { code: 8, message: "busy" } } : answerTo(prompt)),
      answers: (all) => {
        isBroken = false
        return all.slice(0, 3)
      }
    })
    const { server, workspace } = at
    const run = await workspace.run([...RUN, "--reroute", "flex"], { server })
    expect(run.exitCode).toBe(0)
    expect(keysOf(workspace).sort()).toEqual(allKeys(4))
    expect(
      linesOf(workspace)
        .map(({ tier }) => tier)
        .sort()
    ).toEqual(["batch", "batch", "flex", "flex"])
    expect(server.count("generate")).toBe(2)
  })

  test("go on without us: a run that is killed at any time goes on from its journal", async () => {
    await using at = await place(5, { polls: 4 })
    const { server, workspace } = at
    const run = workspace.start(RUN, { server })
    while (server.count("get") === 0) await Bun.sleep(5)
    run.kill("SIGKILL")
    await run.result.catch(() => undefined)
    expect((await workspace.run(RUN, { server })).exitCode).toBe(0)
    expect(server.count("create")).toBe(1)
    expect(keysOf(workspace).sort()).toEqual(allKeys(5))
  })

  test("are cancelled, and what they have answered is kept", async () => {
    await using at = await place(4, { polls: 100 })
    const { server, workspace } = at
    await workspace.run([...API, "--detach"], { server })
    const cancelled = await workspace.run(["batch", "cancel", "out.jsonl"], { server })
    expect(cancelled.exitCode).toBe(0)
    expect(server.jobs[0]?.state).toBe("CANCELLED")
    const status = await workspace.run(["batch", "status", "out.jsonl", "--json"], { server })
    expect(JSON.parse(status.stdout)).toMatchObject({ left: 4, jobs: [{ state: "COLLECTED" }] })
  })

  test("of many items are uploaded, and the upload is taken away again", async () => {
    await using at = await place(5001)
    const { server, workspace } = at
    const run = await workspace.run([...RUN, "-q"], { server })
    expect({ code: run.exitCode, err: run.stderr }).toEqual({ code: 0, err: "" })
    expect(server.jobs.map(({ isInline, requests }) => [requests.length, isInline])).toEqual([[5001, false]])
    expect(new Set(keysOf(workspace)).size).toBe(5001)
    expect(server.uploads.size).toBe(0)
  })

  test("name what their items have in common, which is kept as long as they go on", async () => {
    await using at = await place(3)
    const { server, workspace } = at
    const args = [...RUN, "--cached-context", "manual.txt", "--append-system-prompt", "Be brief."]
    await workspace.write("work/manual.txt", "short")
    const short = await workspace.run(args, { server })
    expect({ code: short.exitCode, jobs: server.jobs.length }).toEqual({ code: 42, jobs: 0 })
    expect(short.stderr).toContain("keeps no less than 4096 tokens")
    await workspace.write("work/manual.txt", "all about it. ".repeat(5000))
    expect((await workspace.run([...args, "--restart"], { server })).exitCode).toBe(0)
    expect(server.jobs[0]?.requests[0]?.request).toMatchObject({
      cachedContent: expect.stringContaining("cachedContents/")
    })
    expect(JSON.stringify(server.jobs[0]?.requests[0])).not.toContain("systemInstruction")
    expect(server.caches.size).toBe(0)
    const live = await workspace.run(
      ["batch", "in.jsonl", "-O", "-", "-p", "{{text}}", "-m", "gemini-3.5-flash", ...args.slice(-4)],
      { server }
    )
    expect(live.exitCode).toBe(0)
    expect(server.requests.find(({ kind }) => kind === "generate")?.body).toMatchObject({
      cachedContent: expect.stringContaining("cachedContents/")
    })
    expect({ made: server.count("cache.create"), left: server.caches.size }).toEqual({ made: 2, left: 0 })
  })

  test("stop at a limit before it is passed", async () => {
    await using at = await place(100)
    const run = await at.workspace.run([...RUN, "--max-tokens", "5000"], { server: at.server })
    expect(run.exitCode).toBe(53)
    expect(at.server.jobs[0]?.requests.length).toBeLessThan(12)
  })
})

test("Vertex AI reads and writes jobs in Cloud Storage, and items are told by their number", async () => {
  await using at = await place(7, { answers: (all) => [...all].reverse(), polls: 2 })
  const { server, workspace } = at
  await workspace.write("home/account.json", serviceAccountFile(`${server.url}/token`))
  const env = {
    GEMINI_API_KEY: undefined,
    GOOGLE_GEMINI_BASE_URL: undefined,
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_CLOUD_PROJECT: "p",
    GOOGLE_CLOUD_LOCATION: "l",
    GOOGLE_VERTEX_BASE_URL: server.url,
    STORAGE_EMULATOR_HOST: server.url,
    GOOGLE_APPLICATION_CREDENTIALS: join(workspace.home, "account.json")
  }
  expect((await workspace.run(RUN, { env })).exitCode).toBe(42)
  const run = await workspace.run([...RUN, "--gcs", "gs://bucket/folder"], { env })
  expect(run).toMatchObject({ exitCode: 0 })
  expect(keysOf(workspace).sort()).toEqual(allKeys(7))
  for (const { key, response } of linesOf(workspace)) expect(response).toBe(`re: ${key.replace("k", "t")}`)
  expect(server.jobs).toHaveLength(1)
})
