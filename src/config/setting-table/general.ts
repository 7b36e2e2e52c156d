/** Rows of `general`, `output`, `ide`, `privacy`, `telemetry`, `billing` and the keys without a group. */
import { Schema } from "effect"
import { ExtraEvent, OutputFormat } from "../../protocol/modes.ts"
import { stricter, turnsOff, turnsOn, turnsPartsOff, usersOnly } from "../project-direction.ts"
import { beatenBy, expecting, flag, integerFrom, oneOf, setting, text, unionList, unsupported } from "../setting.ts"
import { switchToObject, TelemetrySettings } from "../setting-schema/telemetry-settings.ts"

const namesOf = (literals: ReadonlyArray<string>): string =>
  literals
    .map((name) => `"${name}"`)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1")
const Age = Schema.String.pipe(Schema.pattern(/^\d+[hdwm]$/), expecting('an age such as "12h", "30d", "4w" or "6m"'))

export const generalSettings = {
  $schema: text(undefined, "tui", "Schema URL for editors; ignored"),
  policyPaths: unionList([], "useful", "Extra policy files or folders of the user", usersOnly),
  adminPolicyPaths: unionList([], "useful", "Extra policy files or folders of an administrator", usersOnly),
  "general.preferredEditor": text(
    undefined,
    "useful",
    "Editor for changing a proposed edit; unset: $VISUAL, then $EDITOR"
  ),
  "general.openEditorInNewWindow": flag(false, "useful", "GUI editors get a new window"),
  "general.vimMode": flag(false, "useful", "Vi keys in the input box"),
  "general.defaultApprovalMode": setting(oneOf("default", "auto_edit", "plan"), {
    normalize: (value) => (value === "autoEdit" ? "auto_edit" : value)
  })("default", "essential", "Approval mode at the start; yolo only by flag", stricter("plan", "default", "auto_edit")),
  "general.devtools": flag(false, "tui", "Network inspector"),
  "general.enableAutoUpdate": unsupported("this program never updates itself")(
    flag(true, "useful", "Updates by itself"),
    false
  ),
  "general.enableAutoUpdateNotification": flag(
    false,
    "useful",
    "Look for a newer version once a day, when a conversation begins, and say so",
    turnsOff
  ),
  "general.enableNotifications": flag(false, "useful", "Terminal notification when attention is needed or a run ended"),
  "general.notificationMethod": setting(oneOf("auto", "osc9", "osc777", "bell"))(
    "auto",
    "useful",
    "Escape sequence of that notification"
  ),
  "general.checkpointing.enabled": flag(false, "essential", "Shadow-git file checkpoints and /restore", turnsOn),
  "general.plan.enabled": flag(true, "essential", "Plan mode available"),
  "general.plan.directory": text(undefined, "useful", "Plan file dir, must stay inside the project"),
  "general.plan.modelRouting": flag(true, "useful", "Pro model while planning, flash while implementing"),
  "general.retryFetchErrors": flag(true, "essential", "Retry plain network failures"),
  "general.maxAttempts": setting(integerFrom(1))(10, "essential", "Attempts for one model request, at most 10"),
  "general.debugKeystrokeLogging": flag(false, "tui", "Log keys"),
  "general.sessionRetention.enabled": flag(true, "essential", "Delete old sessions", turnsOff),
  "general.sessionRetention.maxAge": setting(Age)(
    "30d",
    "essential",
    "Sessions older than this are deleted",
    usersOnly
  ),
  "general.sessionRetention.maxCount": setting(integerFrom(1))(
    undefined,
    "essential",
    "Only this many sessions are kept",
    usersOnly
  ),
  "general.sessionRetention.minRetention": setting(Age)("1d", "essential", "Lower bound for maxAge", usersOnly),
  "general.recordOneShots": flag(
    true,
    "useful",
    "Record runs without a conversation (-p) as sessions too; --ephemeral leaves out a single one",
    turnsOff
  ),
  "general.undo.enabled": flag(true, "useful", "Record what runs change in files, for gemini undo", turnsOn),
  "general.undo.maxAge": setting(Age)("30d", "useful", "What is older cannot be taken back any more", usersOnly),
  "general.undo.maxSizeMB": setting(integerFrom(1))(
    1024,
    "useful",
    "Of what can be taken back in a project",
    usersOnly
  ),
  "general.topicUpdateNarration": flag(true, "useful", "Topic/progress tool and prompt section"),
  "general.logRagSnippets": unsupported("no snippets are retrieved")(
    flag(false, "useful", "Write retrieved snippets to a log")
  ),
  "output.format": setting(OutputFormat.pipe(expecting(namesOf(OutputFormat.literals))))(
    "text",
    "essential",
    "Output format of a headless run"
  ),
  "output.events": setting(Schema.Array(ExtraEvent).pipe(expecting(`a list of ${namesOf(ExtraEvent.literals)}`)))(
    ["subagent"],
    "useful",
    "Further events of stream-json: thought, compression, subagent; --verbose has all"
  ),
  "ide.enabled": flag(false, "useful", "IDE companion connection"),
  "ide.hasSeenNudge": flag(false, "tui", "Nudge state"),
  "privacy.usageStatisticsEnabled": flag(true, "useful", "Allows usage statistics; alone it sends nothing", turnsOff),
  useWriteTodos: flag(true, "useful", "Offer the todo tool"),
  "privacy.usageStatisticsEndpoint": text(
    undefined,
    "useful",
    "Where usage statistics are sent; unset: nowhere",
    usersOnly
  ),
  telemetry: beatenBy(
    "GEMINI_TELEMETRY_ENABLED",
    "GEMINI_TELEMETRY_TARGET",
    "GEMINI_TELEMETRY_OTLP_ENDPOINT",
    "GEMINI_TELEMETRY_OTLP_PROTOCOL",
    "GEMINI_TELEMETRY_TRACES_ENABLED",
    "GEMINI_TELEMETRY_LOG_PROMPTS",
    "GEMINI_TELEMETRY_OUTFILE",
    "GEMINI_TELEMETRY_USE_COLLECTOR",
    "GEMINI_TELEMETRY_USE_CLI_AUTH"
  )(
    setting(TelemetrySettings, { merge: "deep", normalize: switchToObject })(
      undefined,
      "useful",
      "OpenTelemetry: a switch, or an object",
      turnsPartsOff("enabled", "traces", "logPrompts")
    )
  ),
  "billing.overageStrategy": setting(oneOf("ask", "always", "never"))(
    "ask",
    "useful",
    "Paid credits of a Google account when a quota is used up: ask at the terminal, always, or never",
    stricter("never", "ask", "always")
  ),
  "billing.vertexAi.requestType": setting(oneOf("dedicated", "shared"))(
    undefined,
    "useful",
    "Value of header X-Vertex-AI-LLM-Request-Type"
  ),
  "billing.vertexAi.sharedRequestType": setting(oneOf("priority", "flex"))(
    undefined,
    "useful",
    "Value of header X-Vertex-AI-LLM-Shared-Request-Type"
  )
}
