/**
 * No way to reach a model is configured: the three ways are said, and a key can be given here. It is kept where the
 * person wants it, or for this session only.
 */
import { Effect, Option, Redacted } from "effect"
import { type Asked, ask } from "../ask.ts"
import { printWords } from "../printed-text.ts"
import { Screen } from "../terminal/screen.ts"

export interface GivenKey {
  readonly key: Redacted.Redacted
  /** Kept for the next time, too. */
  readonly isKept: boolean
}

/** `None`: no key was given. */
export const askKey = Effect.fnUntraced(function* (why: string | undefined) {
  const screen = yield* Screen
  if (why !== undefined) yield* printWords(screen, why)
  const way = yield* ask(WAYS)
  if (Option.isNone(way) || way.value === "leave") return Option.none<GivenKey>()
  if (way.value !== "key") {
    yield* screen.print(way.value === "vertex" ? VERTEX : GATEWAY)
    return Option.none<GivenKey>()
  }
  return yield* givenKey
})

const WAYS: Asked = {
  text: "gemini can reach a model in three ways (API keys are made at https://aistudio.google.com/apikey):",
  choices: [
    { value: "key", label: "A Gemini API key: paste it now" },
    { value: "vertex", label: "Vertex AI of Google Cloud: show what to set" },
    { value: "gateway", label: "A gateway of your own: show what to set" },
    { value: "leave", label: "Leave" }
  ]
}

const VERTEX = `Set these variables and start gemini again:
  export GOOGLE_GENAI_USE_VERTEXAI=true
  export GOOGLE_CLOUD_PROJECT=your-project
  export GOOGLE_CLOUD_LOCATION=global
  gcloud auth application-default login  (or set GOOGLE_API_KEY for express mode)`

const GATEWAY = `Set this variable and start gemini again:
  export GOOGLE_GEMINI_BASE_URL=https://gateway.example.com
  export GEMINI_API_KEY=...                 (where the gateway wants a key)`

/** A key is one word: anything else was pasted by mistake. */
const givenKey = Effect.gen(function* () {
  const screen = yield* Screen
  while (true) {
    const pasted = yield* ask({ text: "The key (it is not shown):", choices: [], isSecret: true })
    if (Option.isNone(pasted)) return Option.none<GivenKey>()
    const key = pasted.value.trim()
    if (!/^[\x21-\x7e]+$/.test(key)) {
      yield* screen.print("That is no key: a key is one word of letters, digits and signs. Esc leaves.")
      continue
    }
    const kept = yield* ask(KEEPING)
    if (Option.isNone(kept)) return Option.none<GivenKey>()
    return Option.some({ key: Redacted.make(key), isKept: kept.value === "keep" })
  }
})

const KEEPING: Asked = {
  text: "Keep it?",
  choices: [
    { value: "keep", label: "Yes, in the key store of the system, or encrypted in ~/.gemini" },
    { value: "session", label: "No, use it for this session only" }
  ]
}
