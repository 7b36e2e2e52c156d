import { afterAll, beforeAll, describe, expect } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { startModelServer } from "../../../test/kit/model-server.ts"
import { say } from "../../../test/kit/replies.ts"
import type { AuthPlan } from "../../auth/auth-plan.ts"
import * as Flow from "../../kernel/flow.ts"
import { userText } from "../../protocol/content.ts"
import { PromptId } from "../../protocol/ids.ts"
import { make } from "../../system/http/http.ts"
import type { ModelRequest } from "../model-client.ts"
import * as VertexClient from "./vertex-client.live.ts"

type VertexPlan = Extract<AuthPlan, { readonly _tag: "Vertex" }>

const request: ModelRequest = {
  model: "gemini-test",
  contents: [userText("hello")],
  config: {},
  role: "main",
  promptId: PromptId.make("s########1")
}
const identity = { version: "1.0.0", platform: "linux", arch: "x64", osVersion: "6" }

let folder = ""
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vertex-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const serviceAccount = (tokenUri: string) => {
  const file = join(folder, "account.json")
  const account = {
    type: "service_account",
    project_id: "p",
    private_key_id: "1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "robot@p.iam.gserviceaccount.com",
    token_uri: tokenUri,
    universe_domain: "googleapis.com"
  }
  writeFileSync(file, JSON.stringify(account))
  return file
}

const serving = Effect.acquireRelease(
  Effect.promise(() => startModelServer(() => say("hi"))),
  (server) => Effect.promise(() => server.close())
)

const clientOf = (fields: Partial<VertexPlan>) => {
  const plan: VertexPlan = {
    _tag: "Vertex",
    authType: "vertex-ai",
    project: "p",
    location: "us-central1",
    baseUrl: undefined,
    quotaProject: undefined,
    credentialsFile: undefined,
    ...fields
  }
  return Effect.sync(() => VertexClient.make(plan, { identity, variables: {}, http: make({ variables: {} }) }))
}

describe("Vertex AI with a service account", () => {
  it.live("fetches one token, and sends it with the project's path and the billed project", () =>
    Effect.gen(function* () {
      const server = yield* serving
      const client = yield* clientOf({
        baseUrl: new URL(server.url),
        credentialsFile: serviceAccount(`${server.url}/token`),
        quotaProject: "billed"
      })
      yield* Flow.runDrain(client.stream(request))
      yield* client.generate({ ...request, model: "projects/q/locations/l/publishers/google/models/tuned" })
      yield* client.countTokens(request)
      expect(yield* client.embed({ model: "gemini-embedding-001", texts: ["a"] })).toEqual([[0.25, 0.5, 0.25]])
      expect(server.requests.map(({ path }) => path)).toEqual([
        "/token",
        "/v1beta1/projects/p/locations/us-central1/publishers/google/models/gemini-test:streamGenerateContent",
        "/v1beta1/projects/q/locations/l/publishers/google/models/tuned:generateContent",
        "/v1beta1/projects/p/locations/us-central1/publishers/google/models/gemini-test:countTokens",
        "/v1beta1/projects/p/locations/us-central1/publishers/google/models/gemini-embedding-001:predict"
      ])
      const sent = server.requests[1]?.headers
      expect(sent?.authorization).toBe("Bearer scripted-token")
      expect(sent?.["x-goog-user-project"]).toBe("billed")
      expect(sent?.["x-goog-api-key"]).toBeUndefined()
    })
  )

  it.live("says that the credentials file is missing", () =>
    Effect.gen(function* () {
      const client = yield* clientOf({
        baseUrl: new URL("http://127.0.0.1:1"),
        credentialsFile: join(folder, "none.json")
      })
      const error = yield* Effect.flip(client.generate(request))
      expect([error.kind, error.phase]).toEqual(["auth", "open"])
      expect(error.detail).toContain("none.json")
    })
  )

  it.live("a token endpoint that is down is a matter of the network", () =>
    Effect.gen(function* () {
      const client = yield* clientOf({
        baseUrl: new URL("http://127.0.0.1:1"),
        credentialsFile: serviceAccount("http://127.0.0.1:1/token")
      })
      const error = yield* Effect.flip(client.generate(request))
      expect([error.kind, error.errorType]).toEqual(["network", "ECONNREFUSED"])
    })
  )
})
