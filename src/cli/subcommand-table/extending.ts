/** Sub-commands that scripts for the reference use: servers, extensions, skills, hooks. */
import type { OptionRow } from "../option-row.ts"
import type { SubcommandRow } from "../subcommand-row.ts"

const scope = (choices: ReadonlyArray<string>, standard: string): OptionRow => ({
  long: "scope",
  short: "s",
  type: "choice",
  choices,
  value: "SCOPE",
  description: `Where it is stored (default: ${standard}).`
})
const consent: OptionRow = { long: "consent", type: "boolean", description: "Agree to the security notice beforehand." }

const skipTrust: OptionRow = { long: "skip-trust", type: "boolean", description: "As if the folder were trusted." }

const json: OptionRow = { long: "json", type: "boolean", description: "Print JSON." }

export const mcp: SubcommandRow = {
  name: "mcp",
  description: "Manage MCP servers.",
  matching: "always",
  since: "0.1",
  verbs: [
    {
      name: "add",
      usage: "<name> <commandOrUrl> [args...]",
      description: "Add a server, or replace one of the same name.",
      passesOptions: true,
      since: "0.1",
      options: [
        scope(["user", "project"], "project"),
        {
          long: "transport",
          short: "t",
          aliases: ["type"],
          type: "choice",
          choices: ["stdio", "sse", "http"],
          value: "KIND",
          description: "How to reach it (default: stdio)."
        },
        { long: "env", short: "e", type: "list", value: "KEY=VALUE", description: "Variable of the server." },
        { long: "header", short: "H", type: "list", value: "'KEY: VALUE'", description: "Header of each request." },
        { long: "timeout", type: "string", value: "MS", description: "Limit of one request in milliseconds." },
        { long: "trust", type: "boolean", description: "Run its tools without a question." },
        { long: "description", type: "string", value: "TEXT", description: "What the server is for." },
        { long: "include-tools", type: "list", value: "NAMES", description: "Only these of its tools." },
        { long: "exclude-tools", type: "list", value: "NAMES", description: "All of its tools but these." }
      ]
    },
    {
      name: "remove",
      usage: "<name>",
      description: "Remove a server.",
      since: "0.1",
      options: [scope(["user", "project"], "project")]
    },
    { name: "list", description: "Connect to each server and show its state.", since: "0.1", options: [json] },
    {
      name: "enable",
      usage: "<name>",
      description: "Turn a server on.",
      since: "0.1",
      options: [{ long: "session", type: "boolean", description: "For the present session only." }]
    },
    {
      name: "disable",
      usage: "<name>",
      description: "Turn a server off.",
      since: "0.1",
      options: [{ long: "session", type: "boolean", description: "For the present session only." }]
    },
    {
      name: "test",
      usage: "<name>",
      description: "Start a server and check what it offers; exit 1 when something is wrong.",
      since: "0.1",
      options: [json]
    },
    { name: "login", usage: "<name>", description: "Log in to a server and keep the login.", since: "0.1" },
    { name: "logout", usage: "<name>", description: "Forget the login of a server.", since: "0.1" },
    {
      name: "serve",
      description: "Offer this agent to others as an MCP server on standard input and output.",
      since: "0.1",
      options: [
        { long: "model", short: "m", type: "string", value: "NAME", description: "The model of runs." },
        {
          long: "approval-mode",
          type: "choice",
          choices: ["default", "auto_edit", "yolo", "plan"],
          value: "MODE",
          description: "Of runs, and the freest that a client can ask for."
        },
        { long: "skip-trust", type: "boolean", description: "Folders of runs count as trusted." },
        {
          long: "include-directories",
          type: "list",
          value: "PATHS",
          description: "More folders that runs may work in, beside the present one."
        },
        { long: "policy", type: "list", value: "PATHS", description: "Policy files or folders of runs." },
        { long: "admin-policy", type: "list", value: "PATHS", description: "The same for the admin tier." },
        { long: "allowed-tools", type: "list", value: "NAMES", description: "Tools that run without a question." },
        { long: "max-turns", type: "string", value: "N", description: "Most model turns of a run." },
        { long: "max-time", type: "string", value: "TIME", description: "Longest time of a run: 90s, 10m." },
        { long: "max-tool-calls", type: "string", value: "N", description: "Most tool calls of a run." },
        { long: "max-tokens", type: "string", value: "N", description: "Most tokens of a run." },
        { long: "max-cost", type: "string", value: "USD", description: "Most that a run may cost." }
      ]
    }
  ],
  examples: ["gemini mcp add docs npx -y @acme/docs-server", "gemini mcp add -t http docs https://docs.example.com/mcp"]
}

const extensionScope = scope(["user", "workspace"], "user")

const outputFormat: OptionRow = {
  long: "output-format",
  short: "o",
  type: "choice",
  choices: ["text", "json"],
  value: "FORMAT",
  description: "How to print it."
}

export const extensions: SubcommandRow = {
  name: "extensions",
  aliases: ["extension"],
  description: "Manage extensions.",
  matching: "always",
  since: "0.1",
  options: [json],
  verbs: [
    {
      name: "install",
      usage: "<source>",
      description: "Install from a URL, github:owner/repo or a local folder.",
      since: "0.1",
      options: [
        { long: "ref", type: "string", value: "REF", description: "Branch, tag or commit." },
        { long: "auto-update", type: "boolean", description: "Keep it up to date." },
        { long: "pre-release", type: "boolean", description: "Take pre-releases too." },
        consent,
        { long: "skip-settings", type: "boolean", description: "Do not ask for its settings." }
      ]
    },
    {
      name: "uninstall",
      usage: "[names...]",
      description: "Remove extensions, by name or source.",
      since: "0.1",
      options: [{ long: "all", type: "boolean", description: "Remove all of them." }]
    },
    { name: "list", description: "List what is installed.", since: "0.1", options: [outputFormat] },
    {
      name: "update",
      usage: "[name]",
      description: "Update one extension or all.",
      since: "0.1",
      options: [{ long: "all", type: "boolean", description: "Update all of them." }]
    },
    { name: "disable", usage: "<name>", description: "Turn one off.", since: "0.1", options: [extensionScope] },
    {
      name: "enable",
      usage: "<name>",
      description: "Turn one on.",
      since: "0.1",
      options: [scope(["user", "workspace"], "both")]
    },
    { name: "link", usage: "<path>", description: "Use a local folder in place.", since: "0.1", options: [consent] },
    { name: "new", usage: "<path> [template]", description: "Create one, empty or from a template.", since: "0.1" },
    { name: "validate", usage: "<path>", description: "Check a folder; exit 1 when something is wrong.", since: "0.1" },
    {
      name: "config",
      usage: "[name] [setting]",
      description: "Ask for the settings of one, or of all.",
      since: "0.1",
      options: [extensionScope]
    }
  ],
  examples: ["gemini extensions install github:acme/docs-extension", "gemini extensions disable docs --scope workspace"]
}

export const skills: SubcommandRow = {
  name: "skills",
  aliases: ["skill"],
  description: "Manage skills.",
  matching: "always",
  since: "0.1",
  options: [json],
  verbs: [
    {
      name: "list",
      description: "List skills.",
      since: "0.1",
      options: [{ long: "all", type: "boolean", description: "Built-in ones too." }]
    },
    { name: "enable", usage: "<name>", description: "Turn one on.", since: "0.1" },
    {
      name: "disable",
      usage: "<name>",
      description: "Turn one off.",
      since: "0.1",
      options: [scope(["user", "workspace"], "workspace")]
    },
    {
      name: "install",
      usage: "<source>",
      description: "Install from a git URL, a folder or a .skill file.",
      since: "0.1",
      options: [
        extensionScope,
        { long: "path", type: "string", value: "FOLDER", description: "Folder inside the source." },
        consent
      ]
    },
    {
      name: "link",
      usage: "<path>",
      description: "Use a local folder in place.",
      since: "0.1",
      options: [extensionScope, consent]
    },
    { name: "uninstall", usage: "<name>", description: "Remove one.", since: "0.1", options: [extensionScope] }
  ]
}

export const hooks: SubcommandRow = {
  name: "hooks",
  aliases: ["hook"],
  description: "Manage hooks: programs that run at points of the agent's work.",
  matching: "always",
  since: "0.1",
  verbs: [
    {
      name: "list",
      description: "All hooks, where they come from and whether they run.",
      since: "0.1",
      options: [json, skipTrust]
    },
    {
      name: "test",
      usage: "<event>",
      description: "Run the hooks of an event with sample input, and say what the agent would do. 1 when one fails.",
      since: "0.1",
      options: [
        { long: "tool", type: "string", value: "NAME", description: "The tool of the sample call." },
        { long: "input", type: "string", value: "JSON", description: "An object that is laid over the sample input." },
        json,
        skipTrust
      ]
    },
    {
      name: "migrate",
      description: "Take over hooks of another agent.",
      since: "0.1",
      options: [{ long: "from-claude", type: "boolean", description: "From .claude/settings.json." }]
    }
  ],
  examples: ["gemini hooks test BeforeTool --tool run_shell_command"]
}

export const gemma: SubcommandRow = {
  name: "gemma",
  description: "Local model router of the reference.",
  matching: "always",
  since: "never",
  verbs: []
}
