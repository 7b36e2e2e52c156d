/** Names of models: what an alias means for this user, and what a model can do. Pure; routing decides on top of it. */
import type { AuthType } from "../protocol/modes.ts"
import { type ChainModels, generationOf } from "../retry/availability/policy-chain.ts"

/** `auto` and its older spellings leave the choice to the router; everything else is the user's own choice. */
export const isAutoModel = (name: string): boolean =>
  name === "auto" || name === "auto-gemini-3" || name === "auto-gemini-2.5"

/**
 * The id to send. An alias depends on what the account may use: the newest models are open to API keys and Vertex AI; a
 * gateway has not said what it offers. Any other id is sent as it was typed, also where a newer one exists.
 */
export const resolveModel = (name: string, authType: AuthType): string => {
  const id = name.replace(/^models\//, "")
  switch (id) {
    case "auto":
    case "pro":
    case "auto-gemini-3":
      return hasPreview(authType) ? "gemini-3.1-pro-preview" : "gemini-2.5-pro"
    case "auto-gemini-2.5":
      return "gemini-2.5-pro"
    case "flash":
      return defaultFlash(authType)
    case "flash-lite":
      return FLASH_LITE
    case "gemini-3-pro-preview":
      // Succeeded by 3.1 where that is open; a gateway is asked for what the user named.
      return hasPreview(authType) ? "gemini-3.1-pro-preview" : id
    default:
      return id
  }
}

/** What the router means by its two tiers. Only it asks for the variant that is trained on own tools. */
export const modelOfTier = (tier: "pro" | "flash", configured: string, authType: AuthType): string => {
  if (tier === "flash") return defaultFlash(authType)
  const isOlder = configured.replace(/^models\//, "") === "auto-gemini-2.5"
  return isOlder || !hasPreview(authType) ? "gemini-2.5-pro" : previewPro(authType)
}

/** The members of the fallback chains for this user. */
export const chainModels = (authType: AuthType): ChainModels => ({
  previewPro: previewPro(authType),
  previewFlash: authType === "vertex-ai" || authType === "gateway" ? "gemini-3.5-flash" : "gemini-3-flash-preview",
  defaultPro: "gemini-2.5-pro",
  defaultFlash: defaultFlash(authType),
  flashLite: FLASH_LITE
})

/** What an account may use, told from how it signs in. */
export const sessionAccess = (authType: AuthType) => {
  const isNew = hasPreview(authType) || authType === "gateway"
  return {
    preview: hasPreview(authType),
    gemini31: isNew,
    flash35: isNew,
    customTools: authType === "gemini-api-key"
  }
}

const FLASH_LITE = "gemini-3.1-flash-lite"

const hasPreview = (authType: AuthType): boolean => authType === "gemini-api-key" || authType === "vertex-ai"

const previewPro = (authType: AuthType): string =>
  authType === "gemini-api-key" ? "gemini-3.1-pro-preview-customtools" : "gemini-3.1-pro-preview"

/** A sign-in with a Google account has to be told first that it may use the newest one. */
const defaultFlash = (authType: AuthType): string =>
  hasPreview(authType) || authType === "gateway" ? "gemini-3.5-flash" : "gemini-2.5-flash"

export const isGemini3 = (id: string): boolean => generationOf(id) === 3

const GEMMA_LIMIT = 256_000
const GEMINI_LIMIT = 1_048_576

/** Size of the context window in tokens. */
export const tokenLimit = (id: string): number => (id.startsWith("gemma-4-") ? GEMMA_LIMIT : GEMINI_LIMIT)
