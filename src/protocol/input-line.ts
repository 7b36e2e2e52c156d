/** What may stand on a line of `--input-format stream-json`: the contract with whoever keeps one process for many prompts. */
import { Schema } from "effect"
import { ApprovalMode } from "./modes.ts"

const typed = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

const InputPart = Schema.Union(
  typed("text", { text: Schema.String }),
  typed("file", { path: Schema.NonEmptyString }),
  typed("inline", {
    mime_type: Schema.NonEmptyString,
    data: Schema.String.pipe(
      Schema.filter((data) => data !== "" && isBase64(data), {
        message: () => "it is no base64",
        jsonSchema: { contentEncoding: "base64" }
      })
    ).annotations({ description: "Base64." })
  })
)

/** Asked of up to 64 MiB: a regular expression over all of it would take longer than decoding does. */
const isBase64 = (data: string): boolean =>
  Buffer.from(data, "base64").length === Math.floor((data.replace(/=+$/, "").length * 3) / 4) &&
  !/[^A-Za-z0-9+/=]/.test(data)

const UserLine = typed("user", {
  message: Schema.Struct({
    role: Schema.Literal("user"),
    content: Schema.Union(Schema.NonEmptyString, Schema.NonEmptyArray(InputPart))
  })
})

/** The same, in the form that is printed. */
const MessageLine = typed("message", { role: Schema.Literal("user"), content: Schema.NonEmptyString })

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
