/** What `security.environmentVariableRedaction` says about the variables of child processes. */
import type { SettingsView } from "./settings.ts"

export const variableRedaction = (settings: SettingsView) => ({
  enabled: settings.get("security.environmentVariableRedaction.enabled"),
  allowed: settings.get("security.environmentVariableRedaction.allowed"),
  blocked: settings.get("security.environmentVariableRedaction.blocked")
})
