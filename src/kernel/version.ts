/** What this build calls itself. The name is put in by the build; without it the program runs from its sources. */
declare const GEMINI_VERSION: string | undefined

export const version: string = typeof GEMINI_VERSION === "string" ? GEMINI_VERSION : "0.0.0-dev"
