/** Why a command, a reference or a shell line was not carried out. Told to the person; a headless run ends with it. */
import { Schema } from "effect"

export class CommandError extends Schema.TaggedError<CommandError>()("CommandError", {
  /** `interactive`: it needs somebody who can answer. `denied`: the policy does not let it run. */
  kind: Schema.Literal("unknown", "usage", "failed", "denied", "interactive"),
  detail: Schema.String,
  /** What to do about it. */
  advice: Schema.optional(Schema.String)
}) {
  override get message() {
    return this.advice === undefined ? this.detail : `${this.detail} ${this.advice}`
  }
}

export const usageOf = (command: string, usage: string): CommandError =>
  new CommandError({ kind: "usage", detail: `Usage: /${command} ${usage}` })

/** What went wrong below, as the error of a command. */
export const failed = ({ message }: { readonly message: string }): CommandError =>
  new CommandError({ kind: "failed", detail: message })
