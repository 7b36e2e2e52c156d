/** Every field that a hook may answer with, at every event: what it does to a headless run, and to a conversation. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { documentOf } from "./kit/documents.ts"
import { HOOK_ROWS, type HookRow, work } from "./kit/hook-rows.ts"
import { hookSettings } from "./kit/hook-run.ts"
import { type ModelRequest, startModelServer } from "./kit/model-server.ts"
import type { Reply } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal, type TerminalSession } from "./kit/terminal.ts"

const ARGS = ["-y", "-m", "gemini-2.5-pro"]

/** A model that has the replies of one row after the other. */
const startScripted = async () => {
  let replies: ReadonlyArray<Reply> = []
  let begin = 0
  const server = await startModelServer((_, index) => replies[index - begin] ?? NOTHING_LEFT, { strict: true })
  return {
    server,
    begin: (next: ReadonlyArray<Reply>) => {
      replies = next
      begin = server.generations.length
    },
    requests: () => server.generations.slice(begin)
  }
}
const NOTHING_LEFT: Reply = { _tag: "Raw", status: 400, body: "the row has no more replies" }

const withoutInstructions = ({ body }: ModelRequest): string => {
  const { systemInstruction: _, ...rest } = body as Readonly<Record<string, unknown>>
  return JSON.stringify(rest)
}

const expectRow = (row: HookRow, seen: string, requests: ReadonlyArray<ModelRequest>) => {
  for (const words of row.shows) expect(seen).toContain(words)
  for (const words of row.hides ?? []) expect(seen).not.toContain(words)
  expect(requests).toHaveLength(row.requests)
  const file = join(place.cwd, fileOf(row))
  expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(row.writes)
  const last = requests.at(-1)
  const told = last === undefined ? "" : withoutInstructions(last)
  for (const words of row.told ?? []) expect(told).toContain(words)
  for (const words of row.untold ?? []) expect(told).not.toContain(words)
  if (row.model !== undefined) expect(last?.model).toBe(row.model)
}

const FILES = new Map(HOOK_ROWS.map((row, index) => [row, `made-${index}.txt`]))
const fileOf = (row: HookRow): string => FILES.get(row) ?? ""

let model: Awaited<ReturnType<typeof startScripted>>
let place: Workspace
beforeAll(async () => {
  model = await startScripted()
  place = await newWorkspace()
})
afterAll(async () => {
  await model.server.close()
  await place[Symbol.asyncDispose]()
})

describe("headless", () => {
  test.each(HOOK_ROWS.map((row) => [row.what, row] as const))("%s", async (_, row) => {
    const file = fileOf(row)
    await rm(join(place.cwd, file), { force: true })
    const hooks = Object.fromEntries(Object.entries(row.hooks).map(([event, command]) => [event, [command]]))
    await place.write("home/.gemini/settings.json", JSON.stringify(hookSettings(hooks)))
    model.begin((row.replies ?? work)(file))
    const run = await place.run([...ARGS, "-p", "make the thing", "-o", "json"], { server: model.server })
    expect(run.exitCode).toBe(0)
    const isHalted = row.shows.some((words) => words.startsWith("Agent execution"))
    expect(documentOf(run).completion_reason).toBe(isHalted ? "stopped_by_hook" : "success")
    expectRow(row, run.stdout + run.stderr, model.requests())
  })
})

const EVENTS = new Set(HOOK_ROWS.flatMap(({ hooks }) => Object.keys(hooks)))
const PROMPT = "yolo> "

describe("in a conversation at a terminal", () => {
  let session: TerminalSession
  beforeAll(async () => {
    // Each hook does what a file says at the time: one program goes through all rows.
    const command = (event: string) => `if test -e ../now/${event}; then . ../now/${event}; fi`
    const hooks = Object.fromEntries([...EVENTS].map((event) => [event, [{ name: event, command: command(event) }]]))
    await place.write("home/.gemini/settings.json", JSON.stringify(hookSettings(hooks)))
    session = startInTerminal(place, ARGS, { server: model.server, columns: 200, hangAfterMs: 120_000 })
    await session.shows(PROMPT)
  })
  afterAll(async () => {
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
  })

  test.each(HOOK_ROWS.map((row) => [row.what, row] as const))("%s", async (_, row) => {
    const file = fileOf(row)
    await rm(join(place.cwd, file), { force: true })
    await rm(join(place.root, "now"), { recursive: true, force: true })
    for (const [event, command] of Object.entries(row.hooks)) await place.write(`now/${event}`, command)
    model.begin((row.replies ?? work)(file))
    const before = session.plain().length
    const ended = session.showsNext(PROMPT)
    session.type("make the thing\r")
    await ended
    expectRow(row, session.plain().slice(before), model.requests())
  })
})
