/** Sub-commands of our own. Their names are everyday words, so they match exactly or not at all. */
import type { OptionRow } from "../option-row.ts"
import type { SubcommandRow } from "../subcommand-row.ts"

const json: OptionRow = { long: "json", type: "boolean", description: "Print JSON." }

export const completion: SubcommandRow = {
  name: "completion",
  description: "Print the completion script of a shell.",
  matching: "exact",
  since: "0.1",
  verbs: [
    { name: "bash", description: "For bash.", since: "0.1" },
    { name: "zsh", description: "For zsh.", since: "0.1" },
    { name: "fish", description: "For fish.", since: "0.1" }
  ],
  examples: [
    "source <(gemini completion bash)    in ~/.bashrc",
    "source <(gemini completion zsh)     in ~/.zshrc, after compinit",
    "gemini completion fish | source     in ~/.config/fish/config.fish"
  ]
}

const settingsScope: OptionRow = {
  long: "scope",
  short: "s",
  type: "choice",
  choices: ["user", "project"],
  value: "SCOPE",
  description: "Which file is changed (default: user)."
}

export const config: SubcommandRow = {
  name: "config",
  description: "Show, check and change settings.",
  matching: "exact",
  since: "0.1",
  options: [json],
  verbs: [
    {
      name: "list",
      description: "Every setting that is set, and where.",
      since: "0.1",
      options: [{ long: "all", type: "boolean", description: "Also settings that have their default." }]
    },
    { name: "get", usage: "<key>", description: "The value of one setting.", since: "0.1" },
    {
      name: "explain",
      usage: "<key>",
      description: "What every file says about it, and which one counts.",
      since: "0.1"
    },
    { name: "set", usage: "<key> <value>", description: "Change a setting.", since: "0.1", options: [settingsScope] },
    { name: "unset", usage: "<key>", description: "Remove a setting.", since: "0.1", options: [settingsScope] },
    { name: "path", description: "The settings files that are read.", since: "0.1" },
    { name: "validate", description: "Check the settings files; exit 1 when something is wrong.", since: "0.1" }
  ],
  examples: ["gemini config explain model.name", "gemini config set model.name flash --scope project"]
}

export const policy: SubcommandRow = {
  name: "policy",
  description: "Look at rules and try them.",
  matching: "exact",
  since: "later",
  options: [json],
  verbs: [
    { name: "list", description: "The rules in force.", since: "later" },
    {
      name: "test",
      usage: "<tool> [args]",
      description: "What would happen to a call: exit 0 allow, 2 ask, 3 deny.",
      since: "later"
    }
  ]
}

export const tools: SubcommandRow = {
  name: "tools",
  description: "The tools that the model is offered.",
  matching: "exact",
  since: "later",
  options: [json],
  verbs: [
    { name: "list", description: "Names and states.", since: "later" },
    { name: "show", usage: "<name>", description: "The declaration of one.", since: "later" }
  ]
}

export const sessions: SubcommandRow = {
  name: "sessions",
  description: "Recorded conversations.",
  matching: "exact",
  takesSession: true,
  since: "later",
  options: [json],
  verbs: [
    { name: "list", description: "Those of this project.", since: "later" },
    { name: "show", usage: "<id>", description: "Print one.", since: "later" },
    { name: "export", usage: "<id>", description: "Write one to a file.", since: "later" },
    { name: "delete", usage: "<id>", description: "Delete one.", since: "later" },
    { name: "verify", usage: "[id]", description: "Check the files; exit 1 when something is wrong.", since: "later" }
  ]
}

export const undo: SubcommandRow = {
  name: "undo",
  description: "Take back what a run changed in files.",
  matching: "exact",
  takesSession: true,
  since: "later",
  options: [json],
  verbs: [{ name: "list", description: "What can be taken back.", since: "later" }]
}

export const stats: SubcommandRow = {
  name: "stats",
  description: "Tokens, cost and times of past runs.",
  matching: "exact",
  takesSession: true,
  since: "later",
  options: [json],
  verbs: []
}

export const batch: SubcommandRow = {
  name: "batch",
  description: "Many prompts in one go.",
  matching: "exact",
  since: "later",
  verbs: [{ name: "run", usage: "<file>", description: "Answer each prompt of a file.", since: "later" }]
}

export const doctor: SubcommandRow = {
  name: "doctor",
  description: "Check the installation and say what is wrong.",
  matching: "exact",
  since: "later",
  options: [json],
  verbs: []
}
