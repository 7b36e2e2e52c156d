/** The text format: the model's text and nothing else on stdout. */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, say, text, thought } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

test("an answer goes to stdout and ends in one newline; stderr stays empty", async () => {
  await using server = await startModelServer([say("Hello ", "world")])
  await using place = await newWorkspace()
  expect(await place.run(["-p", "hi"], { server })).toEqual({ stdout: "Hello world\n", stderr: "", exitCode: 0 })
})

test("an answer that ends in a newline gets no second one", async () => {
  await using server = await startModelServer([say("line one\nline two\n")])
  await using place = await newWorkspace()
  expect((await place.run(["-p", "hi"], { server })).stdout).toBe("line one\nline two\n")
})

test("positional words are the prompt", async () => {
  await using server = await startModelServer([say("ok")])
  await using place = await newWorkspace()
  expect((await place.run(["tell", "me", "more"], { server })).stdout).toBe("ok\n")
  expect(JSON.stringify(server.generations[0]?.body)).toContain("tell me more")
})

test("thoughts are not printed", async () => {
  await using server = await startModelServer([
    answer([chunk(thought("Planning", "secret plan")), chunk(text("the answer")), finish("STOP")])
  ])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi"], { server })
  expect(result.stdout).toBe("the answer\n")
  expect(result.stderr).not.toContain("secret plan")
})

test("text appears while the answer is still under way", async () => {
  await using server = await startModelServer([answer([chunk(text("first part"))], { ending: "hang" })])
  await using place = await newWorkspace()
  const run = place.start(["-p", "hi"], { server })
  while (!run.stdoutSoFar().includes("first part")) await Bun.sleep(10)
  run.kill("SIGTERM")
  expect((await run.result).stdout).toStartWith("first part")
})

test("the text of every turn is printed, each on a line of its own", async () => {
  await using server = await startModelServer([
    answer([chunk(text("Let me look."), call("no_such_tool")), finish("STOP")]),
    say("Nothing there.")
  ])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi"], { server })
  expect(result.stdout).toBe("Let me look.\nNothing there.\n")
  expect(result.exitCode).toBe(0)
})

test("escape sequences in model text are removed, other characters stay", async () => {
  const colourful = "\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 tab\there größe 🎉"
  await using server = await startModelServer([say(colourful), say(colourful)])
  await using place = await newWorkspace()
  expect((await place.run(["-p", "hi"], { server })).stdout).toBe("red link tab\there größe 🎉\n")
  const rawRun = await place.run(["-p", "hi", "--raw-output"], { server })
  expect(rawRun.stdout).toBe(`${colourful}\n`)
  expect(rawRun.stderr).toContain("[WARNING]")
})

test("an escape sequence that is split over chunks is removed as well", async () => {
  await using server = await startModelServer([say("a\u001b", "[3", "1mb\u001b[0", "mc")])
  await using place = await newWorkspace()
  expect((await place.run(["-p", "hi"], { server })).stdout).toBe("abc\n")
})

test("the format of the settings is used, and the flag wins over it", async () => {
  await using server = await startModelServer([say("a"), say("b")])
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{"output": {"format": "json"}}')
  expect((await place.run(["-p", "hi"], { server })).stdout).toStartWith('{\n  "session_id"')
  expect((await place.run(["-p", "hi", "-o", "text"], { server })).stdout).toBe("b\n")
})

test("a failed tool is told on stderr, and stdout has no line that begins like a diagnostic", async () => {
  await using server = await startModelServer([ask(call("no_such_tool")), say("done")])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi"], { server })
  expect(result.stderr).toContain("Error executing tool no_such_tool: ")
  expect(result.stdout).toBe("done\n")
})
