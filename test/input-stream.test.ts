/** `--input-format stream-json`: many prompts in one process, each with its own result. */
import { expect, test } from "bun:test"
import { googleError } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { checkedLines } from "./kit/output-contract.ts"
import { answer, call, chunk, DEFAULT_USAGE, finish, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const ARGS = ["--input-format", "stream-json", "-o", "stream-json", "-m", "gemini-2.5-flash"]

interface Line {
  readonly [name: string]: unknown
}
const linesOf = (stdout: string): ReadonlyArray<Line> => {
  checkedLines(stdout)
  return stdout
    .trimEnd()
    .split("\n")
    .map((line): Line => JSON.parse(line))
}
const resultsOf = (stdout: string) => linesOf(stdout).filter(({ type }) => type === "result")
const user = (content: unknown): string => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`
test("two prompts and a bad line: one init, a result for each, the conversation goes on, the run too", async () => {
  await using server = await startModelServer([say("one"), say("two")])
  await using place = await newWorkspace()
  await place.write("work/a.txt", "ATTACHED")
  const second = user([
    { type: "text", text: "second" },
    { type: "file", path: "a.txt" }
  ]).trimEnd()
  const pipe = `${JSON.stringify({ type: "message", role: "user", content: "first" })}\n{nonsense\n\xff\n{"type":"x"}\n${second}`
  const result = await place.run(ARGS, { server, stdin: { pipe: Buffer.from(pipe, "latin1") } })
  const lines = linesOf(result.stdout)
  expect(lines.filter(({ type }) => type === "init").length).toBe(1)
  expect(lines.filter(({ type }) => type === "error").map(({ message }) => message)).toEqual([
    "line 2 of standard input is not JSON",
    "line 3 of standard input is not UTF-8",
    expect.stringContaining("line 4 of standard input does not fit gemini schema input-stream")
  ])
  expect(resultsOf(result.stdout)).toMatchObject([
    { status: "success", prompt_index: 0 },
    { status: "success", prompt_index: 1 }
  ])
  expect(result.exitCode).toBe(0)
  const sent = JSON.stringify(server.generations[1]?.body)
  for (const word of ["first", "one", "second", "ATTACHED"]) expect(sent).toContain(word)
})

test("what cannot be sent is named by its line, and costs nothing", async () => {
  await using server = await startModelServer([say("ok")])
  await using place = await newWorkspace()
  const asked = (content: unknown) => JSON.parse(user(content))
  const bad: ReadonlyArray<readonly [unknown, string]> = [
    [asked(""), "message.content"],
    [asked([]), "message.content"],
    [asked([{ type: "inline", mime_type: "image/png", data: "no base64" }]), "base64"],
    [asked([{ type: "inline", mime_type: "", data: "aGk=" }]), "mime_type"],
    [asked([{ type: "file", path: "" }]), "path"],
    [{ type: "control", action: "sing" }, "action"],
    [{ type: "sing" }, "type"],
    [[], "no type"]
  ]
  const lines = [...bad.map(([line]) => line), asked([{ type: "inline", mime_type: "text/plain", data: "aGk=" }])]
  // The last line has no end, as of a writer that does not care.
  const pipe = lines.map((line) => JSON.stringify(line)).join("\n")
  const result = await place.run(ARGS, { server, stdin: { pipe } })
  const faults = linesOf(result.stdout).filter(({ type }) => type === "error")
  expect(faults.map(({ message }) => message)).toEqual(
    bad.map(([, said], index) => expect.stringMatching(new RegExp(`^line ${index + 1} .*${said}`)))
  )
  expect(server.generations).toHaveLength(1)
  expect(result.exitCode).toBe(0)
})

test("--strict-input, no prompt at all, and a missing format end with 42 or 1 and one result", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  const strict = await place.run([...ARGS, "--strict-input"], { server, stdin: { pipe: "{}\n" } })
  expect(strict.exitCode).toBe(42)
  expect(resultsOf(strict.stdout)).toMatchObject([
    { status: "error", error: { message: expect.stringContaining("line 1") } }
  ])
  const none = await place.run(ARGS, { server })
  expect(none.exitCode).toBe(42)
  expect(resultsOf(none.stdout).length).toBe(1)
  expect((await place.run(["--input-format", "stream-json"], { server })).exitCode).toBe(42)
  expect((await place.run([...ARGS, "-p", "x"], { server })).exitCode).toBe(1)
})

test("the exit code is that of the worst result", async () => {
  await using server = await startModelServer([googleError(400, "no"), say("two")])
  await using place = await newWorkspace()
  const { exitCode, stdout } = await place.run(ARGS, { server, stdin: { pipe: user("a") + user("b") } })
  expect(resultsOf(stdout).map(({ status }) => status)).toEqual(["error", "success"])
  expect(exitCode).toBe(1)
})

test("permissions over the stream: an answer lets the call run, silence refuses it", async () => {
  const write = (name: string) =>
    answer([chunk(call("write_file", { file_path: name, content: "x" })), finish("STOP", DEFAULT_USAGE)])
  await using server = await startModelServer([write("a.txt"), say("done"), write("b.txt"), say("refused")])
  await using place = await newWorkspace()
  const script = `
    mkfifo in; $GEMINI ${ARGS.join(" ")} --permission-prompts stream --permission-timeout 1 < in > out & exec 3> in
    echo '{"type":"message","role":"user","content":"a"}' >&3
    until grep -q permission_request out; do sleep 0.05; done
    id=$(grep permission_request out | head -1 | sed 's/.*"tool_id":"\\([^"]*\\)".*/\\1/')
    echo "{\\"type\\":\\"permission_response\\",\\"tool_id\\":\\"$id\\",\\"decision\\":\\"allow\\"}" >&3
    until grep -q '"prompt_index":0' out; do sleep 0.05; done
    echo '{"type":"message","role":"user","content":"b"}' >&3
    exec 3>&-; wait $!; echo "exit $?"; cat out`
  const { stdout } = await place.shell(script, { server })
  const [first = "", ...rest] = stdout.split("\n")
  expect(first).toBe("exit 0")
  const lines = linesOf(rest.join("\n"))
  const asked = lines.filter(({ type }) => type === "permission_request")
  expect(asked).toMatchObject([
    { tool_name: "write_file", parameters: { diff: expect.any(String) } },
    { tool_name: "write_file" }
  ])
  expect(lines.filter(({ type }) => type === "tool_result").map(({ status }) => status)).toEqual(["success", "error"])
})

test("an interrupt cancels the answer under way; the next prompt is answered", async () => {
  await using server = await startModelServer((_, index) =>
    index === 0 ? answer([chunk(text("slow"))], { ending: "hang" }) : say("after")
  )
  await using place = await newWorkspace()
  const script = `
    mkfifo in; $GEMINI ${ARGS.join(" ")} < in > out & exec 3> in
    echo '{"type":"message","role":"user","content":"a"}' >&3
    until grep -q slow out; do sleep 0.05; done
    echo '{"type":"control","action":"interrupt"}' >&3
    echo '{"type":"message","role":"user","content":"b"}' >&3
    echo '{"type":"control","action":"end"}' >&3
    wait $!; echo "exit $?"; cat out`
  const { stdout } = await place.shell(script, { server })
  const [first = "", ...rest] = stdout.split("\n")
  expect(first).toBe("exit 0")
  expect(resultsOf(rest.join("\n"))).toMatchObject([
    { status: "error", completion_reason: "cancelled", prompt_index: 0 },
    { status: "success", prompt_index: 1 }
  ])
})
