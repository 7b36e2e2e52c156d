/** `gemini models`: what is known without asking, and what the service says. */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { newWorkspace, type RunResult } from "./kit/run-gemini.ts"
import { serviceAccountFile } from "./kit/service-account.ts"

interface Listed {
  readonly auth_type: string
  readonly models: ReadonlyArray<{
    readonly id: string
    readonly aliases: ReadonlyArray<string>
    readonly window: number
    readonly price_usd_per_million: { readonly input: number } | null
    readonly tiers: ReadonlyArray<string>
    readonly features: ReadonlyArray<string>
    readonly fallbacks: ReadonlyArray<string>
    readonly offered?: boolean
  }>
  readonly unknown?: ReadonlyArray<{
    readonly id: string
    readonly window: number | null
    readonly max_output: number | null
  }>
  readonly differs?: ReadonlyArray<unknown>
}

const listed = ({ exitCode, stdout }: RunResult): Listed => {
  expect(exitCode).toBe(0)
  return JSON.parse(stdout) as Listed
}

test("what is known is told offline: names by sign-in, windows, prices with those of the settings, tiers, who stands in", async () => {
  await using place = await newWorkspace()
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({
      run: { prices: { "gemini-3.5-flash": { input: 7, output: 8 } } },
      modelConfigs: { customAliases: { house: { extends: "chat-base", modelConfig: { model: "tuned-1" } } } }
    })
  )
  const { auth_type, models } = listed(await place.run(["models", "--json"]))
  expect(auth_type).toBe("gemini-api-key")
  const flash = models.find(({ id }) => id === "gemini-3.5-flash")
  expect(flash).toMatchObject({ aliases: ["flash"], price_usd_per_million: { input: 7 } })
  expect(flash?.tiers).toEqual(["standard", "flex", "priority"])
  expect(models.find(({ id }) => id === "tuned-1")).toMatchObject({ aliases: ["house"], price_usd_per_million: null })
  for (const { fallbacks, id, window } of models) {
    expect(window).toBeGreaterThan(100_000)
    expect(fallbacks).not.toContain(id)
  }
  const account = listed(await place.run(["models", "--json"], { env: { GOOGLE_GENAI_USE_GCA: "true" } }))
  expect(account.auth_type).toBe("oauth-personal")
  expect(account.models.every(({ tiers }) => tiers.join() === "standard")).toBe(true)
  const table = await place.run(["models"])
  expect(table.stdout).toMatch(/^MODEL +NAMES +WINDOW/)
  expect(table.stdout).toMatch(/^gemini-3\.5-flash +flash +1,048,576 +7\/8 /m)
  expect(table.stdout).toMatch(/^tuned-1 +house .* unknown /m)
})

test("--online asks the service, page by page, and marks what differs", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  const answer = listed(await place.run(["models", "--online", "--json"], { server }))
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v1beta/models",
    "GET /v1beta/models"
  ])
  expect(server.requests[0]?.headers["x-goog-api-key"]).toBeDefined()
  expect(answer.models.filter(({ offered }) => offered).map(({ id }) => id)).toEqual([
    "gemini-3.5-flash",
    "gemini-2.5-flash"
  ])
  expect(answer.unknown).toEqual([{ id: "gemini-9-ultra", window: 1_048_576, max_output: 65_536 }])
  expect(answer.differs).toEqual([{ id: "gemini-2.5-flash", known: 1_048_576, offered: 2_000_000 }])
  const { stdout } = await place.run(["models", "--online"], { server })
  expect(stdout).toMatch(/^gemini-2\.5-pro .* not offered$/m)
  expect(stdout).toMatch(/^gemini-2\.5-flash .* window there 2,000,000$/m)
  expect(stdout).toContain("+ gemini-9-ultra (1,048,576 tokens)")
})

test("--online of Vertex AI asks for the models of publishers, which belong to no project", async () => {
  await using server = await startModelServer([])
  await using place = await newWorkspace()
  const env = {
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_CLOUD_PROJECT: "p",
    GOOGLE_CLOUD_LOCATION: "us-central1",
    GOOGLE_APPLICATION_CREDENTIALS: await place.write("account.json", serviceAccountFile(`${server.url}/token`)),
    GOOGLE_VERTEX_BASE_URL: server.url
  }
  const answer = listed(await place.run(["models", "--online", "--json"], { env }))
  expect(answer.unknown?.map(({ id }) => id)).toEqual(["gemini-9-ultra"])
  expect(server.requests.map(({ path }) => path)).toContain("/v1beta1/publishers/google/models")
})

test("what cannot be asked is said in a line: no sign-in, an account without a list, a server that is away", async () => {
  await using place = await newWorkspace()
  const unsigned = await place.run(["models", "--online"])
  expect([unsigned.exitCode, unsigned.stdout]).toEqual([41, ""])
  expect(unsigned.stderr).toContain("GEMINI_API_KEY")
  const account = await place.run(["models", "--online"], { env: { GOOGLE_GENAI_USE_GCA: "true" } })
  expect(account.exitCode).toBe(42)
  expect(account.stderr).toContain("no list of models")
  const away = await place.run(["models", "--online"], { server: { url: "http://127.0.0.1:1" } })
  expect(away.exitCode).toBe(1)
  expect(away.stderr.trim().split("\n")).toHaveLength(1)
})
