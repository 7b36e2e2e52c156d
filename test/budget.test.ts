/** One budget for many processes: `GEMINI_BUDGET` and `gemini budget`. */

import { expect, test } from "bun:test"
import { chmod } from "node:fs/promises"
import { startModelServer } from "./kit/model-server.ts"
import { asNobody, testWith } from "./kit/needs.ts"
import { answer, chunk, finish, say, sent, text } from "./kit/replies.ts"
import { newWorkspace, type RunResult, type Workspace } from "./kit/run-gemini.ts"

const MODEL = ["-m", "gemini-2.5-flash", "--bare"]

const made = async (place: Workspace, ...limits: ReadonlyArray<string>): Promise<string> => {
  const result = await place.run(["budget", "init", "b.json", ...limits])
  expect(result).toMatchObject({ exitCode: 0, stderr: "" })
  return `${place.cwd}/b.json`
}

interface Shown {
  readonly used: { readonly requests: number; readonly tokens: number; readonly usd: number }
  readonly reserved: { readonly requests: number }
}

const shown = async (place: Workspace): Promise<Shown> =>
  JSON.parse((await place.run(["budget", "show", "b.json", "--json"])).stdout) as Shown

const codesOf = (results: ReadonlyArray<RunResult>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { exitCode } of results) counts[exitCode] = (counts[exitCode] ?? 0) + 1
  return counts
}

test("32 processes at once: not one request more than there are, and the others say so before they send anything", async () => {
  await using server = await startModelServer(() => say("ok"))
  await using place = await newWorkspace()
  const GEMINI_BUDGET = await made(place, "--requests", "10")
  const runs = Array.from({ length: 32 }, () => place.run(["-p", "hi", ...MODEL], { server, env: { GEMINI_BUDGET } }))
  const results = await Promise.all(runs)
  expect(codesOf(results)).toEqual({ 0: 10, 53: 22 })
  expect(server.generations).toHaveLength(10)
  expect(await shown(place)).toMatchObject({ used: { requests: 10 }, reserved: { requests: 0 } })
  const refused = results.find(({ exitCode }) => exitCode === 53)
  expect(refused?.stderr).toMatch(/the budget .*b\.json is used up: 10 of 10 requests are used/)
})

test("dollars and tokens are counted as the service says; a document tells the reason; reset begins anew", async () => {
  const usage = { prompt: 1000, candidates: 500 }
  await using server = await startModelServer(() => answer([chunk(text("ok")), finish("STOP", usage)]))
  await using place = await newWorkspace()
  const GEMINI_BUDGET = await made(place, "--usd", "0.1", "--tokens", "4000")
  const run = (...args: ReadonlyArray<string>) =>
    place.run(["-p", "hi", ...MODEL, ...args], { server, env: { GEMINI_BUDGET } })
  const first = await run()
  expect(first).toMatchObject({ exitCode: 0, stdout: "ok\n" })
  const { used } = await shown(place)
  expect(used).toMatchObject({ requests: 1, tokens: 1500 })
  expect(used.usd).toBeCloseTo((1000 * 0.3 + 500 * 2.5) / 1_000_000, 9)
  expect((await run()).exitCode).toBe(0)
  const third = await run("-o", "json")
  expect(third.exitCode).toBe(53)
  expect(JSON.parse(third.stdout)).toMatchObject({
    completion_reason: "budget",
    error: { type: "FatalBudgetLimitedError", code: 53 }
  })
  expect(server.generations).toHaveLength(2)
  expect((await place.run(["budget", "reset"], { env: { GEMINI_BUDGET } })).exitCode).toBe(0)
  expect((await shown(place)).used).toEqual({ usd: 0, tokens: 0, requests: 0 })
  expect((await run()).exitCode).toBe(0)
  const table = await place.run(["budget", "show", "b.json"])
  expect(table.stdout).toMatch(/^Cost +\$0\.00155 of \$0\.1$/m)
  expect(table.stdout).toMatch(/^Tokens +1,500 of 4,000$/m)
})

test("a rate makes requests wait, says so, and --max-time ends the wait", async () => {
  await using server = await startModelServer(() => say("ok"))
  await using place = await newWorkspace()
  const GEMINI_BUDGET = await made(place, "--rpm", "1")
  const env = { GEMINI_BUDGET }
  expect((await place.run(["-p", "hi", ...MODEL], { server, env })).exitCode).toBe(0)
  const late = await place.run(["-p", "hi", ...MODEL, "--max-time", "2s"], { server, env })
  expect(late.exitCode).toBe(53)
  expect(late.stderr).toMatch(/waiting (?:1m|\d+s) for the budget/)
  expect(server.generations).toHaveLength(1)
})

test("a process that is killed leaves the file whole and its reservation to lapse", async () => {
  await using server = await startModelServer(() => sent(say("never"), { delayMs: 60_000 }))
  await using place = await newWorkspace()
  const GEMINI_BUDGET = await made(place, "--requests", "2")
  const run = place.start(["-p", "hi", ...MODEL], { server, env: { GEMINI_BUDGET } })
  await server.received(1)
  run.kill("SIGKILL")
  await run.result.catch(() => undefined)
  expect(await shown(place)).toMatchObject({ used: { requests: 0 }, reserved: { requests: 1 } })
  // Its lease is over: as after two minutes.
  const held = JSON.parse(await place.read("work/b.json")) as { reserved: ReadonlyArray<{ until: number }> }
  const lapsed = { ...held, reserved: held.reserved.map((one) => ({ ...one, until: Date.now() - 1 })) }
  await place.write("work/b.json", JSON.stringify(lapsed))
  expect(await shown(place)).toMatchObject({ reserved: { requests: 0 } })
})

test("what is no budget is refused before anything is sent, with its place and what to do", async () => {
  await using server = await startModelServer(() => say("ok"))
  await using place = await newWorkspace()
  await place.write("work/bad.json", '{"limit":{"usd":"five"}}')
  await place.write("work/cut.json", '{"limit":{"usd":5}')
  const rows: ReadonlyArray<readonly [file: string, said: string]> = [
    ["none.json", "does not exist"],
    ["bad.json", "limit.usd"],
    ["cut.json", "cannot be used"],
    [".", "is a folder"]
  ]
  for (const [GEMINI_BUDGET, said] of rows) {
    const result = await place.run(["-p", "hi", ...MODEL, "-o", "json"], { server, env: { GEMINI_BUDGET } })
    expect([GEMINI_BUDGET, result.exitCode]).toEqual([GEMINI_BUDGET, 52])
    expect((JSON.parse(result.stdout) as { error: { message: string } }).error.message).toContain(said)
  }
  const slips = [
    ["budget", "init", "x.json"],
    ["budget", "init", "x.json", "--usd", "-1"],
    ["budget", "init", "x.json", "--requests", "1.5"],
    ["budget", "init", "bad.json", "--usd", "1"],
    ["budget", "show"],
    ["budget", "reset"]
  ]
  for (const args of slips) expect([args.join(" "), (await place.run(args)).exitCode]).toEqual([args.join(" "), 42])
  expect(server.requests).toHaveLength(0)
})

testWith(...asNobody)(
  "a budget that cannot be written stops the run: nothing is sent that is not counted",
  async () => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    await made(place, "--requests", "2")
    const lock = 'chmod -R a+rX "$HOME/.." && chmod 444 b.json && chmod 555 .'
    const run = `GEMINI_BUDGET=b.json "$GEMINI" -p hi ${MODEL.join(" ")}; echo "code $?"`
    const result = await place.shell(place.unprivileged(lock, run), { server })
    await chmod(place.cwd, 0o755)
    expect(result.stdout).toContain("code 53")
    expect(server.generations).toHaveLength(0)
  }
)
