/** `--output-schema` and `--last-message-file`: results that programs read. */
import { describe, expect, test } from "bun:test"
import { documentOf, resultOf } from "./kit/documents.ts"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, call, chunk, DEFAULT_USAGE, finish, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const SCHEMA = JSON.stringify({
  type: "object",
  required: ["count"],
  properties: { count: { type: "integer" } },
  additionalProperties: false
})

describe.concurrent("an answer that fits", () => {
  test.each([
    ["as it is", '{"count": 3}'],
    ["between fences", '```json\n{"count": 3}\n```'],
    ["with prose around it", 'Here you are:\n\n```json\n{"count": 3}\n```\n\nAnything else?']
  ])("%s: standard output is the value and nothing else", async (_, said) => {
    await using server = await startModelServer([say(said)])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "count", "--output-schema", SCHEMA], { server })
    expect(result).toEqual({ exitCode: 0, stdout: '{"count": 3}\n', stderr: "" })
  })

  test("the model is told the schema, and keeps its tools", async () => {
    await using server = await startModelServer([
      answer([chunk(text("Let me look."), call("list_directory", { dir_path: "." })), finish("STOP", DEFAULT_USAGE)]),
      say('{"count":0}')
    ])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "count", "--output-schema", SCHEMA], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: '{"count":0}\n' })
    const [first] = server.generations
    expect(first?.body).toMatchObject({ tools: [{ functionDeclarations: expect.any(Array) }] })
    expect(JSON.stringify(first?.body)).toContain("additionalProperties")
  })

  test("json and stream-json carry the value as well", async () => {
    await using server = await startModelServer(() => say('{"count":3}'))
    await using place = await newWorkspace()
    const flags = ["-p", "count", "--output-schema", SCHEMA]
    const expected = { structured_output: { count: 3 }, completion_reason: "success" }
    expect(documentOf(await place.run([...flags, "-o", "json"], { server }))).toMatchObject({
      response: '{"count":3}',
      ...expected
    })
    expect(resultOf(await place.run([...flags, "-o", "stream-json"], { server }))).toMatchObject(expected)
  })

  test("in a session that goes on, too, with the repair before it", async () => {
    await using server = await startModelServer([say("hello"), say("three"), say('{"count":3}'), say("bye")], {
      strict: true
    })
    await using place = await newWorkspace()
    await place.run(["-p", "hi"], { server })
    const flags = ["--resume", "latest", "-p", "count", "--output-schema", SCHEMA, "-o", "stream-json"]
    expect(resultOf(await place.run(flags, { server }))).toMatchObject({ structured_output: { count: 3 } })
    expect((await place.run(["--resume", "latest", "-p", "thanks"], { server })).stdout).toBe("bye\n")
    const last = JSON.stringify(server.generations[3]?.body)
    for (const said of ["hello", "three", "count"]) expect(last).toContain(said)
  })

  test("the schema may stand in a file", async () => {
    await using server = await startModelServer([say('{"count":3}')])
    await using place = await newWorkspace()
    await place.write("work/schemas/count.json", SCHEMA)
    const result = await place.run(["-p", "count", "--output-schema", "schemas/count.json"], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: '{"count":3}\n' })
  })
})

describe.concurrent("an answer that does not fit", () => {
  test("is handed back with what is wrong", async () => {
    await using server = await startModelServer([say("three"), say('{"count":"three"}'), say('{"count":3}')], {
      strict: true
    })
    await using place = await newWorkspace()
    const result = await place.run(["-p", "count", "--output-schema", SCHEMA], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: '{"count":3}\n' })
    expect(JSON.stringify(server.generations[1]?.body)).toContain("it is not JSON")
    expect(JSON.stringify(server.generations[2]?.body)).toContain("answer/count must be integer")
  })

  test("three times: exit 57 with the reason, in every format", async () => {
    await using server = await startModelServer(() => say('{"count":"three"}'))
    await using place = await newWorkspace()
    const flags = ["-p", "count", "--output-schema", SCHEMA]
    const json = await place.run([...flags, "-o", "json"], { server })
    const document = expectFailureDocument(json, 57, { completion_reason: "schema", response: '{"count":"three"}' })
    expect(document).not.toHaveProperty("structured_output")
    expect(server.generations).toHaveLength(3)
    const stream = await place.run([...flags, "-o", "stream-json"], { server })
    expectFailureEvents(stream, 57, { completion_reason: "schema" })
    expectFailure(await place.run(flags, { server }), 57, "answer/count must be integer")
  })

  test("repair turns count like any other", async () => {
    await using server = await startModelServer(() => say("no"))
    await using place = await newWorkspace()
    const result = await place.run(["-p", "count", "--output-schema", SCHEMA, "--max-turns", "1"], { server })
    expectFailure(result, 53, "--max-turns")
  })
})

test.each([
  ["a file that is missing", "nowhere.json", "does not exist"],
  ["no JSON", "{ count }", "is not a JSON object: line 1, column 3: "],
  ["no schema", '{"type":"banana"}', "is not a usable JSON Schema"],
  ["a folder", ".", "is a folder"]
])("%s is refused before anything is sent", async (_, given, words) => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  expectFailure(await place.run(["-p", "hi", "--output-schema", given], { server }), 42, "--output-schema", words)
  expect(server.requests).toEqual([])
})

describe.concurrent("--last-message-file", () => {
  test("holds the text of the last turn, and only that", async () => {
    await using server = await startModelServer([
      answer([chunk(text("Let me look."), call("list_directory", { dir_path: "." })), finish("STOP", DEFAULT_USAGE)]),
      say("All ", "done.")
    ])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "--last-message-file", "out/answer.txt"], { server })
    expect(result.exitCode).toBe(0)
    expect(await place.read("work/out/answer.txt")).toBe("All done.")
  })

  test("with a schema: the value", async () => {
    await using server = await startModelServer([say("no"), say('```json\n{"count":3}\n```')])
    await using place = await newWorkspace()
    const file = `${place.root}/answer.json`
    await place.run(["-p", "hi", "--output-schema", SCHEMA, "--last-message-file", file], { server })
    expect(await place.read("answer.json")).toBe('{"count":3}')
  })

  test("a run that fails leaves the old file as it was", async () => {
    await using server = await startModelServer(() => say("no"))
    await using place = await newWorkspace()
    const file = await place.write("answer.json", "old")
    const result = await place.run(["-p", "hi", "--output-schema", SCHEMA, "--last-message-file", file], { server })
    expect(result.exitCode).toBe(57)
    expect(await place.read("answer.json")).toBe("old")
  })

  test("a file that cannot be written fails the run, and the answer is shown all the same", async () => {
    await using server = await startModelServer([say("the answer")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "--last-message-file", "/dev/full/x"], { server })
    expectFailure(result, 1, "--last-message-file")
    expect(result.stdout).toBe("the answer\n")
  })
})
