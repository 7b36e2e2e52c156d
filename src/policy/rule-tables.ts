/**
 * The shapes of `[[rule]]` and `[[safety_checker]]`, with faults of one sentence each. A key that is not here is told,
 * see `rule-file.live.ts`.
 */
import { Schema } from "effect"

const priority = Schema.Int.pipe(Schema.between(0, 999)).annotations({
  message: () => ({ message: "must be a whole number from 0 to 999", override: true })
})

/** Parts of the schemas for rule files whose faults are one sentence each. */
const oneOf = <const Values extends readonly [string, ...ReadonlyArray<string>]>(...values: Values) =>
  Schema.Literal(...values).annotations({
    message: () => ({ message: `must be one of ${values.map((value) => `"${value}"`).join(", ")}`, override: true })
  })

const stringOrList = Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
  message: () => ({ message: "must be a string or a list of strings", override: true })
})

/** A key that may be missing; without `exact` each fault is reported twice. */
const exact = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })

export const Mode = oneOf("default", "autoEdit", "auto_edit", "yolo", "plan")

export const CheckerTable = Schema.Struct({
  type: oneOf("in-process", "external"),
  name: Schema.String.pipe(
    Schema.pattern(/^[a-z0-9-]+$/, {
      message: () => "only small letters, digits and - may stand in the name of a checker"
    })
  ),
  required_context: exact(Schema.Array(oneOf("environment", "history"))),
  config: exact(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

/** What says on which calls a rule holds. */
const matchingFields = {
  toolName: exact(stringOrList),
  mcpName: exact(Schema.String),
  argsPattern: exact(Schema.String),
  commandPrefix: exact(stringOrList),
  commandRegex: exact(Schema.String),
  hosts: exact(stringOrList),
  modes: exact(Schema.Array(Mode)),
  toolAnnotations: exact(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
}

export const RuleTable = Schema.Struct({
  ...matchingFields,
  /** For people. */
  name: exact(Schema.String),
  description: exact(Schema.String),
  decision: oneOf("allow", "deny", "ask_user"),
  priority,
  interactive: exact(Schema.Boolean),
  subagent: exact(Schema.String),
  allowRedirection: exact(Schema.Boolean),
  allow_redirection: exact(Schema.Boolean),
  allowOptions: exact(Schema.Array(Schema.String)),
  allowPowerFiles: exact(Schema.Boolean),
  denyMessage: exact(Schema.String),
  deny_message: exact(Schema.String),
  safety_checker: exact(CheckerTable)
})

export const CheckerEntry = Schema.Struct({
  ...matchingFields,
  priority: Schema.optionalWith(priority, { exact: true, default: () => 0 }),
  checker: CheckerTable
})

/** Without one of these a rule holds for more calls than it says. */
export const NARROWING: ReadonlyArray<string> = [
  ...Object.keys(matchingFields),
  "interactive",
  "subagent",
  "safety_checker"
]

/** What rules and checkers have in common. */
export type Matching = { readonly [K in keyof typeof matchingFields]?: Schema.Schema.Type<(typeof matchingFields)[K]> }

/** The older form: one table for each tool. */
export const ToolTable = Schema.Struct({
  mode: oneOf("always_allow", "always_deny", "ask_user"),
  excluded_paths: exact(Schema.Array(Schema.String))
})

/** A whole file, as `gemini schema policy` describes it. Reading takes one entry at a time: a bad one costs no others. */
export const PolicyDocument = Schema.Struct({
  rule: exact(Schema.Array(RuleTable)),
  safety_checker: exact(Schema.Array(CheckerEntry)),
  tools: exact(Schema.Record({ key: Schema.String, value: ToolTable }))
})

/** Compiles a regular expression from a rule file, or says why it is refused. */
const MAX_LENGTH = 2048

type CompiledRegex =
  | { readonly _tag: "Compiled"; readonly regex: RegExp }
  | { readonly _tag: "Refused"; readonly reason: string }

/** `isAnchored`: the match must begin where the text begins. */
export const compileRegex = (source: string, options: { readonly isAnchored: boolean }): CompiledRegex => {
  if (source.length > MAX_LENGTH) return { _tag: "Refused", reason: `it is longer than ${MAX_LENGTH} characters` }
  if (hasNestedQuantifier(source)) {
    return { _tag: "Refused", reason: "a repeated group contains a repetition, which can take for ever" }
  }
  try {
    // Compiled alone first: `a)|(b` must not become valid by the group around it.
    const plain = new RegExp(source)
    return { _tag: "Compiled", regex: options.isAnchored ? new RegExp(`^(?:${source})`) : plain }
  } catch (cause) {
    return { _tag: "Refused", reason: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** `(a+)+`: each group remembers whether a quantifier stood in it; a quantifier right after such a group is refused. */
const hasNestedQuantifier = (source: string): boolean => {
  const groups: Array<boolean> = []
  let isInClass = false
  let closedRepeating = false
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? ""
    const wasClosedRepeating: boolean = closedRepeating
    closedRepeating = false
    if (char === "\\") at++
    else if (isInClass) isInClass = char !== "]"
    else if (char === "[") isInClass = true
    else if (char === "(") {
      groups.push(false)
      if (source[at + 1] === "?") at++
    } else if (char === ")") {
      closedRepeating = groups.pop() === true
      if (closedRepeating && groups.length > 0) groups[groups.length - 1] = true
    } else if (char === "*" || char === "+" || /^\{\d*,/.test(source.slice(at, at + 12))) {
      if (wasClosedRepeating) return true
      if (groups.length > 0) groups[groups.length - 1] = true
    }
  }
  return false
}
