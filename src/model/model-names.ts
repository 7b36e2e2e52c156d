/** Names of models: what an alias means for this user, and what a model can do. Pure; routing decides on top of it. */
import type { AuthType } from "../protocol/modes.ts"
import { type ChainModels, generationOf } from "../retry/availability/policy-chain.ts"

/** `auto` and its older spellings leave the choice to the router; everything else is the user's own choice. */
export const isAutoModel = (name: string): boolean =>
  name === "auto" || name === "auto-gemini-3" || name === "auto-gemini-2.5"

/** What an account may use. */
export interface SessionAccess {
  /** The newest models; `undefined`: nobody said. */
  readonly preview: boolean | undefined
  readonly gemini31: boolean
  readonly flash35: boolean
  /** Of an API key alone: the variant that is trained on own tools, and the preview of the flash model by its name. */
  readonly customTools: boolean
  /** The strong models are closed: the quick one takes their place where the choice is the program's. */
  readonly noPro: boolean
}

/** What the server of a sign-in says about it. */
export interface RemoteAccess {
  readonly hasPreview: boolean | undefined
  readonly flags: {
    readonly preview?: boolean
    readonly hasGemini31?: boolean
    readonly hasFlash35?: boolean
    readonly hasNoPro?: boolean
  }
}

/** Told from how the session signs in, or by the server of an account. */
export const sessionAccess = (authType: AuthType, account?: RemoteAccess): SessionAccess => {
  if (account !== undefined) {
    const { flags, hasPreview } = account
    return {
      preview: flags.preview === false ? false : hasPreview,
      gemini31: flags.hasGemini31 === true,
      flash35: flags.hasFlash35 === true,
      customTools: false,
      noPro: flags.hasNoPro === true
    }
  }
  const isOpen = authType === "gemini-api-key" || authType === "vertex-ai"
  const isNew = isOpen || authType === "gateway"
  return {
    // A gateway has not said what it offers.
    preview: isOpen ? true : undefined,
    gemini31: isNew,
    flash35: isNew,
    customTools: authType === "gemini-api-key",
    noPro: false
  }
}

/** The id to send. An alias depends on what the account may use; any other id is sent as it was typed, unless closed. */
export const resolveModel = (name: string, access: SessionAccess): string => {
  const id = name.replace(/^models\//, "")
  switch (id) {
    case "auto":
    case "auto-gemini-3":
      return access.noPro ? flashOf(access) : strongest(access)
    case "pro":
      return strongest(access)
    case "auto-gemini-2.5":
      return access.noPro ? flashOf(access) : OLDER_PRO
    case "flash":
      return flashOf(access)
    case "flash-lite":
      return FLASH_LITE
    case "gemini-3-pro-preview":
      // Succeeded by 3.1 where that is open; a gateway is asked for what the user named.
      return access.preview === true && access.gemini31 ? PRO_31 : ifOpen(id, access)
    default:
      return ifOpen(id, access)
  }
}

/** What the router means by its two tiers. Only it asks for the variant that is trained on own tools. */
export const modelOfTier = (tier: "pro" | "flash", configured: string, access: SessionAccess): string => {
  const isOlder = configured.replace(/^models\//, "") === "auto-gemini-2.5"
  if (tier === "flash" || access.noPro) return isOlder ? defaultFlash(access) : flashOf(access)
  return isOlder || access.preview !== true ? OLDER_PRO : previewPro(access)
}

/** The members of the fallback chains for this user. */
export const chainModels = (access: SessionAccess): ChainModels => ({
  previewPro: previewPro(access),
  previewFlash: access.flash35 && !access.customTools ? FLASH_35 : PREVIEW_FLASH,
  defaultPro: OLDER_PRO,
  defaultFlash: defaultFlash(access),
  flashLite: FLASH_LITE
})

const FLASH_LITE = "gemini-3.1-flash-lite"
const PREVIEW_FLASH = "gemini-3-flash-preview"
const FLASH_35 = "gemini-3.5-flash"
const OLDER_PRO = "gemini-2.5-pro"
const PRO_31 = "gemini-3.1-pro-preview"

const strongest = (access: SessionAccess): string => {
  if (access.preview !== true) return OLDER_PRO
  return access.gemini31 ? PRO_31 : "gemini-3-pro-preview"
}

const previewPro = ({ customTools, gemini31 }: SessionAccess): string => {
  if (!gemini31) return "gemini-3-pro-preview"
  return customTools ? `${PRO_31}-customtools` : PRO_31
}

const defaultFlash = ({ flash35 }: SessionAccess): string => (flash35 ? FLASH_35 : "gemini-2.5-flash")

const flashOf = (access: SessionAccess): string =>
  access.flash35 || access.preview !== true ? defaultFlash(access) : PREVIEW_FLASH

/** A server that lists what the account has would refuse the others. */
const ifOpen = (id: string, access: SessionAccess): string => {
  if (access.preview !== false || !/^gemini-3.*preview/.test(id)) return id
  if (/flash-lite/.test(id)) return FLASH_LITE
  return id.includes("flash") ? defaultFlash(access) : OLDER_PRO
}

export const isGemini3 = (id: string): boolean => generationOf(id) === 3

const GEMMA_LIMIT = 256_000
const GEMINI_LIMIT = 1_048_576

/** Size of the context window in tokens. */
export const tokenLimit = (id: string): number => (id.startsWith("gemma-4-") ? GEMMA_LIMIT : GEMINI_LIMIT)
