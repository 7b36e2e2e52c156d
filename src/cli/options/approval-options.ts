/** What a run may do without asking, and how far it may go. */
import type { RootOption } from "../option-row.ts"

export const approvalOptions: ReadonlyArray<RootOption> = [
  {
    long: "approval-mode",
    type: "choice",
    choices: ["default", "auto_edit", "yolo", "plan"],
    spellings: { autoEdit: "auto_edit", "auto-edit": "auto_edit" },
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
    names: "path",
    value: "PATHS",
    description: "Policy files or folders, in place of policyPaths.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "admin-policy",
    type: "list",
    names: "path",
    value: "PATHS",
    description: "Policy files or folders of the admin tier, in place of adminPolicyPaths.",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "allowed-tools",
    type: "list",
    value: "NAMES",
    description: "Tools that run without a question, such as run_shell_command(git log).",
    group: "Approval and trust",
    since: "0.1"
  },
  {
    long: "tools",
    type: "list",
    value: "NAMES",
    description: "Offer the model only these tools; an empty name offers none.",
    group: "Approval and trust",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "no-tools",
    type: "boolean",
    description: "Offer the model no tools.",
    group: "Approval and trust",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "exclude-tools",
    type: "list",
    value: "NAMES",
    description: "Do not offer these tools.",
    group: "Approval and trust",
    hasVariable: true,
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
  }
]
