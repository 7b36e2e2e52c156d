/** How the states of MCP servers are shown: a line each, the whole of one, and both as JSON. */
import type { ServerStatus, ServerView } from "./mcp-hub.ts"
import { registeredName } from "./tool-name.ts"

const MARKS: Readonly<Record<ServerStatus, string>> = {
  connected: "✓",
  connecting: "…",
  disconnecting: "…",
  blocked: "⛔",
  disabled: "○",
  disconnected: "✗"
}

/** Some command lines hold whole programs. */
const MAX_TARGET_CHARS = 200

export const serverLine = ({ extension, name, status, target, transport }: ServerView): string =>
  `${MARKS[status]} ${name}${extension === undefined ? "" : ` (from ${extension})`}: ${shortened(target)} (${transport ?? "invalid"}) - ${status.charAt(0).toUpperCase()}${status.slice(1)}`

const shortened = (target: string): string =>
  target.length <= MAX_TARGET_CHARS ? target : `${target.slice(0, MAX_TARGET_CHARS)}...`

/** Why it is as it is, where that is not plain. */
export const troublesOf = ({ because, error, leftOut, name, status, warnings }: ServerView): ReadonlyArray<string> => [
  ...(error === undefined ? [] : [error.message]),
  ...(because === undefined || status === "connected" ? [] : [`MCP server "${name}" is ${status}: ${because}`]),
  ...warnings.map((text) => `MCP server "${name}": ${text}`),
  ...leftOut.map((tool) => `MCP server "${name}": its tool ${tool.name} is left out: ${tool.because}`)
]

export const serverDocument = (view: ServerView) => ({
  name: view.name,
  status: view.status,
  transport: view.transport ?? null,
  target: view.target,
  description: view.description ?? null,
  extension: view.extension ?? null,
  error: view.error === undefined ? null : { kind: view.error.kind, message: view.error.message },
  because: view.because ?? null,
  tools: view.tools.map(({ description, name, server }) => ({ name, id: registeredName(server, name), description })),
  prompts: view.prompts.map(({ description, name }) => ({ name, description })),
  resources: view.resources.map(({ name, uri }) => ({ uri, name })),
  left_out: view.leftOut,
  warnings: view.warnings
})

/** Everything about one server that was started for a look. */
export const testedText = (view: ServerView, startMs: number): string =>
  [
    `${serverLine(view)} after ${startMs} ms`,
    ...section(
      "tools",
      view.tools.map(({ name, server }) => `${name} (${registeredName(server, name)})`)
    ),
    ...section(
      "prompts",
      view.prompts.map(({ name }) => name)
    ),
    ...section(
      "resources",
      view.resources.map(({ uri }) => uri)
    ),
    ...(view.instructions === undefined ? [] : ["instructions: yes"]),
    ""
  ].join("\n")

const MAX_NAMED = 50

const section = (title: string, names: ReadonlyArray<string>): ReadonlyArray<string> => [
  `${title}: ${names.length}`,
  ...names.slice(0, MAX_NAMED).map((name) => `  ${name}`),
  ...(names.length > MAX_NAMED ? [`  ... and ${names.length - MAX_NAMED} more`] : [])
]
