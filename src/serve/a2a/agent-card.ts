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
