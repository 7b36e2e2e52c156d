/** Exit 0 means that it was done as asked: what is named must be there, and what is missing or ignored is said. */
import { describe, expect, test } from "bun:test"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { googleError } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type RunOptions } from "./kit/run-gemini.ts"

const run = async (args: ReadonlyArray<string>, options: RunOptions = {}) => {
  await using server = await startModelServer([say("ok")])
  await using place = await newWorkspace()
  const result = await place.run(args, { server, ...options })
  return { ...result, generations: server.generations.length }
}

describe.concurrent("what the command line names must be there", () => {
  test.each<[ReadonlyArray<string>, string]>([
    [["--include-directories", "/nosuch"], "/nosuch"],
    [["--include-directories", ".,./nosuch"], "./nosuch"],
    [["-e", "nosuch"], "nosuch"],
    [["--extensions", "none,nosuch"], "nosuch"],
    [["--tools", "nosuch"], "nosuch"],
    [["--exclude-tools", "nosuch"], "nosuch"],
    [["--exclude-tools", "run_shell_comand(rm)"], "run_shell_comand"]
  ])("%j: 42, and nothing is sent", async (flags, name) => {
    const text = await run(["-p", "hi", ...flags])
    expectFailure(text, 42, `"${name}"`)
    expect(text.generations).toBe(0)
    expectFailureDocument(await run(["-p", "hi", "-o", "json", ...flags]), 42, { completion_reason: "input" })
    expectFailureEvents(await run(["-p", "hi", "-o", "stream-json", ...flags]), 42, { completion_reason: "input" })
  })

  test("a folder of the settings may be missing, and is named", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "context": { "includeDirectories": ["/nosuch"] } }')
    const result = await place.run(["-p", "hi"], { server })
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(result.stderr).toContain("[WARNING] context.includeDirectories: there is no folder /nosuch")
  })
})

describe.concurrent("an option that takes one value", () => {
  test.each<[ReadonlyArray<string>, string | undefined]>([
    [["-p", "hi", "-m", "a", "--model", "b"], "--model was given more than once: the last one counts (b)"],
    [["-p", "one", "-p", "two"], "--prompt was given more than once: the last one counts (two)"],
    [["-p", "hi", "-o", "json", "-o", "text"], "--output-format was given more than once"],
    // The same again changes nothing, and a list takes as many as there are.
    [["-p", "hi", "-m", "a", "-m", "a"], undefined],
    [["-p", "hi", "--include-directories", ".", "--include-directories", "."], undefined]
  ])("%j", async (args, said) => {
    const result = await run(args)
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    if (said === undefined) expect(result.stderr).toBe("")
    else expect(result.stderr).toContain(`[WARNING] ${said}`)
  })
})

describe.concurrent("a file that @ names and that is not there", () => {
  test.each<[string, boolean]>([
    ["see @nosuch.txt please", true],
    ["@nosuch.md", true],
    ["look into (@./nosuch)", true],
    ["compare @home/none", false],
    ["@gemini-cli review this", false],
    ["update @types/node", false],
    ["write to me@example.com", false]
  ])("%j is told: %p", async (prompt, isTold) => {
    const result = await run(["-p", prompt])
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n", generations: 1 })
    expect(result.stderr.includes("was sent as text: there is no such file")).toBe(isTold)
  })

  test("also in a folder that is", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    await place.write("work/src/a.ts", "")
    const result = await place.run(["-p", "see @src/nosuch"], { server })
    expect(result.stderr).toContain("[WARNING] @src/nosuch was sent as text: there is no such file")
  })
})

describe.concurrent("credentials that the server refuses: 41", () => {
  test.each<[number, string]>([
    [401, "Request had invalid authentication credentials."],
    [403, "The caller does not have permission"],
    [400, "API key not valid. Please pass a valid API key."],
    [400, "API key expired. Please renew the API key."]
  ])("%d %s", async (status, message) => {
    await using server = await startModelServer(() => googleError(status, message))
    await using place = await newWorkspace()
    expectFailure(await place.run(["-p", "hi"], { server }), 41, message)
    const document = { completion_reason: "auth", error: { type: "FatalAuthenticationError", code: status, status } }
    expectFailureDocument(await place.run(["-p", "hi", "-o", "json"], { server }), 41, document)
    expectFailureEvents(await place.run(["-p", "hi", "-o", "stream-json"], { server }), 41, document)
  })
})

describe.concurrent("what drivers of the reference look for", () => {
  test("the enforced type of authentication: a plain Error in json", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "security": { "auth": { "enforcedType": "vertex-ai" } } }')
    const result = await place.run(["-p", "hi", "-o", "json"], { env: { GEMINI_API_KEY: "k" } })
    expectFailureDocument(result, 41, { error: { type: "Error", code: 41 } })
    expect(result.stdout).toContain("enforced authentication type is 'vertex-ai'")
    expect(result.stdout).toContain("current type is 'gemini-api-key'")
  })

  test.each<[ReadonlyArray<string>]>([[["-i", "hi"]], [["--prompt-interactive", "hi", "more", "words"]]])(
    "%j with piped input: 42 and the sentence",
    async (args) => {
      const result = await run(args, { stdin: { pipe: "data" } })
      expectFailure(result, 42, "--prompt-interactive flag cannot be used when input is piped")
      expect(result.generations).toBe(0)
    }
  )
})
