/** The shapes of `[[rule]]` and `[[safety_checker]]`. A key that is not here is told, see `rule-file.live.ts`. */
import { Schema } from "effect"
import { exact, oneOf, stringOrList } from "./schema-parts.ts"

const priority = Schema.Int.pipe(Schema.between(0, 999)).annotations({
  message: () => ({ message: "must be a whole number from 0 to 999", override: true })
})
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
