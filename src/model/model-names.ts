/** Names of models: what an alias means for this user, and what a model can do. Pure; routing decides on top of it. */
import type { AuthType } from "../protocol/modes.ts"

/** `auto` and its older spellings leave the choice to the router; everything else is the user's own choice. */
export const isAutoModel = (name: string): boolean =>
  name === "auto" || name === "auto-gemini-3" || name === "auto-gemini-2.5"

/**
 * The id to send. An alias depends on what the account may use: the newest models are open to API keys and Vertex AI; a
 * gateway has not said what it offers. Any other id is sent as it was typed, also where a newer one exists.
 */
export const resolveModel = (name: string, authType: AuthType): string => {
  const id = name.replace(/^models\//, "")
  const hasPreview = authType === "gemini-api-key" || authType === "vertex-ai"
  switch (id) {
    case "auto":
    case "pro":
    case "auto-gemini-3":
      return hasPreview ? "gemini-3.1-pro-preview" : "gemini-2.5-pro"
    case "auto-gemini-2.5":
      return "gemini-2.5-pro"
    case "flash":
      return "gemini-3.5-flash"
    case "flash-lite":
      return "gemini-3.1-flash-lite"
    case "gemini-3-pro-preview":
      // Succeeded by 3.1 where that is open; a gateway is asked for what the user named.
      return hasPreview ? "gemini-3.1-pro-preview" : id
    default:
      return id
  }
}

export const isGemini3 = (id: string): boolean => /^gemini-3(\.|-|$)/.test(id)

const GEMMA_LIMIT = 256_000
const GEMINI_LIMIT = 1_048_576

/** Size of the context window in tokens. */
export const tokenLimit = (id: string): number => (id.startsWith("gemma-4-") ? GEMMA_LIMIT : GEMINI_LIMIT)
