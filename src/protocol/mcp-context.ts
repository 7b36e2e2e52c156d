/** Where a tool of an MCP server comes from, as hooks are told: without variables, headers or credentials. */
export interface McpContext {
  readonly server_name: string
  /** As the server calls it. */
  readonly tool_name: string
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly cwd?: string
  readonly url?: string
  readonly tcp?: string
}
