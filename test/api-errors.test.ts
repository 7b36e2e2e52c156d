/** Refusals of the API: one line that says what to do, the same exit code in every format, the HTTP status in the document. */
import { describe, expect, test } from "bun:test"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { badRequest, errorInfo, googleError } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import type { Reply } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const BAD_KEY = googleError(401, "API key not valid. Please pass a valid API key.", [errorInfo("API_KEY_INVALID")])
const BAD_KEY_400 = googleError(400, "API key not valid. Please pass a valid API key.", [errorInfo("API_KEY_INVALID")])
const NO_MODEL = googleError(404, "models/nope is not found for API version v1beta")
const BAD_ARGUMENT = googleError(400, "Request contains an invalid argument.", [
  badRequest("generation_config.temperature", "must be between 0 and 2")
])
const FORBIDDEN = googleError(403, "The caller does not have permission")

const CASES: ReadonlyArray<readonly [string, Reply, number, string, number]> = [
  ["a refused key (401)", BAD_KEY, 401, "API key not valid", 41],
  ["a refused key (400)", BAD_KEY_400, 400, "API key not valid", 41],
  ["no permission (403)", FORBIDDEN, 403, "permission", 41],
  ["an unknown model (404)", NO_MODEL, 404, "nope", 1],
  ["a bad argument (400)", BAD_ARGUMENT, 400, "invalid argument", 1]
]

describe.each(CASES)("%s", (_, reply, status, words, exitCode) => {
  test("text: one line, one request", async () => {
    await using server = await startModelServer([reply])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "nope"], { server })
    expectFailure(result, exitCode, words)
    expect(result.stdout).toBe("")
    expect(server.generations).toHaveLength(1)
  })

  test("json: the document on stdout and stderr, with status and statistics", async () => {
    await using server = await startModelServer([reply])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "nope", "-o", "json"], { server })
    const document = expectFailureDocument(result, exitCode, {
      error: expect.objectContaining({
        type: expect.any(String),
        message: expect.stringContaining(words),
        code: status
      })
    })
    expect(document).toMatchObject({ stats: { models: { nope: { api: { totalRequests: 1, totalErrors: 1 } } } } })
  })

  test("stream-json: init, the prompt, and a result with the error", async () => {
    await using server = await startModelServer([reply])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "nope", "-o", "stream-json"], { server })
    expectFailureEvents(result, exitCode, {
      error: expect.objectContaining({ message: expect.stringContaining(words), code: status })
    })
  })
})

test("details of a 400 are told", async () => {
  await using server = await startModelServer([BAD_ARGUMENT])
  await using place = await newWorkspace()
  expectFailure(
    await place.run(["-p", "hi"], { server }),
    1,
    "generation_config.temperature",
    "must be between 0 and 2"
  )
})

test("an unknown model is named, with a way out", async () => {
  await using server = await startModelServer([NO_MODEL])
  await using place = await newWorkspace()
  expectFailure(await place.run(["-p", "hi", "-m", "nope"], { server }), 1, "nope", "-m")
})

test("a refused key names the variable it came from", async () => {
  await using server = await startModelServer([BAD_KEY])
  await using place = await newWorkspace()
  expectFailure(await place.run(["-p", "hi"], { server }), 41, "GEMINI_API_KEY")
})

test("the key itself is never shown", async () => {
  const env = { GEMINI_API_KEY: "AIzaSyVerySecretKey0123456789" }
  await using server = await startModelServer([
    googleError(400, `API key ${env.GEMINI_API_KEY} is not valid`, [errorInfo("API_KEY_INVALID")])
  ])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "-d"], { server, env })
  expect(result.stdout + result.stderr).not.toContain(env.GEMINI_API_KEY)
})
