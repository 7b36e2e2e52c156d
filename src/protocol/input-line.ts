/** What may stand on a line of `--input-format stream-json`: the contract with whoever keeps one process for many prompts. */
import { Schema } from "effect"
import { ApprovalMode } from "./modes.ts"

const typed = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

const InputPart = Schema.Union(
  typed("text", { text: Schema.String }),
  typed("file", { path: Schema.String }),
  typed("inline", { mime_type: Schema.String, data: Schema.String.annotations({ description: "Base64." }) })
)

const UserLine = typed("user", {
  message: Schema.Struct({
    role: Schema.Literal("user"),
    content: Schema.Union(Schema.String, Schema.Array(InputPart))
  })
})

/** The same, in the form that is printed. */
const MessageLine = typed("message", { role: Schema.Literal("user"), content: Schema.String })

const ControlLine = typed("control", {
  action: Schema.Literal("interrupt", "set_model", "set_approval_mode", "end"),
  model: Schema.optional(Schema.String.annotations({ description: "With set_model." })),
  mode: Schema.optional(ApprovalMode.annotations({ description: "With set_approval_mode." }))
})

const PermissionLine = typed("permission_response", {
  tool_id: Schema.String,
  decision: Schema.Literal("allow", "allow_session", "deny"),
  reason: Schema.optional(Schema.String)
})

export const InputLine = Schema.Union(UserLine, MessageLine, ControlLine, PermissionLine)
export type InputLine = typeof InputLine.Type
export type UserInput = (typeof UserLine.Type)["message"]["content"]
