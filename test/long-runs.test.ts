/** Runs that go on for long, seen from outside: compression, masked results, loops, windows that are full, limits. */
import { describe, expect, test } from "bun:test"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { expectFailureDocument } from "./kit/expectations.ts"
import { googleError } from "./kit/google-errors.ts"
import { type ModelRequest, type Script, startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, type Reply, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

interface Content {
  readonly role: string
  readonly parts: ReadonlyArray<Readonly<Record<string, unknown>>>
}
const contentsOf = (request: ModelRequest | undefined): ReadonlyArray<Content> =>
  (request?.body as { contents: ReadonlyArray<Content> } | undefined)?.contents ?? []

const isMain = ({ operation }: ModelRequest): boolean => operation === "streamGenerateContent"

/** A model that is named is not routed, and writes its own snapshots. */
const PINNED = ["-m", "gemini-2.5-pro"]

/** Answers the conversation by one script and utility models by another. */
const scripts = (main: (index: number) => Reply, utility: (request: ModelRequest) => Reply): Script => {
  let turns = 0
  return (request) => (isMain(request) ? main(turns++) : utility(request))
}
const askWith = (prompt: number, name: string, args: Readonly<Record<string, unknown>> = {}): Reply =>
  answer([chunk(call(name, args)), finish("STOP", { prompt })])

const snapshot = "<state_snapshot>the goal is 42</state_snapshot>"

describe("compression", () => {
  test("a full window becomes a snapshot, in the middle of a task, with its open call kept", async () => {
    const script = scripts(
      (index) => (index < 4 ? askWith(index === 3 ? 600_000 : 1000, "no_such_tool", { index }) : say("done")),
      () => say(snapshot)
    )
    await using server = await startModelServer(script, { strict: { signatures: true } })
    await using place = await newWorkspace()
    const document = documentOf(await place.run(["-p", "the task", "-o", "json", ...PINNED], { server }))
    expect(document).toMatchObject({ response: "done", completion_reason: "success" })
    const utility = server.generations.filter((request) => !isMain(request))
    expect(utility.map(({ model }) => model)).toEqual(["gemini-2.5-pro", "gemini-2.5-pro"])
    const sent = contentsOf(server.generations.at(-1))
    expect(JSON.stringify(sent[0])).toContain("the goal is 42")
    expect(JSON.stringify(sent)).not.toContain("the task")
    expect(sent.at(-1)?.parts[0]).toHaveProperty("functionResponse")
    expect(document.stats).toMatchObject({
      models: { "scripted-model-001": { roles: { utility_compressor: { totalRequests: 2 } } } }
    })
  })

  test("one that fails is told, and the run goes on", async () => {
    const script = scripts(
      (index) => (index < 4 ? askWith(index === 3 ? 600_000 : 1000, "no_such_tool", { index }) : say("done")),
      () => say("")
    )
    await using server = await startModelServer(script, { strict: true })
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", ...PINNED], { server })
    expect(result).toMatchObject({ stdout: "done\n", exitCode: 0 })
    expect(result.stderr).toContain("[WARNING] The history could not be compressed: the model wrote no snapshot.")
  })

  test("the threshold is a setting, in its new and in its old form", async () => {
    for (const settings of [
      { compressionThreshold: 0.001 },
      { chatCompression: { contextPercentageThreshold: 0.001 } }
    ]) {
      const script = scripts(
        (index) => (index < 4 ? askWith(index === 3 ? 2000 : 100, "no_such_tool", { index }) : say("done")),
        () => say(snapshot)
      )
      await using server = await startModelServer(script, { strict: true })
      await using place = await newWorkspace()
      await place.write("home/.gemini/settings.json", JSON.stringify({ model: settings }))
      expect((await place.run(["-p", "hi", ...PINNED], { server })).stdout).toBe("done\n")
      expect(server.generations.filter((request) => !isMain(request)).length).toBeGreaterThan(0)
    }
  })
})

test("old results are replaced by a preview, and the whole is in a file that read_file opens", async () => {
  const script = scripts(
    (index) => (index < 4 ? askWith(1000, "read_file", { file_path: `big-${index}.txt` }) : say("done")),
    () => say("{}")
  )
  await using server = await startModelServer(script, { strict: true })
  await using place = await newWorkspace()
  for (let index = 0; index < 4; index++) {
    await place.write(`work/big-${index}.txt`, `${`file ${index} `.repeat(20)}\n`.repeat(1000))
  }
  expect((await place.run(["-p", "hi", ...PINNED], { server })).stdout).toBe("done\n")
  const outputs = contentsOf(server.generations.at(-1)).flatMap(({ parts }) =>
    parts.flatMap(
      (part) => (part.functionResponse as { response: { output: string } } | undefined)?.response.output ?? []
    )
  )
  expect(outputs.map((output) => output.startsWith("<tool_output_masked>"))).toEqual([true, true, false, false])
  const path = /The whole is in (\S+);/.exec(outputs[0] ?? "")?.[1] ?? ""
  expect(path).toContain("tool-outputs/session-")
  expect(JSON.parse(await place.read(path)).output).toContain("file 0")
  const masked = await readdir(join(path, ".."))
  expect(masked).toHaveLength(2)
})

const settings = (model: object) => JSON.stringify({ model })

describe("loops", () => {
  test("the same call six times: a word first, then the end with its own reason", async () => {
    await using server = await startModelServer(() => ask(call("no_such_tool", { a: 1 })), { strict: true })
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-o", "json", ...PINNED], { server })
    expectFailureDocument(result, 1, {
      completion_reason: "loop",
      error: expect.objectContaining({
        type: "LoopDetectedError",
        message: expect.stringContaining("stuck in a loop")
      }),
      warnings: [expect.stringContaining("asked to step back"), "Loop detected, stopping execution"]
    })
    expect(server.generations).toHaveLength(6)
    expect(JSON.stringify(contentsOf(server.generations[5]).at(-1))).toContain("Step back")
  })

  test("every tool_use of a loop has its tool_result", async () => {
    await using server = await startModelServer(() => ask(call("no_such_tool", { a: 1 })))
    await using place = await newWorkspace()
    const events = eventsOf(await place.run(["-p", "hi", "-o", "stream-json", ...PINNED], { server }))
    const ids = (type: string) => events.flatMap((event) => (event.type === type ? [event.tool_id] : []))
    expect(ids("tool_result")).toEqual(ids("tool_use"))
    expect(events).toContainEqual(
      expect.objectContaining({ type: "error", severity: "warning", message: "Loop detected, stopping execution" })
    )
  })

  test("a chant is cut off and not part of the answer", async () => {
    const chant = Array.from({ length: 60 }, () => chunk(text("And so I say it again, as I have said it before. ")))
    await using server = await startModelServer([answer([...chant, finish("STOP")]), say("sorry")], { strict: true })
    await using place = await newWorkspace()
    const document = documentOf(await place.run(["-p", "hi", "-o", "json", ...PINNED], { server }))
    expect(document).toMatchObject({ response: "sorry", completion_reason: "success" })
  })

  test("the check can be turned off", async () => {
    await using server = await startModelServer(
      (_, index) => (index < 40 ? ask(call("no_such_tool", { a: 1 })) : say("done")),
      { strict: true }
    )
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings({ disableLoopDetection: true }))
    expect((await place.run(["-p", "hi", ...PINNED], { server })).stdout).toBe("done\n")
    expect(server.generations).toHaveLength(41)
  })

  test("different edits, hundreds of them, are work", async () => {
    const script = scripts(
      (index) => (index < 300 ? ask(call("write_file", { file_path: `f${index}`, content: `${index}` })) : say("done")),
      () => say('{"unproductive_state_analysis":"edits","unproductive_state_confidence":0.1}')
    )
    await using server = await startModelServer(script)
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "--approval-mode", "yolo", ...PINNED], { server })
    expect(result).toMatchObject({ stdout: "done\n", exitCode: 0 })
    expect(await readdir(place.cwd)).toHaveLength(300)
  }, 60_000)

  test("a model says that there is no progress, and another agrees", async () => {
    const script = scripts(
      (index) => ask(call("no_such_tool", { index })),
      () => say('{"unproductive_state_analysis":"it only counts","unproductive_state_confidence":0.95}')
    )
    await using server = await startModelServer(script, { strict: true })
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-o", "json", ...PINNED], { server })
    expectFailureDocument(result, 1, {
      completion_reason: "loop",
      error: expect.objectContaining({ message: expect.stringContaining("it only counts") })
    })
    const models = server.generations.filter((request) => !isMain(request)).map(({ model }) => model)
    expect(models).toHaveLength(4)
    expect(new Set(models).size).toBe(2)
  })
})

test("a prompt that does not fit is refused before anything is sent", async () => {
  await using server = await startModelServer([say("never")])
  await using place = await newWorkspace()
  const file = await place.write("huge.txt", "x".repeat(5_000_000))
  const result = await place.run(["-p", "summarise", "-o", "json", ...PINNED], { server, stdin: { file } })
  expectFailureDocument(result, 1, {
    completion_reason: "input",
    error: expect.objectContaining({ type: "ContextOverflowError", message: expect.stringContaining("context window") })
  })
  expect(server.generations).toHaveLength(0)
})

test("the model goes on by itself where it announced a step, if that is asked for", async () => {
  let asked = 0
  const script = scripts(
    (index) => say(index === 0 ? "Let me look." : "Done."),
    () => say(JSON.stringify({ reasoning: "r", next_speaker: asked++ === 0 ? "model" : "user" }))
  )
  await using server = await startModelServer(script, { strict: true })
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", settings({ skipNextSpeakerCheck: false }))
  expect((await place.run(["-p", "hi", ...PINNED], { server })).stdout).toContain("Done.")
  expect(server.generations.filter(isMain)).toHaveLength(2)
})

describe("the limit of one prompt", () => {
  test("is told with the name of its setting", async () => {
    await using server = await startModelServer((_, index) => ask(call("no_such_tool", { index })), { strict: true })
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings({ maxPromptTurns: 7 }))
    const result = await place.run(["-p", "hi", "-o", "json", ...PINNED], { server })
    expectFailureDocument(result, 53, {
      completion_reason: "max_turns",
      error: expect.objectContaining({ message: expect.stringContaining("model.maxPromptTurns") })
    })
    expect(server.generations).toHaveLength(7)
  })
})

test("a short run asks nobody but its model, once for each turn", async () => {
  await using server = await startModelServer(
    (_, index) => (index < 20 ? ask(call("no_such_tool", { index })) : say("done")),
    { strict: true }
  )
  await using place = await newWorkspace()
  expect((await place.run(["-p", "hi", ...PINNED], { server })).stdout).toBe("done\n")
  expect(server.requests).toHaveLength(21)
  expect(server.requests.every(isMain)).toBe(true)
})

const TOO_LONG = () =>
  googleError(400, "The input token count (1310720) exceeds the maximum number of tokens allowed (1048576).")

/** Words that do not repeat themselves. */
const LONG = Array.from({ length: 300 }, (_, index) => `word${index * 7919}`).join(" ")

test("a conversation that the service calls too long is compressed, and asked once more", async () => {
  const refused = new Set([1, 3, 4])
  await using server = await startModelServer(
    scripts(
      (index) => (refused.has(index) ? TOO_LONG() : say(`${LONG} of ${index}`)),
      () => say(snapshot)
    )
  )
  await using place = await newWorkspace()
  await place.run(["-p", "first question", ...PINNED], { server })
  const again = await place.run(["-p", "second question", "-r", "latest", ...PINNED], { server })
  expect(again).toMatchObject({ exitCode: 0, stdout: `${LONG} of 2\n` })
  expect(again.stderr).toContain("too long for gemini-2.5-pro: it is compressed")
  const [, before, after] = server.requests.filter(isMain).map((request) => JSON.stringify(contentsOf(request)))
  expect(before).toContain("word7919")
  expect(after).not.toContain("word7919")
  expect(after).toContain("the goal is 42")
  expect(after?.split("second question")).toHaveLength(2)
  // Once: what is still too long ends the run, in the words of the service.
  const last = await place.run(["-p", "third question", "-r", "latest", ...PINNED, "-o", "json"], { server })
  expectFailureDocument(last, 1, { completion_reason: "api" })
  expect(last.stdout).toContain("exceeds the maximum number of tokens allowed")
  expect(server.requests.filter(isMain)).toHaveLength(5)
})

test("a conversation that nothing can be taken from is not asked again", async () => {
  await using server = await startModelServer(scripts(TOO_LONG, () => say(snapshot)))
  await using place = await newWorkspace()
  const result = await place.run(["-p", "the only question", ...PINNED, "-o", "json"], { server })
  expectFailureDocument(result, 1, { completion_reason: "api" })
  expect(server.requests).toHaveLength(1)
})
