/** What this build calls itself. Both names are put in by the build; without it the program runs from its sources. */
declare const GEMINI_VERSION: string | undefined
declare const GEMINI_COMMIT: string | undefined

export const version: string = typeof GEMINI_VERSION === "string" ? GEMINI_VERSION : "0.0.0-dev"

/** Short id of the source, `unknown` outside a checkout. */
export const commit: string = typeof GEMINI_COMMIT === "string" ? GEMINI_COMMIT : "unknown"
