/**
 * The variables of child processes. This is the only place that makes them, and a program cannot be started with others
 * (`programs.ts` takes no other type): so none can inherit the credentials of this program, or the switches of the runtime
 * that is built into it. What a person writes down for a program (the `env` of a server or a hook) is a wish and stays.
 */
import type { Brand } from "effect"
import { type RedactionRules, redact, upperCased } from "./environment-redaction.ts"

export type Variables = Readonly<Record<string, string>>

export type ChildVariables = Variables & Brand.Brand<"ChildVariables">

export interface ChildVariablesInput {
  /** Ours, of which it gets what is not hidden. */
  readonly inherits: Variables
  /** Absent: nothing is hidden but what belongs to this program. */
  readonly redaction?: RedactionRules
  /** Comes on top and is not filtered. */
  readonly given?: Variables
}

const HIDES_OURS: RedactionRules = { enabled: false, allowed: [], blocked: [] }

export const childVariables = ({ given = {}, inherits, redaction = HIDES_OURS }: ChildVariablesInput): ChildVariables =>
  // The brand stands for exactly this treatment.
  ({ ...redact(withoutOwn(inherits, redaction.allowed), redaction), ...given }) as ChildVariables

/** The same and more. */
export const withVariables = (variables: ChildVariables, given: Variables): ChildVariables =>
  ({ ...variables, ...given }) as ChildVariables

/** Fewer of them. */
export const withoutVariables = (variables: ChildVariables, names: RegExp): ChildVariables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !names.test(name))) as ChildVariables

/** For programs of the system that need nothing of ours but their place. */
export const plainVariables = (): ChildVariables =>
  childVariables({
    inherits: Object.fromEntries(
      ["PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT"].flatMap((name) => {
        const value = process.env[name]
        return value === undefined ? [] : [[name, value]]
      })
    )
  })

/** Credentials of this program. Those that hold a secret themselves; the others name a file. */
export const CREDENTIAL_VARIABLES: ReadonlySet<string> = new Set([
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_CLOUD_ACCESS_TOKEN",
  "GEMINI_OAUTH_CLIENT_SECRET",
  "GEMINI_CLI_CUSTOM_HEADERS",
  "GEMINI_CLI_IDE_AUTH_TOKEN",
  "GEMINI_CACHE_KEY"
])

const CREDENTIAL_FILES = ["GOOGLE_APPLICATION_CREDENTIALS"]

/** Reach into our own executable when a child happens to be it. */
const RUNTIME_SWITCH = /^BUN_(?:OPTIONS|BE_BUN|INSPECT\w*)$/

/** `allowed` names credentials that stay all the same. */
const withoutOwn = (variables: Variables, allowed: ReadonlyArray<string>): Variables => {
  const back = upperCased(allowed)
  const own = new Set([...CREDENTIAL_VARIABLES, ...CREDENTIAL_FILES].filter((name) => !back.has(name)))
  return Object.fromEntries(
    Object.entries(variables).filter(([given]) => {
      const name = given.toUpperCase()
      return !own.has(name) && !RUNTIME_SWITCH.test(name)
    })
  )
}
