/** `/privacy`: what leaves this machine. */
import { Effect } from "effect"
import { Settings } from "../../config/settings.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { print, slash } from "../command.ts"
import { SessionFacts } from "../session-facts.ts"

export const privacy = slash({
  name: "privacy",
  description: "What is sent, and to whom",
  run: Effect.fnUntraced(function* () {
    const settings = yield* Settings
    const { authType } = yield* SessionFacts
    const endpoint = settings.get("privacy.usageStatisticsEndpoint")
    const sendsTo = settings.get("privacy.usageStatisticsEnabled") ? endpoint : undefined
    const { destination: telemetry, level } = yield* Telemetry
    const texts = level?.logPrompts === true ? "with" : "without"
    return print(
      [
        `Prompts, attached files and results of tools are sent to the model (${SERVICES[authType ?? "none"]}); its terms apply.`,
        sendsTo === undefined ? "No usage statistics are sent." : `Usage statistics are sent to ${sendsTo}: ${SENT}`,
        telemetry === undefined
          ? "Telemetry is off."
          : `Telemetry is on: ${telemetry} gets logs, metrics and spans of what is done, ${texts} texts of prompts, answers and arguments (telemetry.logPrompts), and never credentials. docs/telemetry.md lists them all.`,
        "There is no check for updates. Sessions are recorded on this machine only."
      ].join("\n"),
      { authType: authType ?? null, usageStatistics: sendsTo ?? null, telemetry: telemetry ?? null }
    )
  })
})

const SENT =
  "version, platform, a random id of the session, and for each event its name, time, numbers and words of the program (model, kind of tool, kind of error); no prompts, answers, arguments, paths or names of tools."

const SERVICES = {
  "oauth-personal": "Gemini Code Assist, signed in with a Google account",
  "gemini-api-key": "Gemini API, with an API key",
  "vertex-ai": "Vertex AI, in your Google Cloud project",
  "compute-default-credentials": "Google Cloud, with the credentials of this machine",
  gateway: "the gateway that GOOGLE_GEMINI_BASE_URL names",
  none: "recorded answers: nothing is sent"
} as const
