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

/** Flags of a run that change what it may do. */
const runFlags: ReadonlyArray<OptionRow> = [
  {
    long: "mode",
    aliases: ["approval-mode"],
    type: "choice",
    choices: ["default", "auto_edit", "yolo", "plan"],
    value: "MODE",
    description: "The approval mode of the run."
  },
  { long: "cwd", type: "string", value: "FOLDER", description: "As if started in this folder." },
  { long: "skip-trust", type: "boolean", description: "As if the folder were trusted." },
  { long: "policy", type: "list", value: "PATHS", description: "Policy files or folders, in place of policyPaths." },
  { long: "admin-policy", type: "list", value: "PATHS", description: "The same for the admin tier." },
  { long: "allowed-tools", type: "list", value: "NAMES", description: "Tools that run without a question." }
]

export const policy: SubcommandRow = {
  name: "policy",
  description: "Look at rules and try them.",
  matching: "exact",
  since: "0.1",
  options: [json, ...runFlags],
  verbs: [
    {
      name: "list",
      description:
        "The rules in force, first match first; with --mode those of that mode. Exit 1 when a policy file has errors.",
      since: "0.1"
    },
    {
      name: "test",
      usage: "'COMMAND'",
      passesOptions: true,
      description:
        "What would happen to a shell command, or to a call of --tool, and why: exit 0 allow, 2 ask, 3 deny. Judged as where a person can be asked; what a run with -p makes of it is added.",
      since: "0.1",
      options: [
        { long: "tool", type: "string", value: "NAME", description: "A call of this tool." },
        { long: "args", type: "string", value: "JSON", description: "Its arguments." },
        { long: "headless", type: "boolean", description: "Judge as for -p, where a question is a denial." },
        { long: "interactive", type: "boolean", description: "Judge as where a person can be asked (default)." }
      ]
    }
  ],
  examples: [
    "gemini policy test 'git push --force'",
    "gemini policy test --headless --policy ci.toml 'npm publish'",
    'gemini policy test --tool write_file --args \'{"file_path": "a.txt"}\''
  ]
}

const forModel: OptionRow = {
  long: "model",
  short: "m",
  type: "string",
  value: "NAME",
  description: "As this model is told."
}

export const tools: SubcommandRow = {
  name: "tools",
  description: "The tools that the model is offered.",
  matching: "exact",
  since: "0.1",
  options: [json, ...runFlags],
  verbs: [
    {
      name: "list",
      description: "All tools: offered or hidden, and why. JSON has the whole declarations.",
      since: "0.1",
      options: [forModel]
    },
    { name: "show", usage: "<name>", description: "The declaration of one.", since: "0.1", options: [forModel] }
  ]
}

export const sessions: SubcommandRow = {
  name: "sessions",
  description: "Recorded conversations.",
  matching: "exact",
  takesSession: true,
  since: "0.1",
  options: [json],
  verbs: [
    { name: "list", description: "Those of this project.", since: "0.1" },
    { name: "show", usage: "<id>", description: "Print one.", since: "0.1" },
    { name: "search", usage: "<words...>", description: "Find what was said.", since: "0.1" },
    {
      name: "export",
      usage: "<id> [file]",
      description: "Write one to a .json, .jsonl or .md file, or print it as JSON.",
      since: "0.1"
    },
    { name: "delete", usage: "<id>", description: "Delete one, with everything that was kept for it.", since: "0.1" },
    { name: "verify", usage: "[id]", description: "Check the files; exit 1 when something is wrong.", since: "0.1" },
    {
      name: "summarize",
      usage: "[id]",
      description: "Ask a model for a title of one, or of the newest 20 without.",
      since: "0.1"
    },
    { name: "fork", usage: "<id>", description: "Copy one under a new id, which is printed.", since: "0.1" },
    {
      name: "prune",
      description: "Delete what the settings of general.sessionRetention let go.",
      since: "0.1",
      options: [{ long: "dry-run", type: "boolean", description: "Only say what would be deleted." }]
    }
  ],
  examples: ["gemini sessions search migration plan", "gemini sessions export latest talk.md"]
}

export const undo: SubcommandRow = {
  name: "undo",
  usage: "[list|RUN|SESSION]",
  description: "Take back what a run changed in files.",
  matching: "exact",
  takesSession: true,
  takesRun: true,
  since: "0.1",
  options: [
    json,
    { long: "yes", short: "y", type: "boolean", description: "Do it without asking." },
    { long: "dry-run", type: "boolean", description: "Only show what would be done." },
    { long: "force", type: "boolean", description: "Also overwrite what was changed since the run." }
  ],
  verbs: [{ name: "list", description: "What can be taken back.", since: "0.1" }],
  examples: ["gemini undo", "gemini undo --dry-run", "gemini undo 3f2a91c0-1 --yes"]
}

export const stats: SubcommandRow = {
  name: "stats",
  description: "Tokens, cost and times of past runs.",
  matching: "exact",
  takesSession: true,
  since: "0.1",
  options: [
    json,
    { long: "session", type: "string", value: "ID", description: "Only this session." },
    { long: "since", type: "string", value: "TIME", description: "Only the last hours or days: 24h, 7d." }
  ],
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
