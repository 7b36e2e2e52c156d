import { describe, expect, test } from "bun:test"
import { Duration } from "effect"
import type { AuthType } from "../protocol/modes.ts"
import { describeModelError } from "./describe.ts"
import { ModelError, ModelErrorKind } from "./model-error.ts"

const failure = (fields: Partial<ConstructorParameters<typeof ModelError>[0]>) =>
  new ModelError({ kind: "bad-request", detail: "what the server said", phase: "open", errorType: "X", ...fields })

describe("message", () => {
  const rows: ReadonlyArray<readonly [fields: Parameters<typeof failure>[0], message: string]> = [
    [{}, "[API Error: what the server said]"],
    [{ status: 429 }, "[API Error: what the server said (Status: 429)]"],
    [
      { status: 429, statusName: "RESOURCE_EXHAUSTED" },
      "[API Error: what the server said (Status: RESOURCE_EXHAUSTED)]"
    ]
  ]
  for (const [fields, message] of rows) {
    test(message, () => expect(describeModelError(failure(fields)).message).toBe(message))
  }
})

describe("hint", () => {
  type Row = readonly [name: string, fields: Parameters<typeof failure>[0], authType: AuthType, hint: RegExp]
  const rows: ReadonlyArray<Row> = [
    ["a wrong key", { kind: "auth" }, "gemini-api-key", /GEMINI_API_KEY/],
    ["Vertex credentials", { kind: "auth" }, "vertex-ai", /application-default login/],
    ["a gateway", { kind: "auth" }, "gateway", /gateway/],
    [
      "a suspended account",
      { kind: "auth", reason: "TOS_VIOLATION", link: "https://a.test" },
      "gemini-api-key",
      /suspended.*https:\/\/a\.test/
    ],
    [
      "an account to verify",
      { kind: "auth", reason: "VALIDATION_REQUIRED", link: "https://v.test" },
      "oauth-personal",
      /verified.*https:\/\/v\.test/
    ],
    ["quota with a key", { kind: "rate-limited" }, "gemini-api-key", /AI Studio/],
    ["quota on Vertex", { kind: "rate-limited" }, "vertex-ai", /Vertex AI/],
    [
      "quota that comes back",
      { kind: "quota", resetsAt: "2025-01-16T08:00:00.000Z" },
      "gemini-api-key",
      /comes back at 2025-01-16T08:00/
    ],
    ["a wait", { kind: "rate-limited", retryAfter: Duration.seconds(90) }, "gateway", /wait 1m 30s/],
    ["a model that Vertex does not know", { kind: "not-found", model: "m" }, "vertex-ai", /"m".*GOOGLE_CLOUD_LOCATION/],
    ["a model that nobody knows", { kind: "not-found", model: "m" }, "gemini-api-key", /"m".*--model/],
    ["a proxy", { kind: "unreachable", errorType: "ERR_PROXY_TUNNEL" }, "gemini-api-key", /HTTPS_PROXY/],
    ["a certificate", { kind: "unreachable", errorType: "CERT_HAS_EXPIRED" }, "gemini-api-key", /NODE_EXTRA_CA_CERTS/]
  ]
  for (const [name, fields, authType, hint] of rows) {
    test(name, () => expect(describeModelError(failure({ ...fields, authType })).hint).toMatch(hint))
  }

  test("never announces a switch to another model that did not happen", () => {
    for (const kind of ModelErrorKind.literals) {
      expect(describeModelError(failure({ kind, authType: "oauth-personal" })).hint ?? "").not.toMatch(/switch/i)
    }
  })
})

test("completion reasons", () => {
  const reasons = ModelErrorKind.literals.map((kind) => [kind, describeModelError(failure({ kind })).completionReason])
  expect(Object.fromEntries(reasons)).toEqual({
    auth: "auth",
    "not-found": "api",
    "bad-request": "api",
    quota: "quota",
    capacity: "api",
    "rate-limited": "quota",
    silent: "api",
    unavailable: "api",
    network: "api",
    unreachable: "api",
    timeout: "api",
    "bad-response": "api",
    replay: "api",
    // Of our own making: nobody was asked.
    budget: "budget",
    miss: "api"
  })
})
