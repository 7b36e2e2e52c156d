import { expect, test } from "bun:test"
import { Redacted } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { endpointFor } from "./endpoint.ts"

const key = { key: Redacted.make("k"), mechanism: "x-goog-api-key" } as const
const vertex = (location: string, baseUrl?: string): AuthPlan => ({
  _tag: "Vertex",
  authType: "vertex-ai",
  project: "my project",
  location,
  baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl),
  quotaProject: undefined,
  credentialsFile: undefined
})
const apiKey = (baseUrl?: string): AuthPlan => ({
  _tag: "ApiKey",
  authType: "gemini-api-key",
  ...key,
  baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl)
})

const rows: ReadonlyArray<readonly [plan: AuthPlan, model: string, version: string | undefined, expected: string]> = [
  [apiKey(), "m", undefined, "https://generativelanguage.googleapis.com | v1beta"],
  [apiKey(), "m", "v1", "https://generativelanguage.googleapis.com | v1"],
  [apiKey("http://localhost:1/sub//"), "m", undefined, "http://localhost:1/sub | v1beta"],
  [
    { _tag: "VertexExpress", authType: "vertex-ai", ...key, baseUrl: undefined },
    "m",
    undefined,
    "https://aiplatform.googleapis.com | v1beta1"
  ],
  [
    vertex("us-central1"),
    "m",
    undefined,
    "https://us-central1-aiplatform.googleapis.com/v1beta1/projects/my%20project/locations/us-central1 | "
  ],
  [vertex("global"), "m", "v1", "https://aiplatform.googleapis.com/v1/projects/my%20project/locations/global | "],
  [
    vertex("us"),
    "m",
    undefined,
    "https://aiplatform.us.rep.googleapis.com/v1beta1/projects/my%20project/locations/us | "
  ],
  [vertex("eu"), "projects/p/locations/l/endpoints/1", undefined, "https://aiplatform.eu.rep.googleapis.com | v1beta1"],
  [vertex("us", "https://v.test/"), "m", undefined, "https://v.test/v1beta1/projects/my%20project/locations/us | "]
]

for (const [plan, model, version, expected] of rows) {
  test(`${plan._tag} ${model} ${version ?? ""}: ${expected}`, () => {
    const endpoint = endpointFor(plan, model, version)
    expect(`${endpoint.baseUrl} | ${endpoint.apiVersion}`).toBe(expected)
    expect(endpoint.isVertex).toBe(plan.authType === "vertex-ai")
  })
}
