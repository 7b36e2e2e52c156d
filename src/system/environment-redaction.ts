/**
 * Which variables of our environment a child process may see. Pure: the same rules serve shell commands, MCP servers
 * and the shadow git. Names and values are compared without regard to case. And how settings, addresses and command lines
 * stand in lists, which are looked at over shoulders and pasted into reports: that there is a credential, and not which.
 * What a person decides about (a question for consent) is shown as it is.
 */
import { Predicate } from "effect"

export interface RedactionRules {
  /** Off: nothing is hidden unless `strict`. */
  readonly enabled: boolean
  readonly allowed: ReadonlyArray<string>
  readonly blocked: ReadonlyArray<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const ALWAYS_ALLOWED = words(
  "PATH SYSTEMROOT COMSPEC PATHEXT WINDIR TEMP TMP USERPROFILE SYSTEMDRIVE HOME LANG SHELL TMPDIR USER LOGNAME TERM COLORTERM " +
    "ADDITIONAL_CONTEXT AVAILABLE_LABELS BRANCH_NAME DESCRIPTION EVENT_NAME GITHUB_ENV IS_PULL_REQUEST ISSUES_TO_TRIAGE " +
    "ISSUE_BODY ISSUE_NUMBER ISSUE_TITLE PULL_REQUEST_NUMBER REPOSITORY TITLE TRIGGERING_ACTOR"
)

const NEVER_ALLOWED = words(
  "CLIENT_ID DB_URI CONNECTION_STRING AWS_DEFAULT_REGION AZURE_CLIENT_ID AZURE_TENANT_ID SLACK_WEBHOOK_URL " +
    "TWILIO_ACCOUNT_SID DATABASE_URL GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_ACCOUNT FIREBASE_PROJECT_ID"
)

const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT/

/** Each with a piece that is in every value of its shape, in lower case: most values are told from all of them by that. */
const SECRET_VALUES: ReadonlyArray<readonly [piece: string, shape: RegExp]> = [
  ["-----begin", /-----BEGIN [A-Z0-9 ]*(PRIVATE KEY|CERTIFICATE)/i],
  ["://", /[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i],
  ["gh", /(?:ghp|gho|ghu|ghs|ghr)_[a-z0-9_]{36,}/i],
  ["github_pat_", /github_pat_[a-z0-9_]{36,}/i],
  ["aizasy", /AIzaSy[a-z0-9_-]{33}/i],
  ["akia", /AKIA[a-z0-9]{16}/i],
  ["eyj", /eyJ[a-z0-9_-]+\.[a-z0-9_-]+\.[a-z0-9_-]+/i],
  ["k_live_", /[sr]k_live_[a-z0-9]+/i],
  ["k_test_", /[sr]k_test_[a-z0-9]+/i],
  ["xox", /xox[abpr]-[a-z0-9-]+/i]
]

export const looksSecret = (value: string): boolean => {
  if (value.length < SHORTEST_SECRET) return false
  const lower = value.toLowerCase()
  for (const [piece, shape] of SECRET_VALUES) if (lower.includes(piece) && shape.test(value)) return true
  return false
}

/** Everything of those shapes, wherever it stands in a text, gives way to the mark. */
export const withoutSecretShapes = (text: string, mark: string): string => {
  const lower = text.toLowerCase()
  let clean = text
  for (const [piece, shape] of SECRET_VALUES) {
    if (lower.includes(piece)) clean = clean.replace(new RegExp(shape, `${shape.flags}g`), () => mark)
  }
  return clean
}

/** `xoxb-1`, `a://:b@`. */
const SHORTEST_SECRET = 6

/** The continuous-integration form: only the always-allowed names pass. */
export const isStrict = (variables: Readonly<Record<string, string>>): boolean =>
  (variables.GITHUB_SHA ?? "") !== "" || variables.SURFACE?.toUpperCase() === "GITHUB"

export const redact = (
  variables: Readonly<Record<string, string>>,
  rules: RedactionRules
): Readonly<Record<string, string>> => {
  const strict = isStrict(variables)
  if (!rules.enabled && !strict) return variables
  const allowed = upperCased(rules.allowed)
  const blocked = upperCased(rules.blocked)
  const passes = (given: string, value: string): boolean => {
    const name = given.toUpperCase()
    if (name.startsWith("GEMINI_CLI_")) return true
    if (looksSecret(value)) return false
    if (name.startsWith("GIT_CONFIG_")) return true
    if (allowed.has(name)) return true
    if (blocked.has(name)) return false
    if (ALWAYS_ALLOWED.has(name)) return true
    if (NEVER_ALLOWED.has(name) || strict) return false
    return !SECRET_NAME.test(name)
  }
  return Object.fromEntries(Object.entries(variables).filter(([name, value]) => passes(name, value)))
}

export const upperCased = (names: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(names.map((name) => name.toUpperCase()))

export const COVERED = "(hidden)"

/** `name`: of the field that holds it. */
export const coverCredentials = (value: unknown, name = ""): unknown => {
  if (typeof value === "string") return namesSecret(name) && !isReference(value) ? COVERED : coverText(value)
  if (Array.isArray(value)) {
    // The words of a command, of which one may be the value of the one before.
    return value.map((item: unknown, index) => {
      const before: unknown = value[index - 1]
      const isValue = typeof before === "string" && typeof item === "string" && SECRET_OPTION.test(before)
      return isValue && !item.startsWith("-") ? COVERED : coverCredentials(item)
    })
  }
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      name === "headers" && typeof inner === "string" && !isReference(inner) ? COVERED : coverCredentials(inner, key)
    ])
  )
}

/** A command line, or an address. */
export const coverText = (text: string): string => {
  const covered = PLACES.reduce((clean, place) => clean.replace(place, `$1${COVERED}`), text)
  return looksSecret(covered) ? withoutSecretShapes(covered, COVERED) : covered
}

const WORDS = "keys?|api_?keys?|tokens?|secrets?|passwords?|passwd|passphrase|pwd|pat|auth|credentials?|creds|cookie"
/** The last part says what it is: `tokenParamName` is none. Of variables any part does. */
const FIELD = new RegExp(`(?:^|[-_.])(?:${WORDS}|authorization)(?:$|[-_.]\\d*$)`, "i")
const VARIABLE = new RegExp(`(?:^|_)(?:${WORDS})(?:_|$)`, "i")
const namesSecret = (name: string): boolean =>
  FIELD.test(name.replace(/([a-z])([A-Z])/g, "$1_$2")) || (/^[A-Z0-9_]+$/.test(name) && VARIABLE.test(name))

/** The name of a variable in place of its value. */
const isReference = (value: string): boolean => /^\$(?:\w+|\{\w+\})$/.test(value)

const OPTION = `--?(?:\\w+[-_])*(?:${WORDS})`
const SECRET_OPTION = new RegExp(`^${OPTION}$`, "i")
const VALUE = `(?:"(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^\\s'"]+)`
const DONE = "\\(hidden\\)"

/** What stands before a value stays. A variable in its place says nothing. */
const PLACES = [
  // The part of an address before its host, and all of its query.
  /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@'"?#]+(?=@)/gi,
  /([?&][\w.[\]-]+=)(?!\$)[^\s&#'"]+/g,
  new RegExp(`((?:^|[\\s'"])${OPTION}(?:=|\\s+))(?![-$]|["']\\$|${DONE})${VALUE}`, "gi"),
  new RegExp(`(\\b(?:[A-Z0-9]+_)*(?:${WORDS})(?:_\\w+)?=)(?!["']?\\$|${DONE})${VALUE}`, "gi"),
  /((?:authorization|cookie|[\w-]*(?:token|api-?key|secret|auth|password))\s*:\s*(?:(?:bearer|basic|token)\s+)?)(?![\s$/(]|(?:bearer|basic|token)\s)[^\s'"]+/gi
]
