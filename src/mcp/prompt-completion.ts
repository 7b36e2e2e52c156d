/** The answer of a server that was asked to complete an argument. */
import { Option, Schema } from "effect"
import type { McpAnswer } from "./mcp-hub.ts"

const Completion = Schema.Struct({ completion: Schema.Struct({ values: Schema.Array(Schema.String) }) })

/** Nothing where the answer has another form: completion is a convenience. */
export const readCompletion = (answer: McpAnswer): ReadonlyArray<string> =>
  Option.match(Schema.decodeUnknownOption(Completion)(answer), {
    onNone: () => [],
    onSome: ({ completion }) => completion.values
  })
