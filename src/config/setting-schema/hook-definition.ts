/** `hooks.<Event>`: programs of the user, run at one point of the agent's life. */
import { Schema } from "effect"
import { expecting, Flag, integerFrom, oneOf, optional, Text, TextMap } from "../setting.ts"

const Command = Schema.String.pipe(
  Schema.filter((text) => text.trim() !== ""),
  expecting("a command")
)

export const HookCommand = Schema.Struct({
  type: oneOf("command"),
  command: Command,
  name: optional(Text),
  description: optional(Text),
  /** Milliseconds; 60000 when absent. */
  timeout: optional(integerFrom(1)),
  env: optional(TextMap),
  /** A failure of the program counts as a refusal, before a prompt, a request or a tool call. */
  failClosed: optional(Flag),
  /** `AfterModel`: for every piece of an answer, instead of once for the whole. */
  stream: optional(Flag)
}).annotations({ message: () => "expected a hook: { type, command }" })
export type HookCommand = typeof HookCommand.Type

export const HookDefinition = Schema.Struct({
  matcher: optional(Text),
  sequential: optional(Flag),
  hooks: Schema.Array(HookCommand).annotations({ message: () => "expected a list of hooks" })
}).annotations({ message: () => "expected a hook definition: { matcher, hooks }" })
export type HookDefinition = typeof HookDefinition.Type

export const HookDefinitions = Schema.Array(HookDefinition).annotations({
  message: () => "expected a list of hook definitions"
})
