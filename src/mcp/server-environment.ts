/**
 * What a server gets of our environment. A program gets our variables without secrets, and then exactly what its own
 * `env` says: entries there are wishes of the user and are never filtered. Values are expanded once; what a variable
 * holds is never looked through for further variables.
 */
import { type ChildVariables, childVariables, type Variables } from "../system/child-variables.ts"
import type { RedactionRules } from "../system/environment-redaction.ts"

export interface SurroundingVariables {
  /** All variables of the run. */
  readonly variables: Variables
  readonly redaction: Pick<RedactionRules, "allowed" | "blocked">
  readonly platform: NodeJS.Platform
}

/** `env` as written in the settings; `brought` are the values of its extension's settings, which are never filtered. */
export const serverEnvironment = (
  env: Variables,
  { platform, redaction, variables }: SurroundingVariables,
  brought: Variables = {}
): ChildVariables =>
  childVariables({
    inherits: variables,
    redaction: { ...redaction, enabled: true },
    given: { GEMINI_CLI: "1", ...brought, ...expandedValues(env, { ...variables, ...brought }, platform) }
  })

export const expandedValues = (written: Variables, variables: Variables, platform: NodeJS.Platform): Variables =>
  Object.fromEntries(Object.entries(written).map(([name, text]) => [name, expandVariables(text, variables, platform)]))

const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\})/g
const WINDOWS_REFERENCE = /%([A-Za-z_]\w*)%/g

/** `$NAME`, `${NAME}`, `${NAME:-default}`, on Windows also `%NAME%`. A variable that is not set becomes nothing. */
export const expandVariables = (text: string, variables: Variables, platform: NodeJS.Platform): string => {
  const lookUp = (name: string): string | undefined => (Object.hasOwn(variables, name) ? variables[name] : undefined)
  const expand = (part: string): string =>
    part.replace(REFERENCE, (_, bare?: string, braced?: string, fallback?: string) => {
      const value = lookUp(bare ?? braced ?? "")
      // As in a shell, `:-` also stands in for an empty value.
      return fallback === undefined ? (value ?? "") : value === undefined || value === "" ? fallback : value
    })
  if (platform !== "win32") return expand(text)
  // Split, so that the value of one form is not read as the other.
  let result = ""
  let end = 0
  for (const found of text.matchAll(WINDOWS_REFERENCE)) {
    result += expand(text.slice(end, found.index)) + (lookUp(found[1] ?? "") ?? "")
    end = found.index + found[0].length
  }
  return result + expand(text.slice(end))
}
