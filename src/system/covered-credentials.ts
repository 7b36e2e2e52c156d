/**
 * Values of settings, addresses and command lines as lists show them: whoever looks at a list, over a shoulder or in a log,
 * sees that there is a credential and not which. What a person decides about (a question for consent) is shown as it is.
 */
import { Predicate } from "effect"
import { looksSecret, withoutSecretShapes } from "./environment-redaction.ts"

export const COVERED = "(hidden)"

/** `name`: of the field that holds it. */
export const coverCredentials = (value: unknown, name = ""): unknown => {
  if (typeof value === "string") return isSecretName(name) && !isReference(value) ? COVERED : coverText(value)
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
const SECRET_NAME = new RegExp(`(?:^|[-_.])(?:${WORDS}|authorization)(?:$|[-_.]\\d*$)`, "i")
const SECRET_VARIABLE = new RegExp(`(?:^|_)(?:${WORDS})(?:_|$)`, "i")
const isSecretName = (name: string): boolean =>
  SECRET_NAME.test(name.replace(/([a-z])([A-Z])/g, "$1_$2")) || (/^[A-Z0-9_]+$/.test(name) && SECRET_VARIABLE.test(name))

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
