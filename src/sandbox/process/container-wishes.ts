/** What a person wants of a container beside what it always has: the variables that say so, read. Pure. */

import { isAbsolute } from "node:path"
import { Either } from "effect"
import type { Mount } from "./process-backend.ts"

type Lookup = (name: string) => string | undefined

export interface ContainerWishes {
  /** `SANDBOX_FLAGS`: further options of the engine. */
  readonly flags: ReadonlyArray<string>
  readonly mounts: ReadonlyArray<Mount>
  readonly variables: Readonly<Record<string, string>>
  readonly ports: ReadonlyArray<number>
}

/** The left side says what is wrong with which variable. */
export const containerWishes = (
  get: Lookup,
  exists: (path: string) => boolean
): Either.Either<ContainerWishes, string> =>
  Either.gen(function* () {
    return {
      flags: yield* flagWords(get("SANDBOX_FLAGS") ?? "", get),
      mounts: yield* Either.all(itemsOf(get("SANDBOX_MOUNTS")).map((item) => mountOf(item, exists))),
      variables: Object.fromEntries(yield* Either.all(itemsOf(get("SANDBOX_ENV")).map(variableOf))),
      ports: yield* Either.all(itemsOf(get("SANDBOX_PORTS")).map(portOf))
    }
  })

const itemsOf = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const mountOf = (item: string, exists: (path: string) => boolean): Either.Either<Mount, string> => {
  const [from = "", to = from, mode = "ro", ...rest] = item.split(":")
  if (rest.length > 0 || (mode !== "ro" && mode !== "rw")) {
    return Either.left(`SANDBOX_MOUNTS: "${item}" is not from[:to[:ro|rw]]`)
  }
  if (!isAbsolute(from)) return Either.left(`SANDBOX_MOUNTS: ${from} is not an absolute path`)
  if (!isAbsolute(to)) return Either.left(`SANDBOX_MOUNTS: ${to} is not an absolute path`)
  return exists(from) ? Either.right({ from, to, mode }) : Either.left(`SANDBOX_MOUNTS: ${from} does not exist`)
}

const variableOf = (item: string): Either.Either<readonly [string, string], string> => {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(item) ?? []
  return name === undefined || value === undefined
    ? Either.left(`SANDBOX_ENV: "${item.split("=")[0]}" is not NAME=value`)
    : Either.right([name, value])
}

const portOf = (item: string): Either.Either<number, string> => {
  const port = Number(item)
  return Number.isInteger(port) && port >= 1 && port <= 65_535
    ? Either.right(port)
    : Either.left(`SANDBOX_PORTS: "${item}" is not a port`)
}

/** As a shell splits words; `$NAME` is a variable outside single quotes, and nothing else of a shell works. */
export const flagWords = (text: string, get: Lookup): Either.Either<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  const piece = /\\(.)|\$(?:(\w+)|\{(\w+)\})|(['"])|(\s+)|(.)/gs
  const add = (part: string) => {
    word = (word ?? "") + part
  }
  for (const [whole, escaped, name, braced, mark, blank] of text.matchAll(piece)) {
    if (quote === "'" && mark === "'") quote = ""
    else if (quote === "'") add(whole)
    else if (escaped !== undefined) add(escaped)
    else if (name !== undefined || braced !== undefined) add(get(name ?? braced ?? "") ?? "")
    else if (mark !== undefined && (quote === "" || quote === mark)) {
      quote = quote === "" ? mark : ""
      add("")
    } else if (blank !== undefined && quote === "") {
      if (word !== undefined) words.push(word)
      word = undefined
    } else add(whole)
  }
  if (quote !== "") return Either.left(`SANDBOX_FLAGS: a ${quote} is not closed`)
  return Either.right(word === undefined ? words : [...words, word])
}
