/** Rows of `tools`, `mcp`, `mcpServers` and `run`: what the agent may use, and for how long. */
import { Option, Schema } from "effect"
import { durationFromText } from "../../kernel/duration-text.ts"
import { TierWish } from "../../protocol/usage.ts"
import {
  addsNothing,
  addsOnly,
  lowersOnly,
  sandboxesOnly,
  takesAway,
  turnsOff,
  usersOnly,
  whenConfirmed
} from "../project-direction.ts"
import {
  Amount,
  beatenBy,
  count,
  expecting,
  Flag,
  flag,
  integerFrom,
  list,
  oneOf,
  optional,
  setting,
  Text,
  TextList,
  text,
  unionList
} from "../setting.ts"
import { McpServers, serversByName } from "../setting-schema/mcp-server.ts"
import { Prices } from "../setting-schema/model-config.ts"

/** Kept as text; whoever waits reads it with `durationFromText`. */
const DurationText = Schema.String.pipe(
  Schema.filter((text) => Option.isSome(durationFromText(text))),
  expecting('a duration such as "90s", "10m" or a number of seconds')
)
const duration = setting(DurationText, { normalize: (value) => (typeof value === "number" ? String(value) : value) })
const Cost = Amount.pipe(Schema.positive(), expecting("a positive number of US dollars"))
const QuotaAnswer = Schema.String.pipe(
  Schema.pattern(/^(fail|wait|fallback(:.+)?)$/),
  expecting('"fail", "wait", "fallback" or "fallback:MODEL"')
)

const ThinkingText = Schema.String.pipe(
  Schema.pattern(/^(off|low|medium|high|\d+)$/),
  expecting('"off", "low", "medium", "high" or a number of tokens')
)

const SandboxObject = Schema.Struct({
  enabled: optional(Flag),
  command: optional(Text),
  image: optional(Text),
  allowedPaths: optional(TextList),
  networkAccess: optional(Flag)
})

/** The words true and false are the switch, also when they stand in quotes. */
const SandboxName = Schema.String.pipe(Schema.filter((name) => name !== "" && !/^(true|false)$/i.test(name)))

/** `tools.sandbox`: a switch, the name of a back end or path of a profile, or an object with details. */
export const SandboxSetting = Schema.Union(Schema.Boolean, SandboxName, SandboxObject).pipe(
  expecting("true, false, the name of a sandbox, or { enabled, command, image, allowedPaths, networkAccess }")
)

export type SandboxSetting = typeof SandboxSetting.Type

export const toolSettings = {
  "tools.sandbox": beatenBy("GEMINI_SANDBOX")(
    setting(SandboxSetting)(
      undefined,
      "useful",
      "Sandbox: a switch, a back end or profile, or an object",
      sandboxesOnly
    )
  ),
  "tools.sandboxAllowedPaths": list(
    [],
    "useful",
    "Paths that a sandboxed command may use besides the workspace",
    addsNothing
  ),
  "tools.sandboxAllowedDomains": list(
    [],
    "useful",
    "Hosts that a sandboxed command may connect to: example.com, *.example.com, example.com:8443",
    addsNothing
  ),
  "tools.sandboxNetworkAccess": flag(false, "useful", "Network in sandbox", turnsOff),
  "tools.shell.enableInteractiveShell": flag(true, "useful", "A terminal for shell commands in a conversation"),
  "tools.shell.backgroundCompletionBehavior": setting(oneOf("silent", "inject", "notify"))(
    "silent",
    "useful",
    "What happens when a background command ends"
  ),
  "tools.shell.pager": text("cat", "useful", "PAGER for commands", whenConfirmed),
  "tools.shell.showColor": flag(true, "tui", "Colour in shell output"),
  "tools.shell.inactivityTimeout": count(300, "essential", "Seconds without output before a command is ended"),
  "tools.shell.enableShellOutputEfficiency": flag(true, "useful", "Prompt hints for quiet commands"),
  "tools.core": list(
    undefined,
    "essential",
    "Only these built-in tools; run_shell_command(prefix) form allowed",
    takesAway
  ),
  "tools.allowed": list(
    undefined,
    "essential",
    "Tools that run without confirmation; rules in a policy file can say more",
    addsNothing
  ),
  "tools.confirmationRequired": list(undefined, "useful", "Tools that always ask; beats tools.allowed", addsOnly),
  "tools.exclude": unionList(undefined, "essential", "Tools that are removed (deprecated: use policies)", addsOnly),
  "tools.discoveryCommand": text(
    undefined,
    "useful",
    "Command that prints function declarations as JSON",
    whenConfirmed
  ),
  "tools.callCommand": text(
    undefined,
    "useful",
    "Command that runs a discovered tool: name as argument, JSON on stdin and stdout",
    whenConfirmed
  ),
  "tools.useRipgrep": flag(true, "useful", "Use rg when found"),
  "tools.truncateToolOutputThreshold": setting(Schema.Int.pipe(expecting("a whole number")))(
    40000,
    "essential",
    "Characters of tool output shown to the model; 0 or less: all"
  ),
  "tools.disableLLMCorrection": flag(true, "useful", "No model-based edit repair"),
  "tools.shell.keepBackgroundProcesses": flag(false, "useful", "Leave background processes running at exit", turnsOff),
  "tools.autoAccept": flag(undefined, "useful", "false: shell commands that only look ask as well", turnsOff),
  mcpServers: setting(McpServers, { merge: "shallow", keepsVariables: true, normalize: serversByName })(
    {},
    "essential",
    "MCP servers by name",
    whenConfirmed
  ),
  "mcp.serverCommand": text(undefined, "useful", "Command of one more MCP server, named mcp", whenConfirmed),
  "mcp.allowed": setting(TextList, { merge: "intersection" })(
    undefined,
    "essential",
    "Only these MCP servers; every scope that sets it must name the server",
    takesAway
  ),
  "mcp.excluded": unionList(undefined, "essential", "MCP servers that never start; joined over all scopes", addsOnly),
  "mcp.autoAllowInHeadless": flag(false, "useful", "Headless runs may call every configured MCP server", turnsOff),
  "mcp.startTimeout": count(10_000, "useful", "Most milliseconds that a headless run waits for MCP servers to start"),
  "run.maxTurns": beatenBy("GEMINI_MAX_TURNS")(
    setting(integerFrom(1))(undefined, "useful", "Most model turns of a run (--max-turns)", lowersOnly)
  ),
  "run.maxToolCalls": beatenBy("GEMINI_MAX_TOOL_CALLS")(
    count(undefined, "useful", "Most tool calls of a run (--max-tool-calls)", lowersOnly)
  ),
  "run.maxTokens": beatenBy("GEMINI_MAX_TOKENS")(
    setting(integerFrom(1))(undefined, "useful", "Most tokens of a run, in and out (--max-tokens)", lowersOnly)
  ),
  "run.maxCost": beatenBy("GEMINI_MAX_COST")(
    setting(Cost)(undefined, "useful", "Most US dollars of a run (--max-cost)", lowersOnly)
  ),
  "run.maxTime": beatenBy("GEMINI_MAX_TIME")(
    duration(undefined, "useful", "Longest time of a run, such as 90s or 10m (--max-time)", lowersOnly)
  ),
  "run.stdinTimeout": beatenBy("GEMINI_STDIN_TIMEOUT")(
    duration("10s", "useful", "Longest wait for the first byte of piped input; 0 waits for ever")
  ),
  "run.onQuota": beatenBy("GEMINI_ON_QUOTA")(
    setting(QuotaAnswer)("fail", "useful", "When a quota is used up: fail, wait or fallback[:MODEL]")
  ),
  "run.thinking": beatenBy("GEMINI_THINKING")(
    setting(ThinkingText, { normalize: (value) => (typeof value === "number" ? String(value) : value) })(
      undefined,
      "useful",
      "How much the model thinks: off, low, medium, high or a number of tokens (--thinking)"
    )
  ),
  "run.tier": beatenBy("GEMINI_TIER")(
    setting(oneOf(...TierWish.literals))(
      undefined,
      "useful",
      "Service tier of requests; flex is half the price (--tier)"
    )
  ),
  "run.classifyPrompts": flag(true, "useful", "With the model auto: ask a small model first how hard a prompt is"),
  "run.prices": setting(Prices, { merge: "shallow" })(
    {},
    "useful",
    "Prices by model id in US dollars for a million tokens: input, output, cached, long",
    usersOnly
  )
}
