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

const MAX_DEPTH = 100

const encode = (value: unknown, ancestors: ReadonlyArray<object>): string | undefined => {
  if (typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (ancestors.includes(value) || ancestors.length > MAX_DEPTH) return '"[Circular]"'
  const inner = [...ancestors, value]
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, inner) ?? "null").join(",")}]`
  const pairs = sortedEntries(value).flatMap(([key, item]) => {
    const text = encode(item, inner)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${pairs.join(",")}}`
}
