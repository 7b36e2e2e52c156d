/** What stands between the commands of a run and the machine, as `init`, `json` and `gemini sandbox check` tell it. */
import { Schema } from "effect"

export const SandboxReport = Schema.Struct({
  backend: Schema.String,
  network: Schema.Literal("off", "on"),
  /** Real paths of folders that commands may change. */
  writable: Schema.Array(Schema.String),
  /** `full`: nothing of what a sandbox promises is missing. `partial`: see `gaps`. */
  strength: Schema.Literal("full", "partial"),
  /** What it does not keep from happening, each in one sentence. */
  gaps: Schema.Array(Schema.String)
})
export type SandboxReport = typeof SandboxReport.Type
