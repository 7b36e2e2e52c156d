/** What this build calls itself. The names are put in by the build; without them the program runs from its sources. */
declare const GEMINI_VERSION: string | undefined
declare const GEMINI_COMMIT: string | undefined
declare const GEMINI_DATE: string | undefined
declare const GEMINI_TARGET: string | undefined

export const version: string = typeof GEMINI_VERSION === "string" ? GEMINI_VERSION : "0.0.0-dev"

/** The machine that a build is for, as artefacts of a release are named: `linux-x64-musl`. */
export const buildTarget: string =
  typeof GEMINI_TARGET === "string" ? GEMINI_TARGET : `${process.platform}-${process.arch}`

/** What `gemini --version --json` tells: enough to find the sources and the artefact of a binary. */
export const buildFacts = () => ({
  version,
  commit: typeof GEMINI_COMMIT === "string" ? GEMINI_COMMIT : "unknown",
  date: typeof GEMINI_DATE === "string" ? GEMINI_DATE : "unknown",
  target: buildTarget,
  bun: Bun.version,
  compatible_with: compatibleWith(version)
})

/** The first two numbers are those of the reference whose behaviour is claimed; the patch number is of this program. */
const compatibleWith = (own: string): string => own.split(".").slice(0, 2).join(".")
