/** Rows of `experimental`, and of what extends the program: `extensions`, `skills`, `hooksConfig` and `hooks`. */

import { addsOnly, turnsOff, turnsOn, usersOnly, whenConfirmed } from "../project-direction.ts"
import { beatenBy, count, flag, oneOf, setting, text, unionList, unsupported } from "../setting.ts"
import { HookDefinitions } from "../setting-schema/hook-definition.ts"

export const experimentalSettings = {
  "experimental.gemma": unsupported("every model can be named")(flag(true, "useful", "Gemma models selectable")),
  "experimental.voiceMode": flag(false, "tui", "Voice input"),
  "experimental.voice.activationMode": setting(oneOf("push-to-talk", "toggle"))("push-to-talk", "tui", "Voice input"),
  "experimental.voice.backend": setting(oneOf("gemini-live", "whisper"))("gemini-live", "tui", "Voice input"),
  "experimental.voice.whisperModel": text("ggml-base.en.bin", "tui", "Voice input"),
  "experimental.voice.stopGracePeriodMs": count(4000, "tui", "Voice input"),
  "experimental.adk.agentSessionNoninteractiveEnabled": flag(false, "tui", "Internal engine switch; accept"),
  "experimental.adk.agentSessionInteractiveEnabled": flag(false, "tui", "Internal engine switch; accept"),
  "experimental.adk.agentSessionSubagentEnabled": flag(false, "tui", "Internal engine switch; accept"),
  "experimental.enableAgents": flag(true, "essential", "Sub-agents", turnsOff),
  "experimental.worktrees": flag(true, "useful", "Allows --worktree", turnsOff),
  "experimental.extensionManagement": flag(true, "useful", "Extension commands"),
  "experimental.extensionConfig": flag(true, "useful", "Extension settings"),
  "experimental.extensionRegistry": flag(false, "useful", "/extensions explore lists the registry"),
  "experimental.extensionRegistryURI": beatenBy("GEMINI_CLI_EXTENSION_REGISTRY_URI")(
    text("https://geminicli.com/extensions.json", "useful", "Registry of extensions: an address or a file")
  ),
  "experimental.extensionReloading": flag(false, "useful", "Enable/disable without restart"),
  "experimental.useOSC52Paste": flag(false, "tui", "Paste through the terminal"),
  "experimental.useOSC52Copy": flag(false, "useful", "/copy goes through the terminal first"),
  "experimental.taskTracker": flag(false, "useful", "Tracker tools"),
  "experimental.modelSteering": flag(false, "useful", "Send hints while the agent works"),
  "experimental.directWebFetch": flag(false, "useful", "web_fetch without summarising"),
  "experimental.dynamicModelConfiguration": flag(false, "useful", "Use modelDefinitions/chains from settings"),
  "experimental.gemmaModelRouter.enabled": flag(false, "useful", "Gemma router: local router", usersOnly),
  "experimental.gemmaModelRouter.autoStartServer": flag(
    false,
    "useful",
    "Gemma router: start the local server",
    usersOnly
  ),
  "experimental.gemmaModelRouter.binaryPath": unsupported("the server is not started by this program")(
    text("", "useful", "Gemma router: path of the server", usersOnly)
  ),
  "experimental.gemmaModelRouter.classifier.host": text(
    "http://localhost:9379",
    "useful",
    "Gemma router: endpoint",
    usersOnly
  ),
  "experimental.gemmaModelRouter.classifier.model": text("gemma3-1b-gpu-custom", "useful", "Gemma router: model"),
  "experimental.stressTestProfile": flag(false, "tui", "Test profile"),
  "experimental.autoMemory": flag(false, "useful", "Accepted; memories are not extracted from sessions"),
  "experimental.generalistProfile": flag(
    false,
    "useful",
    "As contextManagement, with sizes for general work where none are set"
  ),
  "experimental.powerUserProfile": flag(false, "useful", "As generalistProfile; old results of tools go at once"),
  "experimental.contextManagement": flag(false, "useful", "The sizes of contextManagement count"),
  "experimental.jitContext": flag(
    true,
    "useful",
    "Context files below the working folder are read when a tool touches their folder"
  )
}

/** Commands are the shell's to expand; variables in `env` are expanded where the program is started. */
const hook = (description: string) =>
  setting(HookDefinitions, { merge: "concat", keepsVariables: true })([], "essential", description, whenConfirmed)

/** Rows of `extensions`, `skills`, `hooksConfig` and `hooks`. */
export const extendSettings = {
  "extensions.disabled": unionList([], "useful", "Extensions that stay off (older form)", addsOnly),
  "extensions.workspacesWithMigrationNudge": unionList([], "tui", "Nudge state"),
  "skills.enabled": flag(true, "essential", "Skills on/off", turnsOff),
  "skills.disabled": unionList([], "essential", "Disabled skill names", addsOnly),
  "hooksConfig.enabled": flag(true, "essential", "Hooks on/off", usersOnly),
  "hooksConfig.disabled": unionList([], "essential", "Disabled hook commands", usersOnly),
  "hooksConfig.notifications": flag(true, "useful", "Show running hooks", turnsOn),
  "hooks.BeforeTool": hook("Programs run before a tool runs"),
  "hooks.AfterTool": hook("Programs run after a tool ran"),
  "hooks.BeforeAgent": hook("Programs run after the user spoke, before the loop"),
  "hooks.AfterAgent": hook("Programs run after the loop"),
  "hooks.Notification": hook("Programs run on notices"),
  "hooks.SessionStart": hook("Programs run at start, resume and /clear"),
  "hooks.SessionEnd": hook("Programs run at exit and /clear"),
  "hooks.PreCompress": hook("Programs run before compression"),
  "hooks.BeforeModel": hook("Programs run before a model request"),
  "hooks.AfterModel": hook("Programs run after a model response"),
  "hooks.BeforeToolSelection": hook("Programs run before tools are chosen")
}
