import { expect } from "bun:test"
import { join } from "node:path"
import { Effect, Either, Option } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { Chat } from "../chat/chat.ts"
import { decodeRunOptions } from "../cli/run-options.ts"
import { loadConfig } from "../config/load.ts"
import { Secrets } from "../config/secrets.ts"
import * as Flow from "../kernel/flow.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { makeStartProfile } from "../kernel/start-profile.ts"
import { ModelAccess } from "../model/model-access.ts"
import * as Stderr from "../output/stderr.ts"
import { SystemPrompt } from "../prompt/system-prompt.ts"
import { SessionId } from "../protocol/ids.ts"
import { makeEarlyRecording } from "../telemetry/early-recording.ts"
import { appLayer, estimateLayer } from "./compose.ts"
import type { AppInput } from "./facts.ts"
import { planRun } from "./plan.ts"

interface Given {
  readonly flags?: Record<string, string | boolean>
  readonly env?: Record<string, string>
  readonly learnt?: Array<Secret>
}

/** What a headless run in a new folder is made from. */
const inputOf = Effect.fnUntraced(function* ({ env = {}, flags = {}, learnt = [] }: Given) {
  const root = yield* tempFolder({ "project/a.txt": "a", "home/.gemini/settings.json": "{}" })
  const options = yield* decodeRunOptions({ options: flags, words: [] })
  const config = yield* loadConfig({
    cwd: join(root, "project"),
    platform: "linux",
    env: { HOME: join(root, "home"), ...env },
    flags: { skipTrust: true, ignoreEnv: true }
  })
  const plan = yield* planRun({ ...config, options, trust: config.trust.trust, isForbiddenFolder: false })
  return {
    facts: {
      sessionId: SessionId.make("a-session"),
      platform: "linux",
      stderrIsTerminal: false,
      learnSecrets: (found) => void learnt.push(...found),
      profile: makeStartProfile(),
      early: makeEarlyRecording()
    },
    options,
    config,
    plan,
    format: "text",
    extensions: []
  } satisfies AppInput as AppInput
})

const KEY = "AIza-a-key-of-a-test"

it.live("a run is whole: it answers with its tools", () =>
  Effect.gen(function* () {
    const input = yield* inputOf({ flags: { demo: true } })
    const events = yield* Effect.flatMap(Chat, (chat) =>
      Flow.runCollect(chat.send({ text: "hello", parts: [{ text: "hello" }] }))
    ).pipe(Effect.provide(appLayer(input)))
    const all = [...events]
    expect(all.some(({ _tag }) => _tag === "ToolFinished")).toBe(true)
    expect(all.flatMap((event) => (event._tag === "Text" ? [event.text] : [])).join("")).toContain(
      "This is a recording"
    )
  }).pipe(Effect.provide(Stderr.layerMemory([])))
)

it.live("the key of the run is a secret to all of it", () =>
  Effect.gen(function* () {
    const learnt: Array<Secret> = []
    const input = yield* inputOf({ env: { GEMINI_API_KEY: KEY }, learnt })
    const secrets = yield* Effect.provide(
      Effect.flatMap(Secrets, ({ all }) => all),
      appLayer(input)
    )
    expect(secrets.map(({ value }) => value)).toContain(KEY)
    expect(learnt).toEqual([{ name: "API_KEY", value: KEY }])
  }).pipe(Effect.provide(Stderr.layerMemory([])))
)

it.live("without a key there is no run, but a request can be estimated", () =>
  Effect.gen(function* () {
    const input = yield* inputOf({})
    const refused = yield* Effect.either(Effect.provide(Effect.asVoid(Chat), appLayer(input)))
    expect(Either.getLeft(refused).pipe(Option.map(({ _tag }) => _tag))).toEqual(Option.some("AuthError"))
    const estimated = Effect.gen(function* () {
      const { authType } = yield* ModelAccess
      const prompt = yield* SystemPrompt
      return { authType, instruction: yield* prompt.instruction({ model: "gemini-2.5-flash", tools: [] }) }
    })
    const { authType, instruction } = yield* Effect.provide(estimated, estimateLayer(input))
    expect(authType).toBe("gemini-api-key")
    expect(instruction.length).toBeGreaterThan(0)
  }).pipe(Effect.provide(Stderr.layerMemory([])))
)
