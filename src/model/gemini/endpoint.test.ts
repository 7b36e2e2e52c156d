import { expect, test } from "bun:test"
import { Redacted } from "effect"
import { endpointFor, type GeminiPlan, serviceFor } from "./endpoint.ts"

const key = { key: Redacted.make("k"), mechanism: "x-goog-api-key" } as const
const vertex = (location: string, baseUrl?: string): GeminiPlan => ({
  _tag: "Vertex",
  authType: "vertex-ai",
  project: "my project",
  location,
  baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl),
  quotaProject: undefined,
  credentialsFile: undefined
})
const express: GeminiPlan = { _tag: "VertexExpress", authType: "vertex-ai", ...key, baseUrl: undefined }
const apiKey = (baseUrl?: string): GeminiPlan => ({
  _tag: "ApiKey",
  authType: "gemini-api-key",
  ...key,
  baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl)
})

const rows: ReadonlyArray<readonly [plan: GeminiPlan, path: string, version: string | undefined, expected: string]> = [
  [apiKey(), "models/m:x", undefined, "https://generativelanguage.googleapis.com/v1beta/models/m:x"],
  [apiKey(), "models/m:x", "v1", "https://generativelanguage.googleapis.com/v1/models/m:x"],
  [apiKey("http://localhost:1/sub//"), "models/m:x", undefined, "http://localhost:1/sub/v1beta/models/m:x"],
  [apiKey("http://localhost:1/sub/v2"), "models/m:x", "", "http://localhost:1/sub/v2/models/m:x"],
  [express, "publishers/p:x", undefined, "https://aiplatform.googleapis.com/v1beta1/publishers/p:x"],
  [
    vertex("us-central1"),
    "publishers/p:x",
    undefined,
    "https://us-central1-aiplatform.googleapis.com/v1beta1/projects/my%20project/locations/us-central1/publishers/p:x"
  ],
  [
    vertex("global"),
    "publishers/p:x",
    "v1",
    "https://aiplatform.googleapis.com/v1/projects/my%20project/locations/global/publishers/p:x"
  ],
  [
    vertex("us"),
    "publishers/p:x",
    undefined,
    "https://aiplatform.us.rep.googleapis.com/v1beta1/projects/my%20project/locations/us/publishers/p:x"
  ],
  [
    vertex("eu"),
    "projects/p/locations/l/endpoints/1:x",
    undefined,
    "https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/l/endpoints/1:x"
  ],
  [
    vertex("us", "https://v.test/"),
    "publishers/p:x",
    undefined,
    "https://v.test/v1beta1/projects/my%20project/locations/us/publishers/p:x"
  ]
]

for (const [plan, path, version, expected] of rows) {
  test(`${plan._tag} ${path} ${version ?? ""}: ${expected}`, () => {
    const endpoint = endpointFor(plan, version)
    expect(endpoint.url(path)).toBe(expected)
    expect(endpoint.api).toBe(plan.authType === "vertex-ai" ? "vertex" : "gemini")
  })
}

const services: ReadonlyArray<readonly [plan: GeminiPlan | undefined, expected: string]> = [
  [undefined, "gcp.gen_ai at nobody"],
  [apiKey(), "gcp.gen_ai at generativelanguage.googleapis.com:443"],
  [apiKey("http://localhost/sub"), "gcp.gen_ai at localhost:80"],
  [apiKey("http://localhost:8080"), "gcp.gen_ai at localhost:8080"],
  [express, "gcp.vertex_ai at aiplatform.googleapis.com:443"],
  [vertex("global"), "gcp.vertex_ai at aiplatform.googleapis.com:443"],
  [vertex("europe-west4"), "gcp.vertex_ai at europe-west4-aiplatform.googleapis.com:443"],
  [vertex("eu"), "gcp.vertex_ai at aiplatform.eu.rep.googleapis.com:443"]
]

for (const [plan, expected] of services) {
  test(`telemetry names ${expected}`, () => {
    const { provider, server } = serviceFor(plan)
    expect(`${provider} at ${server === undefined ? "nobody" : `${server.address}:${server.port}`}`).toBe(expected)
  })
}
