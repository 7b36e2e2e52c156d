/** A tool call as an editor shows it: title, kind, places, content. Made from the call itself, so that it never changes. */
import { isAbsolute, relative, resolve } from "node:path"
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk"
import type { FileDiff } from "../protocol/confirmation.ts"

/** What is not named here is `other`. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  read_many_files: "read",
  read_mcp_resource: "read",
  write_file: "edit",
  replace: "edit",
  glob: "search",
  grep_search: "search",
  list_directory: "search",
  google_web_search: "search",
  run_shell_command: "execute",
  web_fetch: "fetch",
  update_topic: "think",
  get_internal_docs: "think",
  invoke_agent: "think"
}

export const kindOf = (name: string): ToolKind => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? "other"

export interface ViewedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** The tool as people know it. */
  readonly displayName?: string | undefined
  /** The MCP server whose tool it is. */
  readonly server?: string | undefined
}

export const titleOf = ({ args, displayName, name, server }: ViewedCall, cwd: string): string => {
  if (server !== undefined) return `${displayName ?? name} (${server} MCP Server)`
  const path = pathIn(args)
  switch (name) {
    case "run_shell_command":
      return text(args.command) ?? name
    case "write_file":
      return `Writing to ${shownPath(path ?? "", cwd)}`
    case "glob":
    case "grep_search":
      return `'${text(args.pattern) ?? ""}'${path === undefined ? "" : ` in ${shownPath(path, cwd)}`}`
    case "google_web_search":
      return `Searching the web for: "${text(args.query) ?? ""}"`
    case "web_fetch":
      return text(args.prompt) ?? text(args.url) ?? name
    default:
      return path === undefined ? (displayName ?? name) : shownPath(path, cwd)
  }
}

/** Absolute, of the file or folder that the call is about. */
export const locationsOf = ({ args, name }: ViewedCall, cwd: string): Array<ToolCallLocation> => {
  const path = kindOf(name) === "other" ? undefined : pathIn(args)
  return path === undefined ? [] : [{ path: resolve(cwd, path) }]
}

const pathIn = (args: ViewedCall["args"]): string | undefined =>
  text(args.file_path) ?? text(args.absolute_path) ?? text(args.dir_path) ?? text(args.path)

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const shownPath = (path: string, cwd: string): string => {
  const shown = relative(cwd, resolve(cwd, path))
  if (shown === "") return "."
  return shown.startsWith("..") || isAbsolute(shown) ? path : shown
}

export const diffContent = ({ filePath, isNewFile, newContent, originalContent }: FileDiff): ToolCallContent => ({
  type: "diff",
  path: filePath,
  oldText: originalContent,
  newText: newContent,
  _meta: { kind: isNewFile ? "add" : "modify" }
})

/** Characters of output that an editor is shown of one call. */
const MAX_SHOWN = 100_000

/** The end of a long output says more than its beginning. */
export const textContent = (shown: string): Array<ToolCallContent> =>
  shown === ""
    ? []
    : [
        {
          type: "content",
          content: {
            type: "text",
            text:
              shown.length <= MAX_SHOWN
                ? shown
                : `[${shown.length - MAX_SHOWN} characters cut]\n${shown.slice(-MAX_SHOWN)}`
          }
        }
      ]
