/** What standard input contributes to the prompt, and how long it is waited for. */
import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const Body = Schema.Struct({
  contents: Schema.Array(Schema.Struct({ parts: Schema.Array(Schema.Struct({ text: Schema.String })) }))
})

/** The prompt as the model got it: the last part of the last content. */
const promptOf = (server: ModelServer): string => {
  const { contents } = Schema.decodeUnknownSync(Body)(server.generations[0]?.body)
  return contents.at(-1)?.parts.at(-1)?.text ?? ""
}

describe("without -p stdin is the prompt", () => {
  test("a pipe", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.shell("echo question | $GEMINI", { server })
    expect(result).toEqual({ stdout: "ok\n", stderr: "", exitCode: 0 })
    expect(promptOf(server).trimEnd()).toBe("question")
  })

  test("a file", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const file = await place.write("question.txt", "from a file")
    expect((await place.run([], { server, stdin: { file } })).exitCode).toBe(0)
    expect(promptOf(server)).toBe("from a file")
  })

  test("a slow producer is waited for, to its end", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const stdin = { slowly: ["one ", "two ", "three"], everyMs: 800 }
    const result = await place.run([], { server, stdin })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(promptOf(server)).toBe("one two three")
  })

  test.each(["null", "closed"] as const)("%s: nothing to do, exit 42", async (stdin) => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expectFailure(await place.run([], { server, stdin }), 42, "-p")
    expect(server.requests).toEqual([])
  })

  test("blank input is no input", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expectFailure(await place.run([], { server, stdin: { pipe: " \n\t\n" } }), 42)
  })
})

describe("with -p stdin is put before the prompt", () => {
  test("a pipe: both, separated, with the newline of echo", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    await place.shell("echo A | $GEMINI -p B", { server })
    expect(promptOf(server)).toBe("A\n\n\nB")
  })

  test.each(["null", "closed"] as const)("%s: the prompt alone, without a word on stderr", async (stdin) => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    expect(await place.run(["-p", "B"], { server, stdin })).toEqual({ stdout: "ok\n", stderr: "", exitCode: 0 })
    expect(promptOf(server)).toBe("B")
  })

  test("a silent pipe is waited for as long as asked, then left, and said so", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "B", "--stdin-timeout", "1s"], { server, stdin: "silent" })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(result.stderr).toContain("stdin")
    expect(promptOf(server)).toBe("B")
  })

  test("a producer that is slower than the limit is named and waited for", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const line = "(sleep 2.5; echo late) | $GEMINI -p B --stdin-timeout 1s"
    const result = await place.shell(line, { server })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(result.stderr).toMatch(/^Waiting for standard input from \S+ \(process \d+\)$/m)
    expect(promptOf(server)).toBe("late\n\n\nB")
  })

  test("the setting says the same, and the variable comes before it", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", JSON.stringify({ run: { stdinTimeout: "1s" } }))
    for (const [env, told] of [
      [{}, "within 1s"],
      [{ GEMINI_STDIN_TIMEOUT: "2s" }, "within 2s"]
    ] as const) {
      await using server = await startModelServer([say("ok")])
      expect((await place.run(["-p", "B"], { server, env, stdin: "silent" })).stderr).toContain(told)
    }
  })

  test("the variable says the same", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const env = { GEMINI_STDIN_TIMEOUT: "1s" }
    expect((await place.run(["-p", "B"], { server, env, stdin: "silent" })).stdout).toBe("ok\n")
  })

  test("a first byte that comes late enough for the notice is still taken", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "B"], { server, stdin: { slowly: ["late"], everyMs: 2500 } })
    expect(result.exitCode).toBe(0)
    expect(result.stderr).not.toBe("")
    expect(promptOf(server)).toBe("late\n\nB")
  })

  test("an empty -p with nothing on stdin: exit 42", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expectFailure(await place.run(["-p", ""], { server }), 42)
  })
})

describe("unusual bytes", () => {
  test("20 MB are cut to 8 MiB, the cut is told, and what no model can take is not sent", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "B"], { server, stdin: { pipe: "ä".repeat(10_000_000) } })
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toContain("8 MiB")
    expect(result.stderr).toContain("tokens")
    expect(server.generations).toEqual([])
  })

  test("a large input arrives whole", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const input = "ä".repeat(1_000_000)
    expect((await place.run(["-p", "B"], { server, stdin: { pipe: input } })).exitCode).toBe(0)
    expect(promptOf(server)).toBe(`${input}\n\nB`)
  })

  test("a picture is attached, with and without a prompt", async () => {
    await using place = await newWorkspace()
    const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(5000)])
    for (const args of [["-p", "What is it?"], []]) {
      await using server = await startModelServer([say("a cat")])
      const result = await place.run(args, { server, stdin: { pipe: picture } })
      expect(result).toEqual({ stdout: "a cat\n", stderr: "", exitCode: 0 })
      expect(server.generations[0]?.body).toMatchObject({
        contents: expect.arrayContaining([
          expect.objectContaining({
            parts: expect.arrayContaining([{ inlineData: { mimeType: "image/png", data: picture.toString("base64") } }])
          })
        ])
      })
    }
  })

  test.each<[string, Uint8Array]>([
    ["every byte", Uint8Array.from({ length: 4096 }, (_, index) => index % 256)],
    ["a program", Buffer.from("\x7fELF\x02\x01\x01\0\0\0", "latin1")],
    ["text of another encoding", Buffer.from("für alle Bücher ".repeat(100), "latin1")]
  ])("%s is refused, and nothing is sent", async (_, pipe) => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    expectFailure(await place.run(["-p", "B"], { server, stdin: { pipe } }), 42, "binary data")
    expect(server.requests).toEqual([])
  })

  test("a flaw in a text does not stop the run, and is told", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const pipe = Buffer.from("cut in a character: \xc3", "latin1")
    const result = await place.run(["-p", "B"], { server, stdin: { pipe } })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0, stderr: expect.stringContaining("UTF-8") })
    expect(promptOf(server)).toBe("cut in a character: \ufffd\n\nB")
  })
})

test("no input: json and stream-json give their one result", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([])
  expectFailureDocument(await place.run(["-o", "json"], { server }), 42, {
    completion_reason: "input",
    error: expect.objectContaining({ type: "FatalInputError", code: 42 })
  })
  expectFailureEvents(await place.run(["-o", "stream-json"], { server }), 42, { completion_reason: "input" })
})

test("-i with piped input: exit 42 with the words that drivers look for, no request", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  const result = await place.run(["--prompt-interactive", "x"], { server, stdin: { pipe: "y" } })
  expectFailure(result, 42, "--prompt-interactive flag cannot be used when input is piped")
  expect(server.requests).toEqual([])
})

test("the user's text in stream-json includes stdin", async () => {
  await using server = await startModelServer([say("ok")])
  await using place = await newWorkspace()
  const result = await place.shell("echo A | $GEMINI -p B -o stream-json", { server })
  expect(result.stdout).toContain('"content":"A\\n\\n\\nB"')
})
