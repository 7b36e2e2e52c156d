/**
 * One row of the settings table: what a value must look like, what stands in when nobody sets it, and how the values
 * of several files are joined. Rows are plain data; a schema is compiled only when a file really holds its key.
 */
import { Schema } from "effect"
import type { Direction } from "./project-direction.ts"

/** How the value of a higher scope meets the one below it. */
export type Merge =
  | "replace"
  /** Lists: appended. */
  | "concat"
  /** Lists: appended, each element once. */
  | "union"
  /** Lists: only what every scope that sets the key names. */
  | "intersection"
  /** Objects: whole entries replace each other by name. */
  | "shallow"
  /** Objects: key by key, at every depth. */
  | "deep"

/**
 * `tui`: belongs to the full-screen program of the reference, or to editors; accepted silently, without effect here. Every
 * other row has a reader or says why it has none (`bun run check:settings`).
 */
export type Need = "essential" | "useful" | "tui"

/** `A`: type of a value that was set; `D`: type of the default, `undefined` where the setting stays unset. */
export interface Setting<A, D extends A | undefined = A | undefined> {
  readonly schema: Schema.Schema<A>
  readonly default: D
  readonly merge: Merge
  readonly need: Need
  readonly description: string
  /** Other accepted spellings, brought to the form that the schema describes. */
  readonly normalize?: (value: unknown) => unknown
  /** Variables in it stay as written: its parts are expanded where they are used, each by its own rule. */
  readonly keepsVariables?: true
  /** What the settings of a project may do to it; without a direction they may set it like those of the user. */
  readonly tightens?: Direction
  readonly unsupported?: Unsupported
  /** Variables that beat it: the one that says the whole value, or those that say parts of it. */
  readonly variables?: ReadonlyArray<string>
  /** Never shown. */
  readonly isSecret?: true
}

/** Whoever sets it to something else than what happens anyway is told so. */
export interface Unsupported {
  /** A clause: "… , so this has no effect". */
  readonly because: string
  /** What this program does whatever the setting says. */
  readonly as: unknown
}

interface Extra {
  readonly merge?: Merge
  readonly keepsVariables?: true
  readonly normalize?: (value: unknown) => unknown
}

/** A row over any schema; the shorthands below cover the common ones. */
export const setting =
  <A>(schema: Schema.Schema<A>, extra: Extra = {}) =>
  <const D extends A | undefined>(
    fallback: D,
    need: Need,
    description: string,
    tightens?: Direction
  ): Setting<A, D> => ({
    merge: "replace",
    ...extra,
    schema,
    default: fallback,
    need,
    description,
    ...(tightens === undefined ? {} : { tightens })
  })

/** A row that nothing reads. The program acts as with its default, or as with `as`. */
export const unsupported =
  (because: string) =>
  <A, D extends A | undefined>(row: Setting<A, D>, as: A | undefined = row.default): Setting<A, D> => ({
    ...row,
    unsupported: { because, as }
  })

/** A row that these variables beat. */
export const beatenBy =
  (...variables: ReadonlyArray<string>) =>
  <A, D extends A | undefined>(row: Setting<A, D>): Setting<A, D> => ({ ...row, variables })

/** A row whose value is never shown. */
export const secret = <A, D extends A | undefined>(row: Setting<A, D>): Setting<A, D> => ({ ...row, isSecret: true })

/** Says what was expected, in the words of the user's file, instead of the schema's own report. */
export const expecting =
  (what: string) =>
  <A>(schema: Schema.Schema<A>): Schema.Schema<A> =>
    schema.annotations({ message: () => ({ message: `expected ${what}`, override: true }) })

export const Flag = Schema.Boolean.pipe(expecting("true or false"))
export const Amount = Schema.Finite.pipe(expecting("a number"))
export const Text = Schema.String.pipe(expecting("a string"))
export const TextList = Schema.Array(Text).annotations({ message: () => "expected a list of strings" })
export const TextMap = Schema.Record({ key: Schema.String, value: Text }).annotations({
  message: () => "expected an object of strings"
})
export const Ratio = Schema.Number.pipe(Schema.between(0, 1), expecting("a number between 0 and 1"))
/** An object whose inside belongs to somebody else. */
export const OpenObject = Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
  message: () => "expected an object"
})

export const oneOf = <const L extends ReadonlyArray<string>>(...values: L): Schema.Schema<L[number]> =>
  Schema.Literal(...values).pipe(expecting(`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`))

export const integerFrom = (minimum: number): Schema.Schema<number> =>
  Schema.Int.pipe(Schema.greaterThanOrEqualTo(minimum), expecting(`a whole number from ${minimum} on`))

/** A field that may be missing from an object-valued setting. */
export const optional = <A>(schema: Schema.Schema<A>) => Schema.optionalWith(schema, { exact: true })

/** Lists that grow over the scopes accept a bare element in place of a list. */
const wrapScalar = (value: unknown): unknown => (typeof value === "string" ? [value] : value)

export const flag = setting(Flag)
export const text = setting(Text)
export const list = setting(TextList)
export const unionList = setting(TextList, { merge: "union", normalize: wrapScalar })
export const concatList = setting(TextList, { merge: "concat", normalize: wrapScalar })
export const openObject = setting(OpenObject, { merge: "deep" })
export const count = setting(integerFrom(0))
