/**
 * The options of a run: the only list of them in the project. To make a planned feature reachable, change `since` here.
 *
 * Plain data, since it is on the path of every start.
 */
import type { RootOption } from "./option-row.ts"

export const rootOptions: ReadonlyArray<RootOption> = [
  {
    long: "prompt",
    short: "p",
    type: "string",
    value: "TEXT",
    description: "Answer this prompt and exit. Piped input is put before it.",
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "prompt-interactive",
    short: "i",
    type: "string",
    value: "TEXT",
    description: "Send this prompt first, then go on as a chat.",
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "stdin-timeout",
    type: "string",
    value: "TIME",
    description: "With -p: how long to wait for the first byte of piped input (default 10s, 0 = for ever).",
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "all-files",
    type: "boolean",
    description: "Put every file of the workspace into the context, within a token budget.",
    hidden: true,
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "model",
    short: "m",
    type: "string",
    value: "NAME",
    description: "Model or alias (default: GEMINI_MODEL, then model.name, then auto).",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "output-format",
    short: "o",
    type: "choice",
    choices: ["text", "json", "stream-json"],
    value: "FORMAT",
    description: "Print the answer, one JSON document, or one JSON event a line.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "output-schema",
    type: "string",
    value: "FILE|JSON",
    description: "The answer must be JSON that fits this JSON Schema; otherwise exit 57.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "last-message-file",
    type: "string",
    value: "FILE",
    description: "Also write the final answer to this file.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "estimate",
    type: "boolean",
    description: "Print what the request would hold, in tokens and cost, and send nothing.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "raw-output",
    type: "boolean",
    description: "Do not remove escape sequences from the model's text.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "accept-raw-output-risk",
    type: "boolean",
    description: "Raw output without its warning.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "screen-reader",
    type: "boolean",
    description: "Plain output that reads well aloud.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "approval-mode",
    type: "choice",
    choices: ["default", "auto_edit", "yolo", "plan"],
    value: "MODE",
    description: "Which tool calls run without a question.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "yolo",
    short: "y",
    type: "boolean",
    description: "Approve every tool call; short for --approval-mode=yolo.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "policy",
    type: "list",
    value: "PATHS",
    description: "Policy files or folders, in place of policyPaths.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "admin-policy",
    type: "list",
    value: "PATHS",
    description: "Policy files or folders of the admin tier, in place of adminPolicyPaths.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "allowed-tools",
    type: "list",
    value: "NAMES",
    description: "Tools that run without a question. Deprecated: write a policy.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "skip-trust",
    type: "boolean",
    description: "Trust the working folder for this run.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "sandbox",
    short: "s",
    type: "boolean",
    value: "NAME",
    description: "Run inside a sandbox, or fail with exit 44 where none can be used.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "fail-on-denied",
    type: "boolean",
    description: "Exit 56 when a tool call was denied.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "max-turns",
    type: "string",
    value: "N",
    description: "Stop after this many model turns (exit 53, as for every limit).",
    group: "Limits",
    since: "0.1"
  },
  {
    long: "max-time",
    type: "string",
    value: "TIME",
    description: "Stop after this time: 90s, 10m, 1h; a bare number is seconds.",
    group: "Limits",
    since: "0.1"
  },
  {
    long: "max-tool-calls",
    type: "string",
    value: "N",
    description: "Stop after this many tool calls.",
    group: "Limits",
    since: "0.1"
  },
  {
    long: "max-tokens",
    type: "string",
    value: "N",
    description: "Stop when the run has used this many tokens in total.",
    group: "Limits",
    since: "0.1"
  },
  {
    long: "max-cost",
    type: "string",
    value: "USD",
    description: "Stop when the run has cost this much.",
    group: "Limits",
    since: "0.1"
  },
  {
    long: "on-quota",
    type: "string",
    value: "fail|wait|fallback[:MODEL]",
    description: "What to do when a quota is used up.",
    group: "Limits",
    since: "0.1"
  },
  {
    long: "include-directories",
    type: "list",
    value: "PATHS",
    description: "More folders that belong to the workspace.",
    group: "Workspace",
    since: "0.1"
  },
  {
    long: "ignore-env",
    type: "boolean",
    description: "Do not read .env files of the project.",
    group: "Workspace",
    since: "0.1"
  },
  {
    long: "profile",
    type: "string",
    value: "NAME",
    description: "Use this named set of settings.",
    group: "Workspace",
    since: "later"
  },
  {
    long: "bare",
    type: "boolean",
    description: "Prompt and model only: no context files, hooks, servers or extensions.",
    group: "Workspace",
    since: "0.1"
  },
  {
    long: "worktree",
    short: "w",
    type: "optional-string",
    value: "NAME",
    description: "Work in a git worktree under .gemini/worktrees.",
    group: "Workspace",
    since: "later"
  },
  {
    long: "resume",
    short: "r",
    type: "optional-string",
    value: "ID",
    description: "Go on with a session: latest, its number in --list-sessions, or its id.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "fork",
    type: "boolean",
    description: "With --resume: go on in a copy and leave the session as it is.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "session-id",
    type: "string",
    value: "ID",
    description: "Start a new session with this id.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "session-file",
    type: "string",
    value: "FILE",
    description: "Start a new session from an exported one.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "list-sessions",
    type: "boolean",
    description: "List the sessions of this project and exit.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "delete-session",
    type: "string",
    value: "ID",
    description: "Delete a session by number or id and exit.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "extensions",
    short: "e",
    type: "list",
    value: "NAMES",
    description: "Use only these extensions; none turns all of them off.",
    group: "Extensions and servers",
    since: "0.1"
  },
  {
    long: "list-extensions",
    short: "l",
    type: "boolean",
    description: "List the extensions and exit.",
    group: "Extensions and servers",
    since: "later"
  },
  {
    long: "allowed-mcp-server-names",
    type: "list",
    value: "NAMES",
    description: "Start only these MCP servers.",
    group: "Extensions and servers",
    since: "0.1"
  },
  {
    long: "acp",
    aliases: ["experimental-acp"],
    type: "boolean",
    description: "Serve an editor over the Agent Client Protocol on stdin and stdout.",
    group: "Extensions and servers",
    since: "later"
  },
  {
    long: "fake-responses",
    type: "string",
    value: "FILE",
    description: "Take the model's answers from this file, in order.",
    hidden: true,
    group: "Testing",
    since: "0.1"
  },
  {
    long: "fake-responses-non-strict",
    type: "string",
    value: "FILE",
    description: "Take the model's answers from this file, first match of each method.",
    hidden: true,
    group: "Testing",
    since: "0.1"
  },
  {
    long: "record-responses",
    type: "string",
    value: "FILE",
    description: "Write the model's answers to this file.",
    hidden: true,
    group: "Testing",
    since: "0.1"
  },
  {
    long: "demo",
    type: "boolean",
    description: "Try it with a built-in model: no key, no network.",
    group: "Other",
    since: "0.1"
  },
  {
    long: "debug",
    short: "d",
    type: "boolean",
    description: "Say on stderr what is done and why.",
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry",
    type: "boolean",
    description: "Record telemetry.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-target",
    type: "string",
    value: "TARGET",
    description: "Where telemetry goes: local or gcp.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-otlp-endpoint",
    type: "string",
    value: "URL",
    description: "Address of the collector.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-otlp-protocol",
    type: "string",
    value: "PROTOCOL",
    description: "How the collector is spoken to: grpc or http.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-log-prompts",
    type: "boolean",
    description: "Let telemetry hold texts of prompts and answers.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-outfile",
    type: "string",
    value: "FILE",
    description: "Write telemetry to this file.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  { long: "version", short: "v", type: "boolean", description: "Print the version.", group: "Other", since: "0.1" },
  { long: "help", short: "h", type: "boolean", description: "Print this help.", group: "Other", since: "0.1" }
]
