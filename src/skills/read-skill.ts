/** A `SKILL.md` as it is on the disk, or what is wrong with it and where. */

import { Effect, Either, Option } from "effect"
import { closestName } from "../kernel/closest-name.ts"
import { lazy } from "../kernel/lazy.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { type HeadFault, plainHead, splitFrontMatter, tolerantHead } from "./front-matter.ts"
import { plainName, SkillError } from "./skill.ts"

export interface SkillHead {
  /** Fit for a name, without that of an extension. */
  readonly name: string
  readonly description: string
  /** Its own head turns it off: `disabled: true`. */
  readonly isOff?: true
  /** Fields that are probably misspelt, in words; whatever else a head may say is for other programs. */
  readonly faults?: ReadonlyArray<HeadFault>
}

export interface SkillText extends SkillHead {
  /** What the model is told to do. */
  readonly body: string
}

const MAX_FILE_BYTES = 1024 * 1024
const MAX_NAME_CHARS = 64
/** Part of every request. */
const MAX_DESCRIPTION_CHARS = 1024

/** `None`: there is no such file. */
export const readSkill = (file: string): Effect.Effect<Option.Option<SkillText>, SkillError> => {
  const content = readRegularFile(file, MAX_FILE_BYTES)
  if (content.kind === "missing") return Effect.succeed(Option.none())
  if (content.kind === "refused") return new SkillError({ file, atLine: 1, detail: `the file ${content.reason}` })
  return Effect.map(parseSkill(file, content.text), Option.some)
}

export const parseSkill = (file: string, text: string): Effect.Effect<SkillText, SkillError> =>
  Effect.gen(function* () {
    const { body, head } = yield* splitFrontMatter(text)
    const plain = plainHead(head)
    const values = Option.isSome(plain) ? plain.value : yield* throughYaml(head)
    return { ...(yield* headOf(values, head)), body }
  }).pipe(Effect.mapError(({ detail, line }) => new SkillError({ file, atLine: line, detail })))

/** `head` for the lines of faults. */
export const headOf = (
  values: ReadonlyMap<string, unknown>,
  head: ReadonlyArray<string>
): Either.Either<SkillHead, HeadFault> =>
  Either.gen(function* () {
    const name = yield* textOf(values, "name", head)
    const description = yield* textOf(values, "description", head)
    const faults = misspelt(values, head)
    return {
      name: yield* checkedName(plainName(name), head),
      description: shortened(description),
      ...(isOff(values) ? { isOff: true } : {}),
      ...(faults.length === 0 ? {} : { faults })
    }
  })

const FIELDS = ["name", "description", "disabled"]

const misspelt = (values: ReadonlyMap<string, unknown>, head: ReadonlyArray<string>): ReadonlyArray<HeadFault> =>
  [...values.keys()].flatMap((key) => {
    const near = FIELDS.includes(key) ? undefined : closestName(key, FIELDS)
    return near === undefined
      ? []
      : [{ line: lineOf(key, head), detail: `${key}: there is no such field (did you mean ${near}?); ignored` }]
  })

const isOff = (values: ReadonlyMap<string, unknown>): boolean => /^true$/i.test(String(values.get("disabled")))

const throughYaml = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
  const { yamlHead } = yield* lazy(() => import("./front-matter-yaml.live.ts"))
  const read = yamlHead(lines)
  if (Either.isRight(read)) return read.right
  const tolerant = tolerantHead(lines)
  return isComplete(tolerant) ? tolerant : yield* Effect.fail(read.left)
})

/** Half a list or a quote without an end is not what somebody meant as a name. */
const isComplete = (head: ReadonlyMap<string, string>): boolean =>
  /^[\p{L}\p{N}]/u.test(head.get("name") ?? "") && (head.get("description") ?? "") !== ""

const textOf = (
  values: ReadonlyMap<string, unknown>,
  key: string,
  head: ReadonlyArray<string>
): Either.Either<string, HeadFault> => {
  const value = values.get(key)
  if (value === undefined || value === null) return Either.left({ line: 1, detail: `its head has no ${key}` })
  return typeof value === "string" && value.trim() !== ""
    ? Either.right(value)
    : Either.left({ line: lineOf(key, head), detail: `its ${key} is not a text` })
}

const checkedName = (name: string, head: ReadonlyArray<string>): Either.Either<string, HeadFault> => {
  const fault = (detail: string) => Either.left({ line: lineOf("name", head), detail })
  if (/\p{Cc}/u.test(name)) return fault("its name holds control characters")
  if (name.length > MAX_NAME_CHARS) return fault(`its name is longer than ${MAX_NAME_CHARS} characters`)
  return /^\.*$/.test(name) ? fault("its name is empty") : Either.right(name)
}

/** The mark is line 1. */
const lineOf = (key: string, head: ReadonlyArray<string>): number =>
  Math.max(
    0,
    head.findIndex((line) => line.startsWith(`${key}:`))
  ) + 2

const shortened = (description: string): string => {
  const line = description.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length <= MAX_DESCRIPTION_CHARS ? line : `${line.slice(0, MAX_DESCRIPTION_CHARS)}...`
}
