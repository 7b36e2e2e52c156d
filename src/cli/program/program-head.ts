/**
 * The front matter of an executable prompt: YAML between lines of `---`, or TOML between lines of `+++`. A key that is not
 * known, or a value that does not fit, is told with its line.
 */
import { isAbsolute, relative, resolve } from "node:path"
import { Either, ParseResult, Schema } from "effect"
import { parse as parseToml, TomlError } from "smol-toml"
import { isCollection, LineCounter, parseDocument } from "yaml"
import { realPathOf } from "../../config/settings-files.ts"
import { blockedSegment } from "../../files/containment.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { ApprovalMode, OutputFormat } from "../../protocol/modes.ts"
import { TierWish } from "../../protocol/usage.ts"

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
/** A number is written as one where a text is meant too: `default: 3`. */
const Scalar = Schema.Union(Schema.String, Schema.Number, Schema.Boolean)
const Names = Schema.Union(Schema.String, Schema.Array(Schema.String))
const Limit = Schema.Union(Schema.Number, Schema.String)

const Argument = Schema.Struct({
  name: Schema.String,
  default: maybe(Scalar),
  help: maybe(Schema.String)
})

export const ProgramHead = Schema.Struct({
  description: maybe(Schema.String),
  model: maybe(Schema.String),
  system: maybe(Schema.String),
  /** A list of names, a list of `{name, default, help}`, or these by their names. */
  args: maybe(
    Schema.Union(
      Schema.Array(Schema.Union(Schema.String, Argument)),
      Schema.Record({
        key: Schema.String,
        value: Schema.NullOr(
          Schema.Union(Scalar, Schema.Struct({ default: maybe(Scalar), help: maybe(Schema.String) }))
        )
      })
    )
  ),
  stdin: maybe(Schema.Literal("required", "optional", "none")),
  output_format: maybe(OutputFormat),
  schema: maybe(Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown }))),
  tools: maybe(Names),
  approval_mode: maybe(ApprovalMode),
  policy: maybe(Names),
  limits: maybe(
    Schema.Struct({
      turns: maybe(Limit),
      time: maybe(Limit),
      tool_calls: maybe(Limit),
      tokens: maybe(Limit),
      cost: maybe(Limit)
    })
  ),
  tier: maybe(TierWish),
  include: maybe(Names)
})
export type ProgramHead = typeof ProgramHead.Type

export interface ProgramText {
  readonly head: ProgramHead
  /** Behind the head, with as many line breaks before it as lines stand before it in the file. */
  readonly body: string
  /** Where a key of the head stands. */
  readonly lineOf: (path: ReadonlyArray<PropertyKey>) => number
}

export interface ProgramHeadFault {
  readonly line: number
  readonly message: string
}

/** `text` is that of the whole file; a first line `#!` belongs to the kernel. */
export const readProgramText = (text: string): Either.Either<ProgramText, ProgramHeadFault> =>
  Either.gen(function* () {
    const lines = text.replace(/^\ufeff/, "").split(/\r?\n/)
    const start = lines[0]?.startsWith("#!") === true ? 1 : 0
    const mark = /^(---|\+\+\+)\s*$/.exec(lines[start] ?? "")?.[1]
    const end = mark === undefined ? start - 1 : lines.findIndex((line, at) => at > start && line.trimEnd() === mark)
    if (mark !== undefined && end < 0) {
      return yield* Either.left({ line: start + 1, message: `the ${mark} here is not closed by another` })
    }
    const body = "\n".repeat(end + 1) + lines.slice(end + 1).join("\n")
    if (mark === undefined) return { head: {}, body, lineOf: () => 1 }
    const inside = lines.slice(start + 1, end).join("\n")
    const { lineOf, value } = yield* mark === "---" ? yamlValue(inside, start + 2) : tomlValue(inside, start + 2)
    const head = yield* Either.mapLeft(decodeHead(value ?? {}), (error) => faultOf(error, lineOf))
    return { head, body, lineOf }
  })

const decodeHead = Schema.decodeUnknownEither(ProgramHead, { onExcessProperty: "error" })

const faultOf = (error: ParseResult.ParseError, lineOf: ProgramText["lineOf"]): ProgramHeadFault => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  // Of the members of a union, the one that came furthest says what is wrong.
  const issue = issues.toSorted((a, b) => b.path.length - a.path.length)[0]
  const path = issue?.path ?? []
  const name = path.map(String).join(".")
  if (issue?._tag === "Unexpected") {
    const near = closestName(String(path.at(-1)), path.length === 1 ? Object.keys(ProgramHead.fields) : KEYS_BELOW)
    const known =
      near === undefined ? `known are ${Object.keys(ProgramHead.fields).join(", ")}` : `did you mean ${near}?`
    return { line: lineOf(path), message: `${name} is not known: ${known}` }
  }
  return {
    line: lineOf(path),
    message: `${name === "" ? "the front matter" : name}: ${issue?.message.split("\n")[0] ?? "cannot be read"}`
  }
}

const KEYS_BELOW = ["name", "default", "help", "turns", "time", "tool_calls", "tokens", "cost"]

interface Parsed {
  readonly value: unknown
  readonly lineOf: ProgramText["lineOf"]
}

const yamlValue = (text: string, firstLine: number): Either.Either<Parsed, ProgramHeadFault> => {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, logLevel: "silent", prettyErrors: false, uniqueKeys: true })
  const lineAt = (offset: number) => lineCounter.linePos(offset).line - 1 + firstLine
  const [error] = document.errors
  if (error !== undefined) {
    return Either.left({ line: lineAt(error.pos[0]), message: error.message.split("\n")[0] ?? error.message })
  }
  /** Of the key where there is one, else of the value: a key stands where a person looks for it. */
  const lineOf = (path: ReadonlyArray<PropertyKey>): number => {
    let line = firstLine
    let node: unknown = document.contents
    for (const step of path) {
      if (!isCollection(node)) break
      const pair = node.items.find(
        (item, index) =>
          (typeof step === "number" && index === step) ||
          (typeof item === "object" && item !== null && "key" in item && String(item.key) === String(step))
      )
      const key = typeof pair === "object" && pair !== null && "key" in pair ? pair.key : pair
      const range = typeof key === "object" && key !== null && "range" in key ? key.range : undefined
      if (Array.isArray(range) && typeof range[0] === "number") line = lineAt(range[0])
      node = typeof pair === "object" && pair !== null && "value" in pair && "key" in pair ? pair.value : pair
    }
    return line
  }
  return Either.mapBoth(
    Either.try((): unknown => document.toJS()),
    {
      onLeft: () => ({ line: firstLine, message: "it cannot be resolved" }),
      onRight: (value) => ({ value, lineOf })
    }
  )
}

const tomlValue = (text: string, firstLine: number): Either.Either<Parsed, ProgramHeadFault> =>
  Either.mapBoth(Either.try({ try: (): unknown => parseToml(text), catch: (cause) => cause }), {
    onLeft: (cause) => ({
      line: (cause instanceof TomlError ? cause.line : 1) - 1 + firstLine,
      message: (cause instanceof Error ? cause.message : String(cause)).split("\n")[0] ?? "cannot be read"
    }),
    onRight: (value) => ({ value, lineOf: (path) => firstLine + tomlLine(text, path) })
  })

/** The parser keeps no positions: the key, in its table where it stands in one. From 0. */
const tomlLine = (text: string, path: ReadonlyArray<PropertyKey>): number => {
  const lines = text.split("\n")
  let found = 0
  for (const step of path) {
    if (typeof step !== "string") continue
    const name = RegExp.escape(step)
    const shape = new RegExp(
      `^\\s*(?:\\[+\\s*(?:[\\w"-]+\\s*\\.\\s*)*"?${name}"?\\s*\\]|"?${name}"?\\s*[=.]|.*[{,]\\s*"?${name}"?\\s*=)`
    )
    const at = lines.findIndex((line, index) => index >= found && shape.test(line))
    if (at >= 0) found = at
  }
  return found
}

/**
 * A path of the file lies beside it or below, wherever links lead, and is none of the closed ones: what the file names is
 * sent to the model or counts as a rule, and whoever runs it has looked at its folder, not at the whole machine.
 */
export const beside =
  ({ lineOf }: Pick<ProgramText, "lineOf">, folder: string, key: string) =>
  (path: string): Either.Either<string, { readonly line: number; readonly message: string }> => {
    const inside = relative(realPathOf(folder), realPathOf(resolve(folder, path)))
    const isOutside = inside.startsWith("..") || isAbsolute(inside)
    if (!isOutside && blockedSegment(inside, "read") === null) return Either.right(resolve(folder, path))
    const why = isOutside ? "it does not lie beside the file" : "it is closed"
    return Either.left({ line: lineOf([key]), message: `${key}: ${path}: ${why}` })
  }
