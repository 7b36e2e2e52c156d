/** Hooks at the ends of a session and around the work on a prompt: what they read, and what comes of their answers. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { answering, runHooked, specific } from "./kit/hook-run.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const seen = (place: Workspace, name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(place.root, name), "utf8"))

describe("SessionStart and SessionEnd", () => {
  test("what the first says stands before the prompt, once for twins; both know the session; the last hears why it ends", async () => {
    await using place = await newWorkspace()
    const context =
      'cat > ../start.json; echo \'{"systemMessage":"loaded\\nall","hookSpecificOutput":{"additionalContext":"a<b"}}\''
    await place.write(
      "work/.gemini/settings.json",
      JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", name: "ctx", command: context }] }] } })
    )
    const run = await runHooked(
      place,
      {
        SessionStart: [
          { name: "ctx", command: context },
          { matcher: "resume", command: "touch ../resumed" }
        ],
        SessionEnd: [{ matcher: "exit", command: "cat > ../end.json" }]
      },
      [say("fine")]
    )
    expect(run.document).toMatchObject({ response: "fine", completion_reason: "success" })
    expect(run.bodies[0]?.match(/<hook_context>a&lt;b<\/hook_context>\\n\\n/g)).toHaveLength(1)
    expect(run.result.stderr).toContain("[INFO] ctx: loaded ctx: all")
    const start = seen(place, "start.json")
    expect(start).toMatchObject({ hook_event_name: "SessionStart", source: "startup", cwd: place.cwd })
    expect(start.session_id).toBe(run.document.session_id)
    expect(String(start.timestamp)).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    const end = seen(place, "end.json")
    expect(end).toMatchObject({ hook_event_name: "SessionEnd", reason: "exit" })
    expect(existsSync(String(end.transcript_path))).toBe(true)
    expect(existsSync(join(place.root, "resumed"))).toBe(false)
  })
})

describe("BeforeAgent", () => {
  test("adds context for the model; in a sequence the second sees what the first added", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      {
        BeforeAgent: [
          { sequential: true, command: specific({ additionalContext: "first" }) },
          'cat > ../second.json; echo \'{"hookSpecificOutput":{"additionalContext":"second"}}\''
        ]
      },
      [say("fine")]
    )
    expect(run.bodies[0]).toContain("<hook_context>first\\nsecond</hook_context>")
    expect(seen(place, "second.json").prompt).toBe("the prompt\n\nfirst")
  })
})

describe("AfterAgent", () => {
  test("refuses an answer, which the model then makes better; it can tell that it did", async () => {
    await using place = await newWorkspace()
    const command = `input=$(cat); echo "$input" >> ../after.jsonl; case $input in *'"stop_hook_active":true'*) ;; *) echo 'write tests' >&2; exit 2;; esac`
    const run = await runHooked(place, { AfterAgent: [command], BeforeAgent: ["cat >> ../before.jsonl"] }, [
      say("one"),
      say("two")
    ])
    expect(run.document).toMatchObject({ response: "two", completion_reason: "success" })
    expect(run.bodies[1]).toContain("write tests")
    const calls = readFileSync(join(place.root, "after.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(
      calls.map(({ prompt, prompt_response, stop_hook_active }) => [prompt, prompt_response, stop_hook_active])
    ).toEqual([
      ["the prompt", "one", false],
      ["the prompt", "one\ntwo", true]
    ])
    expect(readFileSync(join(place.root, "before.jsonl"), "utf8").match(/"prompt":"[^"]*"/g)).toEqual([
      '"prompt":"the prompt"',
      '"prompt":"write tests"'
    ])
  })

  test("is not asked for ever", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(place, { AfterAgent: [answering({ decision: "block", reason: "again" })] }, () =>
      say("same")
    )
    expect(run.bodies).toHaveLength(6)
    expect(run.document).toMatchObject({ response: "same", completion_reason: "success" })
    expect(run.result.stderr).toContain("refused 5 answers")
  })
})

test("PreCompress comes before a real compression, with its trigger, and cannot keep it from happening", async () => {
  await using place = await newWorkspace()
  const long = Array.from({ length: 2000 }, (_, index) => `word${index * 7919}`).join(" ")
  await runHooked(place, {}, [say(long)])
  await runHooked(place, {}, [say(long)], { args: ["--resume"] })
  const summary = () => say("<state_snapshot>short</state_snapshot>")
  const run = await runHooked(
    place,
    {
      PreCompress: [
        { matcher: "auto", command: `cat > ../compress.json; ${answering({ continue: false, decision: "deny" })}` }
      ]
    },
    summary,
    {
      args: ["--resume"],
      settings: { model: { compressionThreshold: 0.001 } }
    }
  )
  expect(run.result.exitCode).toBe(0)
  expect(run.contents.at(-1)).toContain("state_snapshot")
  expect(seen(place, "compress.json")).toMatchObject({ hook_event_name: "PreCompress", trigger: "auto" })
})

test("PreCompress hears of it whenever compression is considered, also before there is anything to compress", async () => {
  await using place = await newWorkspace()
  const run = await runHooked(
    place,
    {
      PreCompress: [
        { matcher: "auto", command: "cat >> ../considered" },
        { matcher: "manual", command: "touch ../manual" }
      ]
    },
    [ask(call("list_directory", { dir_path: "." })), say("done")]
  )
  expect(run.document).toMatchObject({ response: "done" })
  expect(readFileSync(join(place.root, "considered"), "utf8").match(/"trigger":\s*"auto"/g)).toHaveLength(2)
  expect(existsSync(join(place.root, "manual"))).toBe(false)
})

test("an AfterAgent block with clearContext shows its reason, and the model begins anew", async () => {
  await using place = await newWorkspace()
  const once = `test -e ../once && exit 0; touch ../once; ${answering({ decision: "block", reason: "start over", hookSpecificOutput: { clearContext: true } })}`
  const run = await runHooked(place, { AfterAgent: [once] }, [say("first"), say("second")])
  const messages = run.bodies.map((body) => (JSON.parse(body) as { contents: ReadonlyArray<unknown> }).contents.length)
  expect(messages).toHaveLength(2)
  expect(messages[1]).toBeLessThanOrEqual(messages[0] ?? 0)
  expect(run.result.stderr).toContain("Agent execution blocked: start over")
  expect(run.document).toMatchObject({ response: "second", warnings: ["Agent execution blocked: start over"] })
})
