/** Which credentials are used, in which order, and what a run without any says. */
import { describe, expect, test } from "bun:test"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { serviceAccountFile } from "./kit/service-account.ts"

describe("no credentials: exit 41, naming the variables", () => {
  test("text", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"])
    expectFailure(result, 41, "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI")
    expect(result.stdout).toBe("")
  })

  test("json", async () => {
    await using place = await newWorkspace()
    const document = expectFailureDocument(await place.run(["-p", "hi", "-o", "json"]), 41, {
      completion_reason: "auth",
      error: expect.objectContaining({ type: "FatalAuthenticationError", code: 41 })
    })
    expect(document).not.toHaveProperty("stats")
  })

  test("stream-json", async () => {
    await using place = await newWorkspace()
    expectFailureEvents(await place.run(["-p", "hi", "-o", "stream-json"]), 41, { completion_reason: "auth" })
  })
})

describe("the Gemini API", () => {
  const headersOf = async (env: Record<string, string>) => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "some-model"], { server, env })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    return { path: server.requests[0]?.path, headers: server.requests[0]?.headers ?? {} }
  }

  test("key and base URL just work", async () => {
    const { headers, path } = await headersOf({})
    expect(path).toBe("/v1beta/models/some-model:streamGenerateContent")
    expect(headers["x-goog-api-key"]).toBe("test-key")
    expect(headers["user-agent"]).toMatch(/^GeminiCLI\/[^ ]+\/some-model \(\w+; \w+; terminal\)/)
  })

  test("a bearer key, extra headers and another version of the API", async () => {
    const { headers, path } = await headersOf({
      GEMINI_API_KEY_AUTH_MECHANISM: "bearer",
      GEMINI_CLI_CUSTOM_HEADERS: "X-One: 1, X-Two: a,b",
      GOOGLE_GENAI_API_VERSION: "v1alpha"
    })
    expect(path).toStartWith("/v1alpha/")
    expect(headers).toMatchObject({ authorization: "Bearer test-key", "x-one": "1", "x-two": "a,b" })
  })

  test("a gateway without a key", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { server, env: { GEMINI_API_KEY: undefined } })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
  })

  test("the key of a .env file in the home folder", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    await place.write("home/.gemini/.env", "GEMINI_API_KEY=from-file\n")
    const result = await place.run(["-p", "hi"], { server, env: { GEMINI_API_KEY: undefined } })
    expect(result.exitCode).toBe(0)
    expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("from-file")
  })
})

describe("Vertex AI", () => {
  const serviceAccount = (place: Workspace, server: ModelServer) =>
    place.write("account.json", serviceAccountFile(`${server.url}/token`))

  test("a service account, project and location", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "some-model"], {
      env: {
        GOOGLE_GENAI_USE_VERTEXAI: "true",
        GOOGLE_CLOUD_PROJECT: "proj",
        GOOGLE_CLOUD_LOCATION: "europe-west4",
        GOOGLE_APPLICATION_CREDENTIALS: await serviceAccount(place, server),
        GOOGLE_VERTEX_BASE_URL: server.url
      }
    })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(server.generations[0]?.path).toBe(
      "/v1beta1/projects/proj/locations/europe-west4/publishers/google/models/some-model:streamGenerateContent"
    )
    expect(server.generations[0]?.headers.authorization).toBe("Bearer scripted-token")
  })

  test("an express key", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "some-model"], {
      env: { GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_API_KEY: "express", GOOGLE_VERTEX_BASE_URL: server.url }
    })
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(server.generations[0]?.path).toEndWith("/publishers/google/models/some-model:streamGenerateContent")
    expect(server.generations[0]?.headers["x-goog-api-key"]).toBe("express")
  })

  test("nothing that identifies a project: exit 41, naming what is missing", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { env: { GOOGLE_GENAI_USE_VERTEXAI: "true" } })
    expectFailure(result, 41, "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_API_KEY")
  })
})

test("an enforced type that is not the current one: exit 41 with the words that scripts look for", async () => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{ "security": { "auth": { "enforcedType": "vertex-ai" } } }')
  const result = await place.run(["-p", "hi"], { env: { GOOGLE_GENAI_USE_GCA: "true" } })
  expectFailure(result, 41, "enforced authentication type is 'vertex-ai'", "current type is 'oauth-personal'")
})

test("a sign-in with Google without an OAuth client says what needs none", async () => {
  await using place = await newWorkspace()
  expectFailure(await place.run(["-p", "hi"], { env: { GOOGLE_GENAI_USE_GCA: "true" } }), 41, "GEMINI_API_KEY")
})
