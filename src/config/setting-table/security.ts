/** Rows of `security`, `advanced` and `admin`. */
import { Schema } from "effect"
import { addsNothing, addsOnly, turnsOff, turnsOn, usersOnly } from "../project-direction.ts"
import { beatenBy, flag, list, oneOf, openObject, secret, setting, Text, text, unionList } from "../setting.ts"

const BugCommand = Schema.Struct({ urlTemplate: Text })

export const securitySettings = {
  "security.toolSandboxing": flag(false, "useful", "Sandbox single tools", turnsOn),
  "security.yoloNeedsSandbox": flag(false, "useful", "Approval mode yolo only inside a sandbox (exit 44)", turnsOn),
  "security.sandboxUnasked": flag(
    true,
    "useful",
    "Commands that run without a question get a read-only sandbox without network, where one works",
    turnsOn
  ),
  "security.disableYoloMode": flag(false, "essential", "Forbid approval mode yolo (exit 52)", turnsOn),
  "security.disableAlwaysAllow": flag(false, "essential", 'Offer no "always allow" answers', turnsOn),
  "security.enablePermanentToolApproval": flag(false, "essential", "Offer saving an allow rule", turnsOff),
  "security.autoAddToPolicyByDefault": flag(
    false,
    "useful",
    "Enter alone saves an allow rule, where that is offered and it is no shell command",
    turnsOff
  ),
  "security.powerFiles": unionList(
    [],
    "useful",
    "More files whose change is asked about in every mode but yolo: build, ci, or patterns of paths",
    addsOnly
  ),
  "security.blockGitExtensions": flag(false, "useful", "No git extensions", turnsOn),
  "security.allowedExtensions": list([], "useful", "Regex allowlist of extension sources", usersOnly),
  "security.folderTrust.enabled": flag(
    true,
    "essential",
    "Ask whether a folder is trusted before using what it contains",
    usersOnly
  ),
  "security.environmentVariableRedaction.allowed": list(
    [],
    "useful",
    "Variables that are never hidden from child processes",
    addsNothing
  ),
  "security.environmentVariableRedaction.blocked": list(
    [],
    "useful",
    "Variables that are always hidden from child processes",
    addsOnly
  ),
  "security.environmentVariableRedaction.enabled": flag(
    false,
    "useful",
    "Hide secret-looking variables from tools",
    turnsOn
  ),
  "security.auth.selectedType": text(
    undefined,
    "essential",
    "oauth-personal, gemini-api-key, vertex-ai, compute-default-credentials or gateway"
  ),
  "security.auth.enforcedType": text(
    undefined,
    "essential",
    "The only authentication type that may be used",
    usersOnly
  ),
  "security.auth.apiKey": secret(
    beatenBy("GEMINI_API_KEY")(
      text(undefined, "useful", "Key of the Gemini API; better kept by /auth than in a file", usersOnly)
    )
  ),
  "security.auth.useExternal": flag(undefined, "useful", "Skip own auth flow", usersOnly),
  "security.enableConseca": flag(
    false,
    "useful",
    "Policies that a model writes: runs refuse to start (exit 52)",
    turnsOn
  ),
  "advanced.autoConfigureMemory": flag(true, "tui", "Heap size of the reference"),
  "advanced.dnsResolutionOrder": setting(oneOf("ipv4first", "verbatim"))(
    "verbatim",
    "useful",
    "ipv4first reaches a name by an IPv4 address if it has one; verbatim leaves it to the system"
  ),
  "advanced.excludedEnvVars": unionList(
    ["DEBUG", "DEBUG_MODE"],
    "essential",
    "Variables not taken from the .env of a project",
    addsOnly
  ),
  "advanced.ignoreLocalEnv": flag(false, "essential", "Skip plain .env files outside the home folder", turnsOn),
  "advanced.bugCommand": setting(BugCommand, { merge: "deep" })(
    undefined,
    "useful",
    "urlTemplate of /bug, with {title} and {info}",
    usersOnly
  ),
  "admin.secureModeEnabled": flag(
    false,
    "useful",
    "No yolo, no approvals that last; set by an administrator only",
    usersOnly
  ),
  "admin.extensions.enabled": flag(true, "useful", "Extensions may be used; set by an administrator only", usersOnly),
  "admin.mcp.enabled": flag(true, "useful", "MCP may be used; set by an administrator only", usersOnly),
  "admin.mcp.config": openObject({}, "useful", "MCP servers that may be used; set by an administrator only", usersOnly),
  "admin.mcp.requiredConfig": openObject(
    {},
    "useful",
    "MCP servers that must be used; set by an administrator only",
    usersOnly
  ),
  "admin.skills.enabled": flag(true, "useful", "Skills may be used; set by an administrator only", usersOnly),
  "admin.agents.enabled": flag(
    true,
    "useful",
    "Agents that people define may be used; set by an administrator only",
    usersOnly
  )
}
