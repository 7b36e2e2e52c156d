/**
 * How a model is reached: the ways are said, and a key can be given here. It is kept where the person wants it, or for this
 * session only. Other ways that can be gone from here are chosen here, and gone by whoever asks.
 */
import { Effect, Option, Redacted } from "effect"
import { type Asked, ask, type Choice } from "../ask.ts"
import { printWords } from "../printed-text.ts"
import { Screen } from "../terminal/screen.ts"

export interface GivenKey {
  readonly key: Redacted.Redacted
  /** Kept for the next time, too. */
  readonly isKept: boolean
}

/** A key, or another way that can be gone from here. */
export type GivenWay = GivenKey | { readonly chosen: string }

export interface WaysToOffer {
  /** Another account; stand before those that are always there. */
  readonly accounts: ReadonlyArray<Choice>
  /** What else can be done now; they stand before the last one, which leaves. */
  readonly more: ReadonlyArray<Choice>
  /** The way of this session, by its type. */
  readonly present: string | undefined
  /** What Enter means, by its type. */
  readonly initial: string | undefined
  /** The only one that an administrator leaves, by its type. */
  readonly enforced: string | undefined
}

/** `None`: no way was chosen that can be gone from here. */
export const askWay = Effect.fnUntraced(function* (why: string | undefined, ways: WaysToOffer) {
  const { accounts, enforced, initial, more, present } = ways
  const screen = yield* Screen
  if (why !== undefined) yield* printWords(screen, why)
  // What is no way of its own (try again) is always there.
  const offered = [...accounts, ...WAYS, ...more]
    .filter(({ value }) => (TYPES[value] ?? enforced) === (enforced ?? TYPES[value]))
    .map((way) => (present !== undefined && TYPES[way.value] === present ? { ...way, hint: "in use" } : way))
  const way = yield* ask({
    text: enforced === undefined ? QUESTION : `${QUESTION} (the type ${enforced} is enforced by your administrator)`,
    choices: [...offered, LEAVE],
    initial: offered.find(({ value }) => initial !== undefined && TYPES[value] === initial)?.value
  })
  if (Option.isNone(way) || way.value === "leave") return Option.none<GivenWay>()
  if (way.value === "key") return yield* givenKey
  if (way.value !== "vertex" && way.value !== "gateway") return Option.some<GivenWay>({ chosen: way.value })
  yield* screen.print(way.value === "vertex" ? VERTEX : GATEWAY)
  return Option.none<GivenWay>()
})

const QUESTION = "How would you like to authenticate? API keys are made at https://aistudio.google.com/apikey"

const WAYS: ReadonlyArray<Choice> = [
  { value: "key", label: "Use Gemini API Key", hint: "paste it now" },
  { value: "vertex", label: "Vertex AI", hint: "shows what to set" },
  { value: "gateway", label: "A gateway of your own", hint: "shows what to set" }
]
const LEAVE: Choice = { value: "leave", label: "Leave" }

/** What an administrator calls them. */
const TYPES: Readonly<Record<string, string>> = {
  key: "gemini-api-key",
  vertex: "vertex-ai",
  gateway: "gateway",
  google: "oauth-personal",
  machine: "compute-default-credentials"
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
    if (Option.isNone(pasted)) return Option.none<GivenWay>()
    const key = pasted.value.trim()
    if (!/^[\x21-\x7e]+$/.test(key)) {
      yield* screen.print("That is no key: a key is one word of letters, digits and signs. Esc leaves.")
      continue
    }
    const kept = yield* ask(KEEPING)
    if (Option.isNone(kept)) return Option.none<GivenWay>()
    return Option.some<GivenWay>({ key: Redacted.make(key), isKept: kept.value === "keep" })
  }
})

const KEEPING: Asked = {
  text: "Keep it?",
  choices: [
    { value: "keep", label: "Yes, in the key store of the system, or encrypted in ~/.gemini" },
    { value: "session", label: "No, use it for this session only" }
  ]
}
