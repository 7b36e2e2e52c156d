/** Names of sub-commands. Made by scripts/generate.ts from the option table and the sub-commands: change those instead. */
import type { SubcommandRow } from "../subcommand-row.ts"

export const subcommands: ReadonlyArray<SubcommandRow> = [
  {
    name: "config",
    since: "0.1",
    matching: "exact",
    verbs: ["list", "get", "explain", "set", "unset", "init", "path", "validate"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "auth",
    since: "0.1",
    matching: "exact",
    verbs: ["login", "status", "logout", "token"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "mcp",
    since: "0.1",
    matching: "always",
    verbs: ["add", "remove", "list", "enable", "disable", "test", "login", "logout", "serve"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "a2a",
    since: "0.1",
    matching: "always",
    verbs: ["serve"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "extensions",
    since: "0.1",
    matching: "always",
    verbs: ["install", "uninstall", "list", "update", "disable", "enable", "link", "new", "validate", "config"],
    aliases: ["extension"],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "skills",
    since: "0.1",
    matching: "always",
    verbs: ["list", "enable", "disable", "install", "link", "uninstall"],
    aliases: ["skill"],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "hooks",
    since: "0.1",
    matching: "always",
    verbs: ["list", "test", "migrate"],
    aliases: ["hook"],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "policy",
    since: "0.1",
    matching: "exact",
    verbs: ["list", "test"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "tools",
    since: "0.1",
    matching: "exact",
    verbs: ["list", "show"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "sessions",
    since: "0.1",
    matching: "exact",
    verbs: ["list", "show", "search", "export", "delete", "verify", "summarize", "fork", "prune"],
    aliases: [],
    ids: ["session"],
    idVerb: "show",
    standsAlone: false
  },
  {
    name: "undo",
    since: "0.1",
    matching: "exact",
    verbs: ["list"],
    aliases: [],
    ids: ["run", "session"],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "stats",
    since: "0.1",
    matching: "exact",
    verbs: [],
    aliases: [],
    ids: ["session"],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "doctor",
    since: "0.1",
    matching: "exact",
    verbs: [],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "cassette",
    since: "0.1",
    matching: "exact",
    verbs: ["show", "verify", "prune"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "models",
    since: "0.1",
    matching: "exact",
    verbs: [],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "budget",
    since: "0.1",
    matching: "exact",
    verbs: ["init", "show", "reset"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "schema",
    since: "0.1",
    matching: "exact",
    verbs: ["check", "json", "stream-json", "input-stream", "settings", "policy", "hooks", "session", "cassette"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "sandbox",
    since: "0.1",
    matching: "exact",
    verbs: ["check", "run"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "run",
    since: "0.1",
    matching: "exact",
    verbs: [],
    aliases: [],
    ids: ["file"],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "batch",
    since: "0.1",
    matching: "exact",
    verbs: ["status", "collect", "cancel", "merge"],
    aliases: [],
    ids: ["file"],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "update",
    since: "0.1",
    matching: "exact",
    verbs: [],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: true
  },
  {
    name: "completion",
    since: "0.1",
    matching: "exact",
    verbs: ["bash", "zsh", "fish"],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  },
  {
    name: "gemma",
    since: "never",
    matching: "always",
    verbs: [],
    aliases: [],
    ids: [],
    idVerb: undefined,
    standsAlone: false
  }
]

/** Pages of the manual: `gemini help TOPIC`. */
export const topics: ReadonlyArray<string> = [
  "a2a",
  "agents",
  "batch",
  "ci",
  "configuration",
  "editors",
  "environment",
  "extensions",
  "getting-started",
  "hooks",
  "mcp",
  "migration",
  "pipelines",
  "policy",
  "sandbox",
  "security",
  "sessions",
  "signing-in",
  "skills",
  "telemetry",
  "troubleshooting"
]
