/** Rows of `model`, `modelConfigs`, `agents` and `contextManagement`. */
import { Schema } from "effect"
import { lowersOnly, stricter, takesAway, turnsOff, turnsOn, usersOnly } from "../project-direction.ts"
import {
  Amount,
  beatenBy,
  count,
  flag,
  integerFrom,
  list,
  oneOf,
  openObject,
  optional,
  Ratio,
  setting,
  text,
  unsupported
} from "../setting.ts"
import { AgentOverrides, ModelAliases, ModelOverrides } from "../setting-schema/model-config.ts"

const ToolSummaries = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ tokenBudget: optional(Amount) })
})

const ChatCompression = Schema.Struct({ contextPercentageThreshold: optional(Ratio) })

const browser = unsupported("there is no browser agent")

export const modelSettings = {
  "model.name": beatenBy("GEMINI_MODEL")(text(undefined, "essential", "Model id or alias; written by /model")),
  "model.maxSessionTurns": setting(integerFrom(-1))(
    -1,
    "essential",
    "Turns of a session, -1 for no limit; over it a headless run exits 53",
    lowersOnly
  ),
  "model.maxPromptTurns": setting(integerFrom(-1))(
    undefined,
    "useful",
    "Turns of the work on one prompt, -1 for no limit; 500 where no other limit of turns is set",
    lowersOnly
  ),
  "model.summarizeToolOutput": setting(ToolSummaries, { merge: "deep" })(
    undefined,
    "useful",
    "Token budget per tool whose output is summarised"
  ),
  "model.compressionThreshold": setting(Ratio)(
    0.5,
    "essential",
    "Share of the context window that triggers compression"
  ),
  "model.disableLoopDetection": flag(false, "essential", "Turn loop detection off", turnsOff),
  "model.skipNextSpeakerCheck": flag(true, "useful", "No extra who-speaks-next request"),
  "model.chatCompression": setting(ChatCompression)(undefined, "useful", "Older form of model.compressionThreshold"),
  "modelConfigs.aliases": setting(ModelAliases, { merge: "deep" })({}, "useful", "Presets that replace built-in ones"),
  "modelConfigs.customAliases": setting(ModelAliases, { merge: "deep" })(
    {},
    "essential",
    "Own presets; beat the built-in ones"
  ),
  "modelConfigs.customOverrides": setting(ModelOverrides)([], "useful", "Overrides added to the list"),
  "modelConfigs.overrides": setting(ModelOverrides)(
    [],
    "useful",
    "Changes for requests that match; the most specific wins"
  ),
  "modelConfigs.modelDefinitions": openObject({}, "useful", "Facts about models, by id"),
  "modelConfigs.modelIdResolutions": openObject({}, "useful", "Model name to concrete id, by condition"),
  "modelConfigs.classifierIdResolutions": openObject({}, "useful", "Router tier to model"),
  "modelConfigs.modelChains": openObject({}, "useful", "Fallback chains"),
  "agents.overrides": setting(AgentOverrides, { merge: "deep" })({}, "essential", "Changes to single agents, by name"),
  "agents.browser.sessionMode": browser(
    setting(oneOf("persistent", "isolated", "existing"))(
      "persistent",
      "useful",
      "Browser agent: profile reuse",
      stricter("isolated", "persistent", "existing")
    )
  ),
  "agents.browser.headless": browser(flag(false, "useful", "Browser agent: no window")),
  "agents.browser.profilePath": browser(text(undefined, "useful", "Browser agent: profile folder", usersOnly)),
  "agents.browser.visualModel": browser(text(undefined, "useful", "Browser agent: model for screenshots")),
  "agents.browser.allowedDomains": browser(
    list(["github.com", "*.google.com", "localhost"], "useful", "Browser agent: hosts it may open", takesAway)
  ),
  "agents.browser.disableUserInput": browser(flag(true, "useful", "Browser agent: lock the window", turnsOn)),
  "agents.browser.maxActionsPerTask": browser(
    count(100, "useful", "Browser agent: most actions of one task", lowersOnly)
  ),
  "agents.browser.confirmSensitiveActions": browser(
    flag(false, "useful", "Browser agent: ask before risky actions", turnsOn)
  ),
  "agents.browser.blockFileUploads": browser(flag(false, "useful", "Browser agent: forbid uploads", turnsOn)),
  "contextManagement.historyWindow.maxTokens": count(
    150000,
    "useful",
    "Context management: size of the history at which it is compressed"
  ),
  "contextManagement.historyWindow.retainedTokens": count(
    40000,
    "useful",
    "Context management: what of the history stays as it is"
  ),
  "contextManagement.messageLimits.normalMaxTokens": count(
    2500,
    "useful",
    "Context management: what of an older message stays"
  ),
  "contextManagement.messageLimits.retainedMaxTokens": count(
    12000,
    "useful",
    "Context management: what of a message of the newest part stays"
  ),
  "contextManagement.messageLimits.normalizationHeadRatio": setting(Ratio)(
    0.25,
    "useful",
    "Context management: share of it that comes from the beginning"
  ),
  "contextManagement.tools.distillation.maxOutputTokens": count(
    10000,
    "useful",
    "Context management: what the model sees of a tool output; the rest is kept in a file"
  ),
  "contextManagement.tools.distillation.summarizationThresholdTokens": count(
    20000,
    "useful",
    "Context management: longer outputs of tools are told in ten lines by a small model, too"
  ),
  "contextManagement.tools.outputMasking.protectionThresholdTokens": count(
    50000,
    "useful",
    "Context management: newest outputs kept"
  ),
  "contextManagement.tools.outputMasking.minPrunableThresholdTokens": count(
    30000,
    "useful",
    "Context management: minimum gain"
  ),
  "contextManagement.tools.outputMasking.protectLatestTurn": flag(
    true,
    "useful",
    "Context management: never mask last turn"
  )
}
