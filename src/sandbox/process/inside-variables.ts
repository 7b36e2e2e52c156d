/**
 * Which variables the program gets inside: those of its own, what a `.env` file added, and what was asked for. Everything
 * else of the person's shell stays outside. Pure.
 */
import type { EnvironmentView } from "../../config/environment.ts"

const PASSED = [
  "GOOGLE_API_KEY",
  "GOOGLE_VERTEX_BASE_URL",
  "GOOGLE_GENAI_USE_VERTEXAI",
  "GOOGLE_GENAI_USE_GCA",
  "GOOGLE_GEMINI_BASE_URL",
  "GOOGLE_CLOUD_PROJECT",
  "GOOGLE_CLOUD_PROJECT_ID",
  "GOOGLE_CLOUD_QUOTA_PROJECT",
  "GOOGLE_CLOUD_LOCATION",
  "GOOGLE_CLOUD_ACCESS_TOKEN",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CODE_ASSIST_ENDPOINT",
  "TERM",
  "COLORTERM",
  "TERM_PROGRAM",
  "NO_COLOR",
  "FORCE_COLOR",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "CI",
  "DEBUG",
  "DEBUG_MODE",
  "NODE_OPTIONS"
]

/** Say how this run gets into the sandbox. */
const OUTSIDE = /^(?:GEMINI_SANDBOX|GEMINI_DEBUG_LOG_FILE)/

export interface InsideVariablesInput {
  readonly environment: Pick<EnvironmentView, "variables" | "dotenv">
  /** On top of the others. */
  readonly given: Readonly<Record<string, string>>
}

export const insideVariables = ({ environment, given }: InsideVariablesInput): Readonly<Record<string, string>> => {
  const added = new Set(environment.dotenv?.names)
  const passes = (name: string) =>
    !OUTSIDE.test(name) && (PASSED.includes(name) || name.startsWith("GEMINI_") || added.has(name))
  return { ...Object.fromEntries(Object.entries(environment.variables).filter(([name]) => passes(name))), ...given }
}
