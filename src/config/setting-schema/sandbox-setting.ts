/** `tools.sandbox`: a switch, the name of a back end or path of a profile, or an object with details. */
import { Schema } from "effect"
import { expecting, Flag, optional, Text, TextList } from "../setting.ts"

const SandboxObject = Schema.Struct({
  enabled: optional(Flag),
  command: optional(Text),
  image: optional(Text),
  allowedPaths: optional(TextList),
  networkAccess: optional(Flag)
})

/** The words true and false are the switch, also when they stand in quotes. */
const SandboxName = Schema.String.pipe(Schema.filter((name) => name !== "" && !/^(true|false)$/i.test(name)))

export const SandboxSetting = Schema.Union(Schema.Boolean, SandboxName, SandboxObject).pipe(
  expecting("true, false, the name of a sandbox, or { enabled, command, image, allowedPaths, networkAccess }")
)
export type SandboxSetting = typeof SandboxSetting.Type
