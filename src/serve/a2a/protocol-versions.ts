/**
 * Two versions of the protocol: how the agent introduces itself in each, and what the SDK answers as their clients
 * expect it. For 0.3 it leaves out that a turn is over when the caller has the next word, and tells of a task anew
 * with every message to it. Pure but for the stream.
 */
import { Option, Schema } from "effect"

interface WireOptions {
  readonly version: "1.0" | "0.3"
  /** The message names a task that the caller knows. */
  readonly isFollowUp: boolean
}

const Event = Schema.Struct({
  result: Schema.Struct(
    {
      kind: Schema.optional(Schema.String),
      status: Schema.optional(Schema.Struct({ state: Schema.String }, { key: Schema.String, value: Schema.Unknown }))
    },
    { key: Schema.String, value: Schema.Unknown }
  )
})

/** `undefined`: not for this client. */
export const versioned = (answer: unknown, { isFollowUp, version }: WireOptions): unknown => {
  if (version === "1.0") return answer
  const event = Option.getOrUndefined(Schema.decodeUnknownOption(Event)(answer))
  if (event === undefined) return answer
  const { kind, status } = event.result
  if (kind === "task" && isFollowUp) return undefined
  if (kind !== "status-update" || status?.state !== "input-required") return answer
  return { ...Object(answer), result: { ...event.result, final: true } }
}

interface EventOptions {
  readonly form: WireOptions
  /** As an answer of the protocol. */
  readonly errorOf: (cause: unknown) => unknown
  /** The client stopped listening. */
  readonly onGone: () => void
}

/** Server-sent events; an answer alone where there is none. */
export const versionedEvents = async (
  answers: AsyncGenerator<unknown, void, undefined>,
  { errorOf, form, onGone }: EventOptions
): Promise<ReadableStream<Uint8Array> | { readonly answer: unknown }> => {
  const encoder = new TextEncoder()
  const event = (answer: unknown, kind = "") => encoder.encode(`${kind}data: ${JSON.stringify(answer)}\n\n`)
  const next = async (): Promise<unknown> => {
    while (true) {
      const { done, value } = await answers.next()
      const shown = done === true ? undefined : versioned(value, form)
      if (done === true || shown !== undefined) return shown
    }
  }
  // What is wrong with the request comes before the first event.
  const begun = await answers.next().catch((cause: unknown) => ({ refused: errorOf(cause) }))
  if ("refused" in begun) return { answer: begun.refused }
  let first = begun.done === true ? undefined : versioned(begun.value, form)
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const shown = first ?? (await next())
        first = undefined
        if (shown === undefined) controller.close()
        else controller.enqueue(event(shown))
      } catch (cause) {
        controller.enqueue(event(errorOf(cause), "event: error\n"))
        controller.close()
      }
    },
    cancel: async () => {
      onGone()
      await answers.return(undefined)
    }
  })
}

/** How the agent introduces itself, in the forms of both versions of the protocol. */
const SKILL = {
  id: "code_generation",
  name: "Code Generation",
  description: "Reads, writes and runs code in a folder, and answers questions about it.",
  tags: ["code", "development", "programming"],
  examples: ["Explain what this project does.", "Write a test for the parser, and make it pass."]
}

const MODES = ["text"]

interface CardFacts {
  readonly url: string
  readonly version: string
  readonly needsToken: boolean
}

const common = ({ version }: CardFacts) => ({
  name: "Gemini SDLC Agent",
  description: "An agent that works on software in a folder of its machine, under the policy of that machine.",
  provider: { organization: "gemini-fx", url: "https://github.com/google-gemini/gemini-cli" },
  version,
  defaultInputModes: MODES,
  defaultOutputModes: MODES
})

const SCHEME = "bearer"

/** As 1.0 writes it. */
export const modernCard = (facts: CardFacts) => ({
  ...common(facts),
  supportedInterfaces: ["1.0", "0.3"].map((protocolVersion) => ({
    url: facts.url,
    protocolBinding: "JSONRPC",
    protocolVersion
  })),
  capabilities: { streaming: true, pushNotifications: false },
  ...(facts.needsToken
    ? {
        securitySchemes: { [SCHEME]: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
        securityRequirements: [{ schemes: { [SCHEME]: { list: [] } } }]
      }
    : {}),
  skills: [SKILL]
})

/** As 0.3 writes it. */
export const olderCard = (facts: CardFacts) => ({
  ...common(facts),
  url: facts.url,
  protocolVersion: "0.3.0",
  preferredTransport: "JSONRPC",
  capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: true },
  ...(facts.needsToken
    ? { securitySchemes: { [SCHEME]: { type: "http", scheme: "bearer" } }, security: [{ [SCHEME]: [] }] }
    : {}),
  supportsAuthenticatedExtendedCard: false,
  skills: [SKILL]
})
