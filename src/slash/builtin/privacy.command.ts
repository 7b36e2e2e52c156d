/** `/privacy`: what leaves this machine. */
import { Effect } from "effect"
import type { CodeAssistAccount } from "../../auth/google/account.ts"
import { Settings } from "../../config/settings.ts"
import { lazy } from "../../kernel/lazy.ts"
import { tellsServer } from "../../model/from-config.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { failed } from "../command-error.ts"
import { SessionFacts } from "../session-facts.ts"

export const privacy = slash({
  name: "privacy",
  description: "What is sent, and to whom",
  run: Effect.fnUntraced(function* ({ isInteractive }) {
    const settings = yield* Settings
    const { account, authType } = yield* SessionFacts
    const endpoint = settings.get("privacy.usageStatisticsEndpoint")
    const sendsTo = settings.get("privacy.usageStatisticsEnabled") ? endpoint : undefined
    const { destination: telemetry, level } = yield* Telemetry
    const texts = level?.logPrompts === true ? "with" : "without"
    const use = yield* dataUse(account)
    const told = print(
      [
        `Prompts, attached files and results of tools are sent to the model (${SERVICES[authType ?? "none"]}); its terms apply.`,
        ...(use === undefined ? [] : [use.says]),
        ...(account !== undefined && tellsServer(settings) ? [EDIT_METRICS] : []),
        sendsTo === undefined ? "No usage statistics are sent." : `Usage statistics are sent to ${sendsTo}: ${SENT}`,
        telemetry === undefined
          ? "Telemetry is off."
          : `Telemetry is on: ${telemetry} gets logs, metrics and spans of what is done, ${texts} texts of prompts, answers and arguments (telemetry.logPrompts), and never credentials. docs/telemetry.md lists them all.`,
        "There is no check for updates. Sessions are recorded on this machine only."
      ].join("\n"),
      {
        authType: authType ?? null,
        tier: account?.tier ?? null,
        dataCollection: use?.isAllowed ?? null,
        usageStatistics: sendsTo ?? null,
        telemetry: telemetry ?? null
      }
    )
    return isInteractive && account !== undefined && use?.isAllowed !== undefined ? question(told.text, account) : told
  })
})

interface DataUse {
  readonly says: string
  /** Absent: the person has no say, or what was said is not known. */
  readonly isAllowed?: boolean
}

/** Only the free tier leaves it to the person. */
const dataUse = Effect.fnUntraced(function* (
  account: CodeAssistAccount | undefined
): Effect.fn.Return<DataUse | undefined> {
  if (account === undefined) return undefined
  const { hasChoice, mayBeUsed } = yield* loadChoice
  if (!hasChoice(account)) {
    return {
      says: `Your tier is ${account.tierName ?? account.tier}: what your organisation agreed with Google decides how they are used.`
    }
  }
  return yield* Effect.match(mayBeUsed(account), {
    onFailure: ({ detail }): DataUse => ({
      says: `Whether Google may use them to improve its products could not be asked: ${detail}.`
    }),
    onSuccess: (isAllowed): DataUse => ({
      isAllowed,
      says: `With the free tier Google ${isAllowed ? "may use them to improve its products, unless you say no here" : "does not use them to improve its products: you said no"}.`
    })
  })
})

const loadChoice = lazy(() => import("../../auth/google/data-collection.ts"))

const question = (told: string, account: CodeAssistAccount): CommandResult => ({
  _tag: "Ask",
  question: {
    text: `${told}\nAllow Google to use your prompts, answers and related code to develop and improve its products?`,
    choices: [
      { value: "yes", label: "Yes" },
      { value: "no", label: "No" }
    ],
    answer: (value) =>
      loadChoice.pipe(
        Effect.flatMap(({ chooseUse }) => chooseUse(account, value === "yes")),
        Effect.mapBoth({
          onFailure: ({ detail }) => failed({ message: `The choice could not be kept: ${detail}.` }),
          onSuccess: (isAllowed) =>
            print(`Google ${isAllowed ? "may" : "may not"} use them to improve its products.`, {
              dataCollection: isAllowed
            })
        })
      )
  }
})

const EDIT_METRICS =
  "The Code Assist server is told what became of edits (privacy.usageStatisticsEnabled): how many lines were taken over and in which language; no text, no path."

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
