/**
 * `$NAME`, `${NAME}` and `${NAME:-default}` in the strings of a settings value, at any depth. A variable that is not
 * set and has no default stays as written, so that a literal `$` in a command survives. Names of keys are never touched.
 */
import { Predicate } from "effect"

export type Lookup = (name: string) => string | undefined

const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\})/g

export const interpolate = (value: unknown, lookup: Lookup): unknown => {
  if (typeof value === "string") return value.includes("$") ? interpolateText(value, lookup) : value
  if (Array.isArray(value)) return value.map((element) => interpolate(element, lookup))
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, interpolate(element, lookup)]))
}

export const interpolateText = (text: string, lookup: Lookup): string =>
  text.replace(REFERENCE, (whole: string, bare?: string, braced?: string, fallback?: string) => {
    const name = bare ?? braced
    return (name === undefined ? undefined : lookup(name)) ?? fallback ?? whole
  })
