/** Where a run works, what it goes on from, and what joins it. */
import type { RootOption } from "../option-row.ts"

export const workspaceOptions: ReadonlyArray<RootOption> = [
  {
    long: "cwd",
    short: "C",
    type: "string",
    value: "DIR",
    description: "Work in this folder.",
    group: "Workspace",
    since: "0.1"
  },
  {
    long: "include-directories",
    type: "list",
    names: "path",
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
    long: "bare",
    type: "boolean",
    description: "Prompt and model only: no context files, hooks, servers or extensions.",
    group: "Workspace",
    since: "0.1"
  },
  {
    long: "settings",
    type: "string",
    value: "FILE|JSON",
    names: "data",
    description: "One more settings file, above those of the user and the project.",
    group: "Workspace",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "worktree",
    short: "w",
    type: "optional-string",
    value: "NAME",
    description: "Work in a git worktree under .gemini/worktrees; it stays where the run leaves changes in it.",
    group: "Workspace",
    hasVariable: true,
    since: "0.1"
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
    long: "continue",
    type: "boolean",
    description: "Go on with the last conversation; what scripts asked once with -p does not count.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "fork",
    type: "boolean",
    description: "With --resume or --continue: go on in a copy and leave the session as it is.",
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
    names: "path",
    value: "FILE",
    description: "Start a new session from an exported one.",
    group: "Sessions",
    since: "0.1"
  },
  {
    long: "ephemeral",
    type: "boolean",
    description: "Record no session and write nothing under the home folder.",
    group: "Sessions",
    hasVariable: true,
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
    since: "0.1"
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
    long: "mcp-config",
    type: "texts",
    value: "FILE|JSON",
    names: "data",
    description: "MCP servers for this run. Repeatable.",
    group: "Extensions and servers",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "strict-mcp-config",
    type: "boolean",
    description: "Only the servers of --mcp-config.",
    group: "Extensions and servers",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "acp",
    aliases: ["experimental-acp"],
    type: "boolean",
    description: "Serve an editor over the Agent Client Protocol on stdin and stdout.",
    group: "Extensions and servers",
    since: "0.1"
  }
]
