/** The loop around tool calls, seen from the model: every call is answered, in a history that the API accepts. */
import { describe, expect, test } from "bun:test"
import { documentOf } from "./kit/documents.ts"
import { expectFailureDocument } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const contentsOf = (body: unknown): ReadonlyArray<{ role: string; parts: ReadonlyArray<Record<string, unknown>> }> =>
  (body as { contents: ReadonlyArray<{ role: string; parts: ReadonlyArray<Record<string, unknown>> }> }).contents

test("a call to a tool that does not exist gets an error response, and the loop goes on", async () => {
  await using server = await startModelServer([ask(call("no_such_tool", { a: 1 }, { id: "c-1" })), say("understood")], {
    strict: true
  })
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi"], { server })
  expect(result).toMatchObject({ stdout: "understood\n", exitCode: 0 })
  const [request, reply] = contentsOf(server.generations[1]?.body).slice(-2)
  expect(request).toMatchObject({
    role: "model",
    parts: [{ functionCall: { id: "c-1", name: "no_such_tool", args: { a: 1 } } }]
  })
  expect(reply).toMatchObject({
    role: "user",
    parts: [
      {
        functionResponse: { id: "c-1", name: "no_such_tool", response: { error: expect.stringContaining("not found") } }
      }
    ]
  })
})

test("several calls of one turn are answered in order, and signatures go back", async () => {
  await using server = await startModelServer(
    [
      answer([
        chunk(text("Both.")),
        chunk(call("first", {}, { id: "1", signature: "sig-1" }), call("second", {}, { id: "2" })),
        finish("STOP")
      ]),
      say("ok")
    ],
    { strict: { signatures: true } }
  )
  await using place = await newWorkspace()
  expect((await place.run(["-p", "hi"], { server })).stdout).toBe("Both.\nok\n")
  const responses = contentsOf(server.generations[1]?.body).at(-1)?.parts
  expect(responses?.map((part) => (part.functionResponse as { name: string }).name)).toEqual(["first", "second"])
})

test("calls without an id are paired as well", async () => {
  await using server = await startModelServer([ask(call("a"), call("a"), call("b")), say("ok")], { strict: true })
  await using place = await newWorkspace()
  expect((await place.run(["-p", "hi"], { server })).stdout).toBe("ok\n")
})

test("tool declarations and history fit the API over many turns", async () => {
  // Fewer than a run takes before a model is asked whether there is progress.
  const turns = 25
  await using server = await startModelServer(
    (_, index) => (index < turns ? ask(call("no_such_tool", { index }, { id: `c-${index}` })) : say("enough")),
    { strict: true }
  )
  await using place = await newWorkspace()
  const document = documentOf(await place.run(["-p", "hi", "-o", "json"], { server }))
  expect(document).toMatchObject({ response: "enough", stats: { tools: { totalCalls: turns, totalFail: turns } } })
})

describe("the turn limit", () => {
  test.each<[string, ReadonlyArray<string>, string]>([
    ["--max-turns", ["--max-turns", "3"], "{}"],
    ["model.maxSessionTurns", [], '{ "model": { "maxSessionTurns": 3 } }']
  ])("%s: exit 53 with the name of the limit", async (name, args, settings) => {
    await using server = await startModelServer(() => ask(call("no_such_tool")))
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings)
    const result = await place.run(["-p", "hi", "-o", "json", ...args], { server })
    expectFailureDocument(result, 53, {
      completion_reason: "max_turns",
      error: expect.objectContaining({
        type: "FatalTurnLimitedError",
        code: 53,
        message: expect.stringContaining(name)
      })
    })
    expect(server.generations).toHaveLength(3)
  })
})
