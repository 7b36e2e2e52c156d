/** Cassettes: recorded once with a model, played anywhere without one. */
import { describe, expect, test } from "bun:test"
import { mkdir } from "node:fs/promises"
import { documentOf, eventsOf, type Json } from "./kit/documents.ts"
import { expectFailure } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type RunResult, type Workspace } from "./kit/run-gemini.ts"

const TOOL_RUN = [
  ask(call("run_shell_command", { command: "cat notes.txt; pwd; date; mktemp" })),
  ask(call("write_file", { file_path: "out.txt", content: "written" })),
  say("Größe ", "🎉\n\n", "```sh\necho hi\n```")
]
const ARGS = ["-p", "read the notes", "-m", "flash", "-y"]

const costIn = (document: Json) => (document.stats as Json).cost_usd

/** Records in a place of its own; another place has the same file in a folder of another name. */
const recordedIn = async (place: Workspace, args: ReadonlyArray<string> = ARGS) => {
  await using server = await startModelServer(TOOL_RUN)
  await place.write("work/notes.txt", "remember the milk")
  await place.shell("rm -f out.txt")
  const recorded = await place.run([...args, "--record", "tape.jsonl"], { server })
  return { recorded, tape: await place.read("work/tape.jsonl") }
}

/** The fields that say when something was, how long it took, and which run it belongs to: the list of the manual. */
const MOMENT = /"(session_id|timestamp|tool_id|duration_ms|\w+Ms)":\s*("[^"]*"|[\d.]+)/g
const withoutMoment = (text: string): string => text.replace(MOMENT, '"$1": "-"')

describe("a recorded run", () => {
  test("tells what it cost when it was recorded, ends at the same limits, and counts in no account", async () => {
    await using place = await newWorkspace()
    const args = [...ARGS, "-o", "json", "--max-tokens", "20"]
    const { recorded } = await recordedIn(place, args)
    const took = documentOf(recorded)
    const cost = Number(costIn(took))
    expect(cost).toBeGreaterThan(0)
    expect(took.completion_reason).toBe("budget")
    const played = await place.run([...args, "--replay", "tape.jsonl"])
    const again = documentOf(played)
    expect(played.exitCode).toBe(recorded.exitCode)
    const tokens = (document: unknown) => JSON.stringify(document).match(/"tokens":\{[^}]*\}/g)
    expect(tokens(again)).toEqual(tokens(took))
    expect(again).toMatchObject({ completion_reason: "budget", stats: { cost_usd: cost } })
    // Only the recording was paid.
    const stats = JSON.parse((await place.run(["stats", "--json"])).stdout)
    expect(stats.costUsd).toBeCloseTo(cost, 8)
  })

  test("plays byte for byte in another folder, home and time zone, without a key, with real tools", async () => {
    await using here = await newWorkspace()
    await using there = await newWorkspace()
    const { recorded, tape } = await recordedIn(here)
    expect(recorded).toMatchObject({ stdout: "Größe 🎉\n\n```sh\necho hi\n```\n", exitCode: 0 })
    expect(tape.trimEnd().split("\n")).toHaveLength(1 + 3)
    for (const hidden of [here.root, "test-key"]) expect(tape.includes(hidden)).toBe(false)

    const cwd = `${there.root}/elsewhere/deep`
    await mkdir(cwd, { recursive: true })
    await there.write("elsewhere/deep/notes.txt", "remember the milk")
    await there.write("elsewhere/deep/one-more.txt", "a tree of another shape")
    await there.write("tape.jsonl", tape)
    const env = { TZ: "Asia/Tokyo", LANG: "de_DE.UTF-8" }
    const played = await there.run([...ARGS, "--replay", "../../tape.jsonl"], { cwd, env })
    expect(played).toEqual(recorded)
    expect(await there.read("elsewhere/deep/out.txt")).toBe("written")
    // By variables, for a whole suite of tests.
    await there.shell("rm out.txt", { cwd })
    const suite = await there.run(["-p", "read the notes", "-m", "flash", "-y", "--code"], {
      cwd,
      env: { GEMINI_CASSETTE: `${there.root}/tape.jsonl` }
    })
    expect(suite).toMatchObject({ stdout: "echo hi\n", exitCode: 0 })
    expect(await there.read("tape.jsonl")).toBe(tape)
    const check = await there.run(["schema", "check", "cassette", `${there.root}/tape.jsonl`])
    expect(check).toMatchObject({ stdout: "It fits.\n", exitCode: 0 })
  })

  test.each(["json", "stream-json"])("plays as %s byte for byte, but for ids and times", async (format) => {
    await using here = await newWorkspace()
    await using there = await newWorkspace()
    const args = ["-p", "write it", "-m", "flash", "-y", "-o", format, "--verbose"]
    await using server = await startModelServer([
      ask(call("read_file", { file_path: "notes.txt" })),
      ask(call("write_file", { file_path: "out.txt", content: "written" }), call("no_such_tool", {})),
      say("Größe ", "🎉\n")
    ])
    for (const place of [here, there]) await place.write("work/notes.txt", "remember the milk")
    const recorded = await here.run([...args, "--record", "tape.jsonl"], { server })
    await there.write("work/tape.jsonl", await here.read("work/tape.jsonl"))
    const played = await there.run([...args, "--replay", "tape.jsonl"])
    expect(recorded.stdout).not.toBe(played.stdout)
    expect(withoutMoment(played.stdout)).toBe(withoutMoment(recorded.stdout))
    const steps = ({ stderr }: RunResult) => stderr.replace(/after \S+ s$/gm, "after - s")
    expect([steps(played), played.exitCode]).toEqual([steps(recorded), 0])
  })

  test("--replay-tools runs nothing, and tells the results all the same", async () => {
    await using place = await newWorkspace()
    const { tape } = await recordedIn(place)
    await using there = await newWorkspace()
    await there.write("work/tape.jsonl", tape)
    const played = await there.run([...ARGS, "-o", "stream-json", "--replay", "tape.jsonl", "--replay-tools"])
    const results = eventsOf(played).filter(({ type }) => type === "tool_result")
    expect(results).toMatchObject([{ status: "success" }, { status: "success" }])
    expect(JSON.stringify(results)).toContain("remember the milk")
    expect(JSON.stringify(results)).toContain(there.cwd)
    expect(eventsOf(played).at(-1)).toMatchObject({ type: "result", status: "success" })
    expect((await there.shell("ls")).stdout).toBe("tape.jsonl\n")
  })

  test("a miss is exit 54 with the difference, or a question to the model, recorded where that is asked for", async () => {
    await using server = await startModelServer([say("fresh")])
    await using place = await newWorkspace()
    await recordedIn(place)
    const other = ["-p", "read the letters", "-m", "flash", "-y", "--replay", "tape.jsonl"]
    const missed = await place.run([...other, "-o", "json"])
    expect(missed.exitCode).toBe(54)
    const { error } = documentOf(missed)
    expect(error).toMatchObject({ type: "CassetteMissError", code: 54 })
    expect(JSON.stringify(error)).toMatch(/nearest of its 3 entries is entry 1.*-read the notes\\n\+read the letters/)

    const unsigned = await place.run([...other, "--on-miss", "live"])
    expectFailure(unsigned, 41, "GEMINI_API_KEY")
    const grown = await place.run([...other, "--on-miss", "record"], { server })
    expect(grown).toMatchObject({ stdout: "fresh\n", exitCode: 0 })
    expect((await place.run(other)).stdout).toBe("fresh\n")
    const auto = { GEMINI_CASSETTE: "tape.jsonl", GEMINI_CASSETTE_MODE: "auto" }
    expect((await place.run(["-p", "read the letters", "-m", "flash", "-y"], { env: auto })).stdout).toBe("fresh\n")
    expect(server.generations).toHaveLength(1)
  })
})

describe("a cassette that cannot be used", () => {
  test.each([
    ["is missing", "", "none.jsonl", "none.jsonl: no such file"],
    ["is a folder", "mkdir none.jsonl", "none.jsonl", "is a folder"],
    ["is a FIFO", "mkfifo none.jsonl", "none.jsonl", "is not a regular file"],
    ["is of a later format", `echo '{"cassette":7,"tool":"9.9"}' > none.jsonl`, "none.jsonl", "format 7 by gemini 9.9"],
    [
      "is damaged",
      `printf '{"cassette":1,"tool":"1"}\\n{oops\\n{}\\n' > none.jsonl`,
      "none.jsonl",
      "none.jsonl:2: is not JSON"
    ]
  ])("because it %s: exit 42, and nothing is sent", async (_, prepare, file, words) => {
    await using place = await newWorkspace()
    await place.shell(prepare)
    expectFailure(await place.run(["-p", "hi", "--replay", file]), 42, words)
  })

  test("what contradicts itself is refused", async () => {
    await using place = await newWorkspace()
    const table: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["--record", "a", "--replay", "b"], "--record and --replay exclude each other"],
      [["--replay", "a", "--demo"], "--replay and --demo exclude each other"],
      [["--on-miss", "live"], "--on-miss needs --replay"],
      [["--replay-tools"], "--replay-tools needs --replay"],
      [["--replay", "a", "--on-miss", "perhaps"], "fail, live, record"],
      [["--record", "/no/such/folder/a"], "cannot be written"],
      [["--record", "."], "is a folder"]
    ]
    const results = await Promise.all(
      table.map(([args]) => place.run(["-p", "hi", ...args], { env: { GEMINI_API_KEY: "k" } }))
    )
    for (const [index, [, words]] of table.entries()) expect(results[index]?.stderr).toContain(words)
    expect(results.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 1, 1, 42, 42])
    const mode = await place.run(["-p", "hi"], { env: { GEMINI_CASSETTE: "a", GEMINI_CASSETTE_MODE: "often" } })
    expect(mode.stderr).toContain('GEMINI_CASSETTE_MODE cannot be "often"')
  })
})

test("kill -9 while it is recorded leaves whole entries, and the next recording goes on behind them", async () => {
  await using place = await newWorkspace()
  for (const calls of [1, 2]) {
    await using server = await startModelServer([
      ask(call("run_shell_command", { command: "true" })),
      { ...say("late"), delayMs: 20_000 }
    ])
    const running = place.start([...ARGS, "--record", "tape.jsonl"], { server })
    await server.received(calls)
    running.kill("SIGKILL")
    await running.result.catch(() => {})
    const shown = await place.run(["cassette", "show", "tape.jsonl", "--json"])
    expect(shown.exitCode).toBe(0)
  }
})

describe("gemini cassette", () => {
  test("show lists calls and prints one; verify finds what looks like a key; prune leaves what is played", async () => {
    await using place = await newWorkspace()
    await recordedIn(place)
    await recordedIn(place)
    const shown = await place.run(["cassette", "show", "tape.jsonl"])
    expect(shown.stdout.trimEnd().split("\n")).toHaveLength(6)
    expect(shown.stdout).toContain("read the notes")
    const one = await place.run(["cassette", "show", "tape.jsonl", "--entry", "6"])
    expect(one.stdout).toContain("[result of run_shell_command]")
    expect(one.stdout).toContain("{cwd}")
    expect(await place.run(["cassette", "verify", "tape.jsonl"])).toMatchObject({ exitCode: 0 })

    const dry = await place.run(["cassette", "prune", "tape.jsonl", "--dry-run"])
    expect(dry.stdout).toContain("3 of 6")
    await place.run(["cassette", "prune", "tape.jsonl"])
    expect((await place.read("work/tape.jsonl")).trimEnd().split("\n")).toHaveLength(4)
    await place.shell("rm out.txt")
    expect((await place.run([...ARGS, "--replay", "tape.jsonl"])).exitCode).toBe(0)

    const tape = await place.read("work/tape.jsonl")
    await place.write("work/leak.jsonl", tape.replace("Größe", "AIzaSyA1234567890abcdefghijklmnopqrstuvw"))
    const leak = await place.run(["cassette", "verify", "leak.jsonl"])
    expect(leak).toMatchObject({ exitCode: 1 })
    expect(leak.stdout).toContain("leak.jsonl:4: looks like a key of Google")
    expect(leak.stdout).not.toContain("1234567890abcdefghij")
    const edited = await place.write("work/edited.jsonl", tape.replace("read the notes", "read the letters"))
    expect((await place.run(["cassette", "verify", edited])).stdout).toContain("edited.jsonl:2: its request was edited")
  })
})
