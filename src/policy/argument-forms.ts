/**
 * The arguments of a call in the forms that `argsPattern` is tested on.
 *
 * The same pattern means different things in a rule that permits and in one that forbids. A permission covers what the
 * tool will really use: arguments that it declares, decoded, none hidden in another one, and paths as it will follow them,
 * under the names that the file has. A prohibition or a question covers all of that and whatever else the call says.
 */
import { posix, relative, resolve } from "node:path"
import { Predicate } from "effect"
import { plainPath } from "../files/path-format.ts"
import type { DecisionContext, PolicyCall } from "./decision.ts"
import { isPathKey } from "./paths.ts"

export type CallArguments = Readonly<Record<string, unknown>>

export interface ArgumentForms {
  /** Empty where a path cannot be followed: then nothing is permitted by it. */
  readonly used: ReadonlyArray<CallArguments>
  readonly wide: ReadonlyArray<CallArguments>
}

export const argumentForms = (call: PolicyCall, context: DecisionContext): ArgumentForms => {
  const declared = declaredArguments(call)
  if (isForeign(call)) {
    const used = withoutDots(declared)
    return { used: [used], wide: [call.given ?? call.args, call.args, withoutDots(call.args), used] }
  }
  const follow = (args: CallArguments, spell: Spelling) => spelled(args, spell, { tool: call.name, context })
  const used = SPELLINGS.map((spell) => follow(declared, spell)).filter((form) => form !== undefined)
  const others = SPELLINGS.map((spell) => follow(call.args, spell)).filter((form) => form !== undefined)
  return { used, wide: [call.given ?? call.args, call.args, withoutDots(call.args), ...others, ...used] }
}

/** Their servers and programs read the arguments themselves, by rules that are not known here. */
export const isForeign = ({ name, server }: PolicyCall): boolean =>
  server !== undefined || name.startsWith("discovered_tool_")

/** What the tool declares to take of what it was given, or of what it made of it. */
const declaredArguments = ({ args, schema, used = args }: PolicyCall): CallArguments => {
  const kept = declaredIn(used, schema)
  const own = new Set([...Object.keys(kept), ...Object.keys(propertiesOf(schema) ?? {})])
  return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, withoutTwins(value, own)]))
}

type JsonSchema = Readonly<Record<string, unknown>>

const propertiesOf = (schema: unknown): JsonSchema | undefined =>
  Predicate.isReadonlyRecord(schema) && Predicate.isReadonlyRecord(schema.properties) ? schema.properties : undefined

const MAX_DEPTH = 20

/** A schema that names no properties declares whatever comes. */
const declaredIn = (args: CallArguments, schema: unknown, depth = 0): CallArguments => {
  const properties = propertiesOf(schema)
  if (properties === undefined || depth > MAX_DEPTH) return args
  return Object.fromEntries(
    Object.entries(args)
      .filter(([key]) => Object.hasOwn(properties, key))
      .map(([key, value]) => [key, declaredValue(value, properties[key], depth + 1)])
  )
}

const declaredValue = (value: unknown, schema: unknown, depth: number): unknown => {
  if (Array.isArray(value)) {
    const items = Predicate.isReadonlyRecord(schema) ? schema.items : undefined
    return depth > MAX_DEPTH ? value : value.map((item) => declaredValue(item, items, depth + 1))
  }
  return Predicate.isReadonlyRecord(value) ? declaredIn(value, schema, depth) : value
}

/** A key inside of an argument is not the argument of that name. */
const withoutTwins = (value: unknown, own: ReadonlySet<string>, depth = 0): unknown => {
  if (depth > MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => withoutTwins(item, own, depth + 1))
  if (!Predicate.isReadonlyRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !own.has(key))
      .map(([key, inner]) => [key, withoutTwins(inner, own, depth + 1)])
  )
}

/** Names of one file, all of them true: from the working folder, the same with `./`, and from the root. */
type Spelling = (real: string, cwd: string) => string

const fromFolder: Spelling = (real, cwd) => relative(cwd, real) || "."
const withDot: Spelling = (real, cwd) => {
  const name = fromFolder(real, cwd)
  return name.startsWith(".") ? name : `./${name}`
}
const SPELLINGS: ReadonlyArray<Spelling> = [fromFolder, withDot, (real) => real]

/** For a tool of ours: every path argument by its real path. `undefined` when one of them cannot be followed. */
const spelled = (
  args: CallArguments,
  spell: Spelling,
  place: { readonly tool: string; readonly context: DecisionContext }
): CallArguments | undefined => {
  let isLost = false
  const name = (path: string): string => {
    const named = spelledPath(path, spell, place.context)
    if (named === undefined) isLost = true
    return named ?? path
  }
  const visit = (key: string, value: unknown, depth: number): unknown => {
    if (typeof value === "string") {
      if (isGlobKey(key, place.tool)) return withoutDotsIn(value)
      return isPathKey(key) ? name(value) : value
    }
    if (depth > MAX_DEPTH) return value
    if (Array.isArray(value)) return value.map((item) => visit(key, item, depth + 1))
    return Predicate.isReadonlyRecord(value) ? entries(value, depth + 1) : value
  }
  const entries = (object: CallArguments, depth: number): CallArguments =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, visit(key, value, depth)]))
  const form = entries(args, 0)
  return isLost ? undefined : form
}

const GLOB_KEYS = new Set(["include", "exclude", "include_pattern"])

/** Patterns of many paths: there is no file to follow. */
const isGlobKey = (key: string, tool: string): boolean => GLOB_KEYS.has(key) || (tool === "glob" && key === "pattern")

export type NamingPlace = Pick<DecisionContext, "cwd" | "realPath">

const spelledPath = (path: string, spell: Spelling, { cwd, realPath }: NamingPlace): string | undefined => {
  try {
    const real = realPath(resolve(cwd, plainPath(path, cwd)))
    return real === undefined ? undefined : spell(real, cwd)
  } catch {
    // An address that is no path: the tool will refuse it.
    return undefined
  }
}

/** How the value of one argument is named in a rule that a person's "always" makes; the shortest true name. */
export const narrowingValue = (tool: string, key: string, value: string, place: NamingPlace): string => {
  if (isGlobKey(key, tool)) return withoutDotsIn(value)
  return isPathKey(key) ? (spelledPath(value, fromFolder, place) ?? value) : value
}

const withoutDots = (value: CallArguments): CallArguments => {
  const visit = (inner: unknown, depth: number): unknown => {
    if (typeof inner === "string") return withoutDotsIn(inner)
    if (depth > MAX_DEPTH) return inner
    if (Array.isArray(inner)) return inner.map((item) => visit(item, depth + 1))
    return Predicate.isReadonlyRecord(inner)
      ? Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, visit(item, depth + 1)]))
      : inner
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, 0)]))
}

const DOTS = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|%2e|[^:]\/\//i
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i
const MAX_PATH_CHARS = 4096

/** `docs/../secret` is `secret`, in a path and in an address. What is longer or has several lines is no path. */
const withoutDotsIn = (text: string): string => {
  if (text.length > MAX_PATH_CHARS || !DOTS.test(text) || /[\n\r]/.test(text)) return text
  if (!ADDRESS.test(text)) return posix.normalize(text.replaceAll("\\", "/"))
  try {
    return new URL(text).href
  } catch {
    return text
  }
}

/**
 * The one text form of a call's arguments that `argsPattern` is tested on.
 *
 * JSON with sorted keys and no spaces, each top-level pair between NUL characters. JSON escapes a NUL in data, so
 * `\x00"file_path":"…"\x00` in a pattern matches the real top-level argument and never text inside another one.
 */
export const canonicalArguments = (args: Readonly<Record<string, unknown>>): string => {
  const pairs = sortedEntries(args).flatMap(([key, value]) => {
    const text = encode(value, [args])
    return text === undefined ? [] : [`\0${JSON.stringify(key)}:${text}\0`]
  })
  return `{${pairs.join(",")}}`
}

const sortedEntries = (object: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(object).toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))

const MAX_NESTING = 100

const encode = (value: unknown, ancestors: ReadonlyArray<object>): string | undefined => {
  if (typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (ancestors.includes(value) || ancestors.length > MAX_NESTING) return '"[Circular]"'
  const inner = [...ancestors, value]
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, inner) ?? "null").join(",")}]`
  const pairs = sortedEntries(value).flatMap(([key, item]) => {
    const text = encode(item, inner)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${pairs.join(",")}}`
}
