/**
 * The contract with hooks, as `gemini schema hooks` prints it: what every hook reads, and what it may answer. Fields that
 * only one event has stand beside these; `docs/hooks.md` names them.
 */
import { Schema } from "effect"
import { HOOK_EVENTS } from "./hook-event.ts"

export const HookInputDocument = Schema.Struct({
  session_id: Schema.String,
  transcript_path: Schema.String.annotations({
    description: "The file of the session; empty where there is none yet."
  }),
  cwd: Schema.String,
  hook_event_name: Schema.Literal(...HOOK_EVENTS),
  timestamp: Schema.String.annotations({ description: "ISO 8601, UTC." })
})

const maybe = <A>(schema: Schema.Schema<A>) => Schema.optional(Schema.NullOr(schema))

export const HookOutputDocument = Schema.Struct({
  continue: maybe(Schema.Boolean.annotations({ description: "False: the run ends here." })),
  stopReason: maybe(Schema.String),
  suppressOutput: maybe(Schema.Boolean),
  systemMessage: maybe(Schema.String.annotations({ description: "For the person, not for the model." })),
  decision: maybe(Schema.Literal("allow", "approve", "deny", "block", "ask")),
  reason: maybe(Schema.String),
  hookSpecificOutput: maybe(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})
