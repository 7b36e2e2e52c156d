import { describe, expect } from "bun:test"
import { Effect, Option, Redacted, Ref } from "effect"
import { it } from "../../test/kit/it.ts"
import type { AuthError, AuthPlan } from "./auth-plan.ts"
import { type AuthInputs, selectAuth } from "./select-auth.ts"

const noStore = Effect.succeed(Option.none())
const inputs = (variables: AuthInputs["variables"], rest: Partial<AuthInputs> = {}): AuthInputs => ({
  variables,
  storedKey: noStore,
  ...rest
})

/** The plan with its secrets in the clear, for comparison. */
const shown = (plan: AuthPlan): Record<string, unknown> => {
  const { _tag, ...fields } = plan
  const entries = Object.entries(fields).filter(([name, value]) => name !== "authType" && value !== undefined)
  return {
    plan: _tag,
    ...Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        Redacted.isRedacted(value) ? Redacted.value(value) : value instanceof URL ? value.href : value
      ])
    )
  }
}

describe("what is used", () => {
  const header = "x-goog-api-key"
  type Row = readonly [name: string, AuthInputs, expected: Record<string, unknown>]
  const rows: ReadonlyArray<Row> = [
    ["a key", inputs({ GEMINI_API_KEY: "k" }), { plan: "ApiKey", key: "k", mechanism: header }],
    ["spaces around a key", inputs({ GEMINI_API_KEY: " k\n" }), { plan: "ApiKey", key: "k", mechanism: header }],
    [
      "a key as bearer",
      inputs({ GEMINI_API_KEY: "k", GEMINI_API_KEY_AUTH_MECHANISM: "bearer" }),
      { plan: "ApiKey", key: "k", mechanism: "bearer" }
    ],
    [
      "a key at another address",
      inputs({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: "http://localhost:8080" }),
      { plan: "ApiKey", key: "k", mechanism: header, baseUrl: "http://localhost:8080/" }
    ],
    [
      "an address alone",
      inputs({ GOOGLE_GEMINI_BASE_URL: "http://localhost:8080" }),
      { plan: "Gateway", key: "", mechanism: header, baseUrl: "http://localhost:8080/" }
    ],
    [
      "an address with an empty key",
      inputs({ GEMINI_API_KEY: "", GOOGLE_GEMINI_BASE_URL: "http://localhost:8080" }),
      { plan: "Gateway", key: "", mechanism: header, baseUrl: "http://localhost:8080/" }
    ],
    [
      "a key of Vertex AI alone",
      inputs({ GOOGLE_API_KEY: "k" }),
      { plan: "VertexExpress", key: "k", mechanism: header }
    ],
    [
      "a key of the Gemini API beside one of Vertex AI",
      inputs({ GEMINI_API_KEY: "g", GOOGLE_API_KEY: "k" }),
      { plan: "ApiKey", key: "g", mechanism: header }
    ],
    [
      "a credentials file and a project, and nothing else",
      inputs({ GOOGLE_APPLICATION_CREDENTIALS: "/nowhere.json", GOOGLE_CLOUD_PROJECT: "p" }),
      { plan: "Vertex", project: "p", location: "global", credentialsFile: "/nowhere.json" }
    ],
    [
      "a gateway that was selected, with a key",
      inputs({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: "http://g" }, { selectedType: "gateway" }),
      { plan: "Gateway", key: "k", mechanism: header, baseUrl: "http://g/" }
    ],
    [
      "Vertex",
      inputs({ GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "l" }),
      { plan: "Vertex", project: "p", location: "l" }
    ],
    [
      "Vertex before a key",
      inputs({
        GOOGLE_GENAI_USE_VERTEXAI: "true",
        GEMINI_API_KEY: "k",
        GOOGLE_CLOUD_PROJECT: "p",
        GOOGLE_CLOUD_LOCATION: "l"
      }),
      { plan: "Vertex", project: "p", location: "l" }
    ],
    [
      "the other name of the project",
      inputs({
        GOOGLE_GENAI_USE_VERTEXAI: "true",
        GOOGLE_CLOUD_PROJECT: "",
        GOOGLE_CLOUD_PROJECT_ID: "p",
        GOOGLE_CLOUD_LOCATION: "l"
      }),
      { plan: "Vertex", project: "p", location: "l" }
    ],
    [
      "Vertex with everything",
      inputs({
        GOOGLE_GENAI_USE_VERTEXAI: "true",
        GOOGLE_CLOUD_PROJECT: "p",
        GOOGLE_CLOUD_LOCATION: "l",
        GOOGLE_CLOUD_QUOTA_PROJECT: "q",
        GOOGLE_APPLICATION_CREDENTIALS: "/f.json",
        GOOGLE_VERTEX_BASE_URL: "https://v"
      }),
      {
        plan: "Vertex",
        project: "p",
        location: "l",
        quotaProject: "q",
        credentialsFile: "/f.json",
        baseUrl: "https://v/"
      }
    ],
    [
      "Vertex express",
      inputs({
        GOOGLE_GENAI_USE_VERTEXAI: "true",
        GOOGLE_API_KEY: "g",
        GOOGLE_CLOUD_PROJECT: "p",
        GOOGLE_CLOUD_LOCATION: "l"
      }),
      { plan: "VertexExpress", key: "g", mechanism: header }
    ],
    [
      "the selected type before the environment",
      inputs({ GOOGLE_GENAI_USE_VERTEXAI: "true", GEMINI_API_KEY: "k" }, { selectedType: "gemini-api-key" }),
      { plan: "ApiKey", key: "k", mechanism: header }
    ],
    [
      "the legacy type counts as none",
      inputs({ GEMINI_API_KEY: "k" }, { selectedType: "cloud-shell" }),
      { plan: "ApiKey", key: "k", mechanism: header }
    ],
    [
      "the stored key",
      inputs({}, { selectedType: "gemini-api-key", storedKey: Effect.succeedSome(Redacted.make("s")) }),
      { plan: "ApiKey", key: "s", mechanism: header }
    ],
    [
      "external authentication without a key",
      inputs({}, { selectedType: "gemini-api-key", useExternal: true }),
      { plan: "ApiKey", key: "", mechanism: header }
    ],
    [
      "the enforced type, when it is the one in use",
      inputs({ GEMINI_API_KEY: "k" }, { enforcedType: "gemini-api-key" }),
      { plan: "ApiKey", key: "k", mechanism: header }
    ]
  ]
  for (const [name, given, expected] of rows) {
    it.effect(name, () => Effect.map(selectAuth(given), ({ plan }) => expect(shown(plan)).toEqual(expected)))
  }

  it.effect("says whether the settings or the environment decided", () =>
    Effect.gen(function* () {
      expect((yield* selectAuth(inputs({ GEMINI_API_KEY: "k" }))).source).toBe("environment")
      expect((yield* selectAuth(inputs({ GEMINI_API_KEY: "k" }, { selectedType: "gemini-api-key" }))).source).toBe(
        "settings"
      )
    })
  )
})

describe("what is refused", () => {
  type Row = readonly [name: string, AuthInputs, reason: AuthError["reason"], text: RegExp]
  const rows: ReadonlyArray<Row> = [
    [
      "nothing at all",
      inputs({}),
      "none-configured",
      /GEMINI_API_KEY.*GOOGLE_GENAI_USE_VERTEXAI.*GOOGLE_GENAI_USE_GCA.*GOOGLE_GEMINI_BASE_URL.*selectedType/
    ],
    ["an empty key", inputs({ GEMINI_API_KEY: "  " }), "none-configured", /GEMINI_API_KEY/],
    [
      "a selected key that is missing",
      inputs({}, { selectedType: "gemini-api-key" }),
      "missing-key",
      /GEMINI_API_KEY is not set/
    ],
    [
      "a selected key that is empty",
      inputs({ GEMINI_API_KEY: "" }, { selectedType: "gemini-api-key" }),
      "missing-key",
      /GEMINI_API_KEY is empty/
    ],
    [
      "Vertex without a project",
      inputs({ GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_CLOUD_LOCATION: "l" }),
      "vertex-incomplete",
      /needs GOOGLE_CLOUD_PROJECT, or GOOGLE_API_KEY/
    ],
    [
      "Vertex without anything",
      inputs({}, { selectedType: "vertex-ai" }),
      "vertex-incomplete",
      /GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION/
    ],
    [
      "another type than the enforced one",
      inputs({ GEMINI_API_KEY: "k" }, { enforcedType: "vertex-ai" }),
      "enforced-mismatch",
      /enforced authentication type is 'vertex-ai'.*current type is 'gemini-api-key'/
    ],
    [
      "sign-in where a key is enforced",
      inputs({ GOOGLE_GENAI_USE_GCA: "true" }, { enforcedType: "gemini-api-key" }),
      "enforced-mismatch",
      /enforced authentication type is 'gemini-api-key'.*current type is 'oauth-personal'/
    ],
    [
      "nothing where a type is enforced",
      inputs({}, { enforcedType: "vertex-ai" }),
      "enforced-mismatch",
      /enforced authentication type is 'vertex-ai'/
    ],
    [
      "a sign-in at an address that anybody can listen to",
      inputs({ GOOGLE_GENAI_USE_GCA: "true", CODE_ASSIST_ENDPOINT: "http://example.com" }),
      "invalid-endpoint",
      /CODE_ASSIST_ENDPOINT.*http:\/\/example.com/
    ],
    [
      "an OAuth server that is no address",
      inputs({ GEMINI_CLI_USE_COMPUTE_ADC: "true", GEMINI_OAUTH_ENDPOINT: "nowhere" }),
      "invalid-endpoint",
      /GEMINI_OAUTH_ENDPOINT/
    ],
    ["an unknown type", inputs({ GEMINI_API_KEY: "k" }, { selectedType: "magic" }), "unknown-type", /"magic"/],
    [
      "an address that is none",
      inputs({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: "not a url" }),
      "invalid-base-url",
      /GOOGLE_GEMINI_BASE_URL.*not a url/
    ],
    [
      "an address of another kind",
      inputs({ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: "ftp://x" }),
      "invalid-base-url",
      /ftp:\/\/x/
    ],
    [
      "a wrong Vertex address",
      inputs({ GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_API_KEY: "g", GOOGLE_VERTEX_BASE_URL: "::" }),
      "invalid-base-url",
      /GOOGLE_VERTEX_BASE_URL/
    ],
    [
      "a gateway without an address",
      inputs({}, { selectedType: "gateway" }),
      "invalid-base-url",
      /GOOGLE_GEMINI_BASE_URL is not set/
    ]
  ]
  for (const [name, given, reason, text] of rows) {
    it.effect(name, () =>
      Effect.map(Effect.flip(selectAuth(given)), (error) => {
        expect(error.reason).toBe(reason)
        expect(error.message).toMatch(text)
        expect(error.hint).toBeString()
      })
    )
  }
})

describe("the key store", () => {
  const asked = (given: (storedKey: AuthInputs["storedKey"]) => AuthInputs) =>
    Effect.gen(function* () {
      const count = yield* Ref.make(0)
      const storedKey = Ref.update(count, (n) => n + 1).pipe(Effect.as(Option.some(Redacted.make("s"))))
      yield* Effect.ignore(selectAuth(given(storedKey)))
      return yield* Ref.get(count)
    })

  it.effect("is not asked when the environment has a key", () =>
    Effect.map(
      asked((storedKey) => inputs({ GEMINI_API_KEY: "k" }, { storedKey })),
      (count) => expect(count).toBe(0)
    )
  )
  it.effect("is not asked for Vertex, a gateway or sign-in", () =>
    Effect.gen(function* () {
      for (const selectedType of ["vertex-ai", "gateway", "oauth-personal", "compute-default-credentials"]) {
        expect(
          yield* asked((storedKey) => inputs({ GOOGLE_GEMINI_BASE_URL: "http://g" }, { selectedType, storedKey }))
        ).toBe(0)
      }
    })
  )
  it.effect("is asked when the key type is selected and the variable is empty", () =>
    Effect.map(
      asked((storedKey) => inputs({ GEMINI_API_KEY: "" }, { selectedType: "gemini-api-key", storedKey })),
      (count) => expect(count).toBe(1)
    )
  )
})
