/** Rows of `extensions`, `skills`, `hooksConfig` and `hooks`. */

import { addsOnly, turnsOff, turnsOn, usersOnly, whenConfirmed } from "../project-direction.ts"
import { flag, setting, unionList } from "../setting.ts"
import { HookDefinitions } from "../setting-schema/hook-definition.ts"

/** Commands are the shell's to expand; variables in `env` are expanded where the program is started. */
const hook = (description: string) =>
  setting(HookDefinitions, { merge: "concat", keepsVariables: true })([], "essential", description, whenConfirmed)

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
