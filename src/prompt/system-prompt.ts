/** What the model is told before the conversation: its instructions, and the surroundings of the session. */
import { Context, DateTime, Effect, Layer } from "effect"
import { Environment } from "../config/environment.ts"
import { instructionFor } from "./sections.ts"

export class SystemPrompt extends Context.Tag("agent/prompt/SystemPrompt")<
  SystemPrompt,
  {
    readonly instruction: Effect.Effect<string>
    /** Stands before the first message of a conversation. */
    readonly sessionContext: Effect.Effect<string>
  }
>() {}

export interface SystemPromptOptions {
  readonly interactive: boolean
}

export const layer = (options: SystemPromptOptions) =>
  Layer.effect(
    SystemPrompt,
    Effect.gen(function* () {
      const environment = yield* Environment
      return SystemPrompt.of({
        instruction: Effect.succeed(instructionFor(options)),
        sessionContext: Effect.map(DateTime.now, (now) => sessionContext(now, environment))
      })
    })
  )

const sessionContext = (now: DateTime.Utc, environment: Context.Tag.Service<Environment>): string =>
  [
    "<session_context>",
    "This is gemini, a terminal agent. The facts below describe the session that begins now.",
    // In UTC: local time needs the time zone data, whose loading costs more than the rest of the request.
    `It is ${DateTime.formatIso(now).slice(0, 16).replace("T", " ")} UTC.`,
    `Operating system: ${environment.platform}`,
    `Working folder: ${environment.cwd}`,
    "</session_context>"
  ].join("\n")
