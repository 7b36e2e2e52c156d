/** How values of two scopes become one, by the strategy of the row. Pure; the inputs are never changed. */
import { Predicate } from "effect"
import type { Merge } from "./setting.ts"

/** Never taken from a file: they would reach the prototype of what they are merged into. */
export const isForbiddenName = (name: string): boolean =>
  name === "__proto__" || name === "constructor" || name === "prototype"

/** `undefined` below means that no weaker scope (and no default) says anything. */
export const mergeValues = (strategy: Merge, low: unknown, high: unknown): unknown => {
  if (low === undefined || low === null) return high
  switch (strategy) {
    case "replace":
      return high
    case "concat":
      return Array.isArray(low) && Array.isArray(high) ? [...low, ...high] : high
    case "union":
      return Array.isArray(low) && Array.isArray(high) ? [...new Set([...low, ...high])] : high
    case "intersection":
      return Array.isArray(low) && Array.isArray(high) ? intersect(low, high) : high
    case "shallow":
      return Predicate.isRecord(low) && Predicate.isRecord(high) ? joinEntries(low, high, (_, value) => value) : high
    case "deep":
      return mergeDeep(low, high)
  }
}

export const mergeDeep = (low: unknown, high: unknown): unknown =>
  Predicate.isRecord(low) && Predicate.isRecord(high) ? joinEntries(low, high, mergeDeep) : high

const joinEntries = (
  low: Readonly<Record<PropertyKey, unknown>>,
  high: Readonly<Record<PropertyKey, unknown>>,
  join: (below: unknown, above: unknown) => unknown
): Record<string, unknown> => {
  const merged = new Map(Object.entries(low).filter(([name]) => !isForbiddenName(name)))
  for (const [name, value] of Object.entries(high)) {
    if (isForbiddenName(name)) continue
    merged.set(name, merged.has(name) ? join(merged.get(name), value) : value)
  }
  return Object.fromEntries(merged)
}

/** Server names are compared trimmed and without case; the spelling of the weaker scope is kept. */
const intersect = (low: ReadonlyArray<unknown>, high: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const allowed = new Set(high.map(comparable))
  return low.filter((element) => allowed.has(comparable(element)))
}

const comparable = (element: unknown): string => String(element).trim().toLowerCase()
