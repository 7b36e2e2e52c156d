/** What hooks do to a headless run: every event, and every field of their answers. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { answering, runHooked, specific } from "./kit/hook-run.ts"
import { ask, call, chunk, finish, say, text } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const seen = (place: Workspace, name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(place.root, name), "utf8"))
const write = (name: string, content = "x") => call("write_file", { file_path: name, content })

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

  test.each([
    ["stops", { continue: false, stopReason: "not today" }, "Agent execution stopped: not today"],
    ["blocks", { decision: "deny", reason: "not this" }, "Agent execution blocked: not this"]
  ])("%s the run before the model hears of it", async (_, output, words) => {
    await using place = await newWorkspace()
    const run = await runHooked(place, { BeforeAgent: [answering(output)] }, [])
    expect(run.result.exitCode).toBe(0)
    expect(run.bodies).toEqual([])
    expect(run.document).toMatchObject({ completion_reason: "stopped_by_hook", warnings: [words] })
    expect(run.result.stderr).toContain(words)
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

  test("makes the model forget: with a refusal it begins anew, with a stop the run is over", async () => {
    await using place = await newWorkspace()
    const once = `test -e ../once && exit 0; touch ../once; ${answering({ decision: "deny", reason: "anew", hookSpecificOutput: { clearContext: true } })}`
    const run = await runHooked(place, { AfterAgent: [once] }, [say("one"), say("two")])
    expect(run.bodies[1]).toContain("anew")
    expect(run.contents[1]).not.toContain("the prompt")
    expect(run.bodies[1]).toContain("<session_context>")
    const stop = await runHooked(
      place,
      {
        AfterAgent: [answering({ continue: false, stopReason: "enough", hookSpecificOutput: { clearContext: true } })]
      },
      [say("one")]
    )
    expect(stop.document).toMatchObject({
      response: "one",
      completion_reason: "stopped_by_hook",
      warnings: ["Agent execution stopped: enough (the conversation was cleared)"]
    })
  })
})

describe("BeforeModel", () => {
  test("changes messages, parameters and model, and sees them", async () => {
    await using place = await newWorkspace()
    const change = {
      model: "gemini-2.5-flash",
      messages: [{ role: "user", content: "other words" }],
      config: { temperature: 0.25 }
    }
    const run = await runHooked(place, { BeforeModel: [`cat > ../model.json; ${specific({ llm_request: change })}`] }, [
      say("fine")
    ])
    expect(run.paths[0]).toContain("gemini-2.5-flash")
    expect(run.bodies[0]).toContain("other words")
    expect(run.contents[0]).not.toContain("the prompt")
    expect(JSON.parse(run.bodies[0] ?? "").generationConfig).toMatchObject({ temperature: 0.25, topP: 0.95 })
    expect(seen(place, "model.json").llm_request).toMatchObject({
      model: "gemini-2.5-pro",
      config: { temperature: 1, topP: 0.95, topK: 64 }
    })
  })

  test("answers in the place of the model, alone or with a refusal", async () => {
    await using place = await newWorkspace()
    const llm_response = { candidates: [{ content: { role: "model", parts: ["from the cache"] } }] }
    const alone = await runHooked(place, { BeforeModel: [specific({ llm_response })] }, [])
    expect(alone.document).toMatchObject({ response: "from the cache", completion_reason: "success" })
    expect(alone.bodies).toEqual([])
    const refused = await runHooked(
      place,
      { BeforeModel: [answering({ decision: "deny", reason: "offline", hookSpecificOutput: { llm_response } })] },
      []
    )
    expect(refused.document).toMatchObject({
      response: "from the cache",
      completion_reason: "stopped_by_hook",
      warnings: ["Agent execution blocked: offline"]
    })
  })

  test.each([
    ["blocked", { decision: "deny", reason: "why" }],
    ["stopped", { continue: false, stopReason: "why" }]
  ])("ends the run (%s), also after tools have run, and their results are kept", async (kind, output) => {
    await using place = await newWorkspace()
    const command = `test -e a.txt || exit 0; ${answering(output)}`
    const run = await runHooked(place, { BeforeModel: [command] }, [ask(write("a.txt"))])
    expect(run.bodies).toHaveLength(1)
    expect(run.document).toMatchObject({
      completion_reason: "stopped_by_hook",
      warnings: [`Agent execution ${kind}: why`]
    })
    const next = await runHooked(place, {}, [say("fine")], { args: ["--resume"] })
    expect(next.result.exitCode).toBe(0)
    expect(next.bodies[0]).toContain("functionResponse")
  })
})

describe("BeforeToolSelection", () => {
  const offered = (body: string | undefined) => JSON.parse(body ?? "{}")
  test("narrows what is offered, forces a call, or forbids all", async () => {
    await using place = await newWorkspace()
    const chosen = (mode: string, ...names: ReadonlyArray<string>) =>
      specific({ toolConfig: { mode, allowedFunctionNames: names } })
    const auto = await runHooked(place, { BeforeToolSelection: [chosen("AUTO", "read_file", "glob")] }, [say("fine")])
    expect(
      offered(auto.bodies[0])
        .tools[0].functionDeclarations.map(({ name }: { name: string }) => name)
        .sort()
    ).toEqual(["glob", "read_file"])
    const any = await runHooked(place, { BeforeToolSelection: [chosen("ANY", "glob"), chosen("AUTO")] }, [say("fine")])
    expect(offered(any.bodies[0]).toolConfig.functionCallingConfig).toEqual({
      mode: "ANY",
      allowedFunctionNames: ["glob"]
    })
    const none = await runHooked(place, { BeforeToolSelection: [chosen("NONE"), answering({ decision: "deny" })] }, [
      say("fine")
    ])
    expect(offered(none.bodies[0]).toolConfig.functionCallingConfig).toEqual({ mode: "NONE" })
  })
})

describe("AfterModel", () => {
  const spoken = (words: string) => ({ llm_response: { candidates: [{ content: { role: "model", parts: [words] } }] } })
  test("sees the whole answer once and replaces its words, and calls stay", async () => {
    await using place = await newWorkspace()
    const replies = [
      { ...say(), chunks: [chunk(text("secret ")), chunk(text("words"), write("a.txt")), finish("STOP")] },
      say("and ", "more")
    ]
    const run = await runHooked(
      place,
      { AfterModel: [`cat >> ../model.jsonl; echo >> ../model.jsonl; ${specific(spoken("clean"))}`] },
      replies
    )
    expect(run.document).toMatchObject({ response: "clean", full_response: "clean\nclean" })
    expect(run.bodies[1]).toContain('"text":"clean"')
    expect(run.contents[1]).not.toContain("secret")
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
    const calls = readFileSync(join(place.root, "model.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(calls.map(({ llm_response }) => llm_response.text)).toEqual(["secret words", "and more"])
  })

  test("with stream it sees every piece", async () => {
    await using place = await newWorkspace()
    const command = `cat > ../piece; grep -q '"text":"two' ../piece && ${specific(spoken("2"))}; exit 0`
    const run = await runHooked(place, { AfterModel: [{ stream: true, command }] }, [say("one ", "two ", "three")])
    expect(run.document).toMatchObject({ response: "one 2three" })
  })

  test.each([
    ["blocked", { decision: "deny", reason: "why" }],
    ["stopped", { continue: false, stopReason: "why" }]
  ])("drops an answer and ends the run (%s)", async (kind, output) => {
    await using place = await newWorkspace()
    const run = await runHooked(place, { AfterModel: [answering(output)] }, [say("bad words")])
    expect(run.result.stdout).not.toContain("bad words")
    expect(run.document).toMatchObject({
      completion_reason: "stopped_by_hook",
      warnings: [`Agent execution ${kind}: why`]
    })
  })
})

describe("BeforeTool", () => {
  test("refuses a call, and the model goes on; allow does not lift a rule", async () => {
    await using place = await newWorkspace()
    const guard = `input=$(cat); case $input in *'"command":"rm '*) echo 'no rm here' >&2; exit 2;; esac; ${answering({ decision: "allow" })}`
    const run = await runHooked(
      place,
      { BeforeTool: [{ matcher: "run_shell_command", name: "guard", command: guard }] },
      [ask(call("run_shell_command", { command: "rm a" }), call("glob", { pattern: "*" })), say("fine")],
      { args: ["--fail-on-denied"] }
    )
    expect(run.result.exitCode).toBe(56)
    expect(run.document.permission_denials).toMatchObject([
      { tool_name: "run_shell_command", reason: "a hook refused it: no rm here" }
    ])
    expect(run.bodies[1]).toContain("Tool execution blocked: a hook refused it: no rm here")
    const ruled = await runHooked(
      place,
      { BeforeTool: [answering({ decision: "allow" })] },
      [ask(write("b.txt")), say("fine")],
      {
        settings: { tools: { exclude: ["write_file"] } }
      }
    )
    expect(existsSync(join(place.cwd, "b.txt"))).toBe(false)
    expect(ruled.result.exitCode).toBe(0)
  })

  test("changes arguments, which are checked again, and the model is told", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      {
        BeforeTool: [
          { matcher: "write_file", command: specific({ tool_input: { content: "changed" } }) },
          { matcher: "read_file", command: specific({ tool_input: { file_path: 5 } }) }
        ]
      },
      [ask(write("a.txt"), call("read_file", { file_path: "a.txt" })), say("fine")]
    )
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("changed")
    expect(run.bodies[1]).toContain("[A hook changed arguments of this call before it ran: content.]")
    expect(run.bodies[1]).toContain("file_path")
    expect(run.document).toMatchObject({ stats: { tools: { totalSuccess: 1, totalFail: 1 } } })
  })

  test("ask is a refusal where nobody can be asked", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      { BeforeTool: [answering({ decision: "ask", systemMessage: "are you sure" })] },
      [ask(write("a.txt")), say("fine")]
    )
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    expect(run.document.permission_denials).toMatchObject([
      { tool_name: "write_file", reason: expect.stringContaining("nobody can be asked: are you sure") }
    ])
  })

  test("stops the run: later calls are not made, and every call has its answer", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      { BeforeTool: [{ matcher: "write_file", command: answering({ continue: false, stopReason: "halt" }) }] },
      [ask(write("a.txt"), call("run_shell_command", { command: "touch b" }))]
    )
    expect(run.document).toMatchObject({
      completion_reason: "stopped_by_hook",
      warnings: ["Agent execution stopped: halt"]
    })
    expect([existsSync(join(place.cwd, "a.txt")), existsSync(join(place.cwd, "b"))]).toEqual([false, false])
    const next = await runHooked(place, {}, [say("fine")], { args: ["--resume"] })
    expect(next.bodies[0]?.match(/functionResponse/g)).toHaveLength(2)
  })
})

describe("AfterTool", () => {
  test("formats what was written, adds to the result, and sees it; undo takes the whole change back", async () => {
    await using place = await newWorkspace()
    const format = `cat > ../tool.json; tr a-z A-Z < a.txt > b && mv b a.txt; ${specific({ additionalContext: "formatted <b>" })}`
    const run = await runHooked(place, { AfterTool: [{ matcher: "write_file", command: format }] }, [
      ask(write("a.txt", "hello")),
      say("fine")
    ])
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("HELLO")
    expect(run.bodies[1]).toContain("<hook_context>formatted &lt;b&gt;</hook_context>")
    const input = seen(place, "tool.json")
    expect(input).toMatchObject({ tool_name: "write_file", tool_input: { file_path: "a.txt", content: "hello" } })
    expect(Object.keys(input.tool_response as object)).toEqual(["llmContent", "returnDisplay"])
    expect((await place.run(["undo", "--yes"])).exitCode).toBe(0)
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
  })

  test("refuses a result; hears of failures; not of calls that were never made", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      {
        BeforeTool: [{ matcher: "glob", command: "exit 2" }],
        AfterTool: [
          {
            command: `cat >> ../tools.jsonl; echo >> ../tools.jsonl; ${answering({ decision: "block", reason: "unclean" })}`
          }
        ]
      },
      [ask(write("a.txt"), call("read_file", { file_path: "none" }), call("glob", { pattern: "*" })), say("fine")]
    )
    expect(run.bodies[1]?.match(/The result was refused by a hook: unclean/g)).toHaveLength(2)
    const calls = readFileSync(join(place.root, "tools.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(calls.map(({ tool_name, tool_response }) => [tool_name, tool_response.error !== undefined])).toEqual([
      ["write_file", false],
      ["read_file", true]
    ])
  })

  test("hands over to another call, whose answer stands for the first", async () => {
    await using place = await newWorkspace()
    await place.write("work/other.txt", "from the other file")
    const run = await runHooked(
      place,
      {
        AfterTool: [
          {
            matcher: "write_file",
            command: specific({ tailToolCallRequest: { name: "read_file", args: { file_path: "other.txt" } } })
          }
        ],
        BeforeTool: [{ matcher: "read_file", command: "cat > ../tail.json" }]
      },
      [ask(write("a.txt")), say("fine")]
    )
    expect(run.bodies[1]).toContain("from the other file")
    expect(run.bodies[1]).toContain('"name":"write_file"')
    expect(seen(place, "tail.json").original_request_name).toBe("write_file")
  })

  test("stops the run with the result recorded", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(place, { AfterTool: [answering({ continue: false, stopReason: "seen enough" })] }, [
      ask(write("a.txt"))
    ])
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
    expect(run.document).toMatchObject({
      completion_reason: "stopped_by_hook",
      warnings: ["Agent execution stopped: seen enough"]
    })
  })
})

describe("other words", () => {
  test("stream-json: a stop is only in the result, a block is a warning before it; text says both on stderr", async () => {
    await using place = await newWorkspace()
    const stop = { BeforeAgent: [answering({ continue: false, stopReason: "s" })] }
    const block = { BeforeAgent: [answering({ decision: "block", reason: "b" })] }
    await runHooked(place, stop, [])
    const stopped = await place.run(["-p", "x", "-o", "stream-json"], { env: { GEMINI_API_KEY: "k" } })
    const lines = (stdout: string) =>
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    expect(lines(stopped.stdout).map(({ type }) => type)).toEqual(["init", "message", "result"])
    expect(lines(stopped.stdout).at(-1)).toMatchObject({ status: "success", completion_reason: "stopped_by_hook" })
    await runHooked(place, block, [])
    const blocked = await place.run(["-p", "x", "-o", "stream-json"], { env: { GEMINI_API_KEY: "k" } })
    expect(lines(blocked.stdout)[2]).toMatchObject({
      type: "error",
      severity: "warning",
      message: "Agent execution blocked: b"
    })
    const plain = await place.run(["-p", "x"], { env: { GEMINI_API_KEY: "k" } })
    expect([plain.stdout, plain.exitCode]).toEqual(["", 0])
    expect(plain.stderr).toContain("[WARNING] Agent execution blocked: b")
  })

  test("suppressOutput keeps a message from the person", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      {
        BeforeAgent: [
          answering({ systemMessage: "hidden words", suppressOutput: true }),
          { name: "loud", command: "echo spoken words" }
        ]
      },
      [say("fine")]
    )
    expect(run.result.stderr).not.toContain("hidden words")
    expect(run.result.stderr).toContain("[INFO] loud: spoken words")
  })

  test("PreCompress comes before a real compression, with its trigger", async () => {
    await using place = await newWorkspace()
    const long = Array.from({ length: 2000 }, (_, index) => `word${index * 7919}`).join(" ")
    await runHooked(place, {}, [say(long)])
    await runHooked(place, {}, [say(long)], { args: ["--resume"] })
    const summary = () => say("<state_snapshot>short</state_snapshot>")
    const run = await runHooked(
      place,
      { PreCompress: [{ matcher: "auto", command: "cat > ../compress.json" }] },
      summary,
      {
        args: ["--resume"],
        settings: { model: { compressionThreshold: 0.001 } }
      }
    )
    expect(run.result.exitCode).toBe(0)
    expect(seen(place, "compress.json")).toMatchObject({ hook_event_name: "PreCompress", trigger: "auto" })
  })
})
