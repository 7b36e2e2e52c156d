/** Nobody at the other end: a run says so after seconds, and names who could not be reached. */
import { expect, test } from "bun:test"
import { expectFailureDocument } from "./kit/expectations.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

/** Port 1: nobody listens there. */
test.concurrent.each<[string, Record<string, string>, string]>([
  ["a port without a listener", { GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:1" }, "the server refused the connection"],
  ["a name that nobody has", { GOOGLE_GEMINI_BASE_URL: "http://nosuch.invalid" }, "could not be resolved"],
  [
    "a proxy",
    { GOOGLE_GEMINI_BASE_URL: "https://nosuch.invalid", HTTPS_PROXY: "http://user:secret@127.0.0.1:1" },
    "the proxy 127.0.0.1:1 refused the connection"
  ]
])("%s: three attempts", async (_, env, words) => {
  await using place = await newWorkspace()
  const flags = ["-p", "hi", "-m", "gemini-2.5-pro", "-o", "json"]
  const result = await place.run(flags, { env: { GEMINI_API_KEY: "test-key", ...env } })
  const { error } = expectFailureDocument(result, 1, { completion_reason: "api" })
  expect(error).toMatchObject({ message: expect.stringContaining(words) })
  expect(result.stderr.match(/attempt \d of 3/g)).toEqual(["attempt 2 of 3", "attempt 3 of 3"])
  expect(result.stderr).not.toContain("secret")
})
