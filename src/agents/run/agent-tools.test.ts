import { expect, test } from "bun:test"
import { echoTool } from "../../../test/kit/agent-room.ts"
import { chooseTools } from "./agent-tools.ts"

const offered = [
  ...["read_file", "glob", "invoke_agent", "update_topic"].map((name) => echoTool(name)),
  { ...echoTool("mcp_gh_issue"), server: "gh" },
  { ...echoTool("mcp_gh_pull"), server: "gh" },
  { ...echoTool("mcp_db_query"), server: "db" },
  { ...echoTool("search_file_content"), aliases: ["grep"] }
]

const chosen = (wanted: ReadonlyArray<string> | undefined) => {
  const { tools, warnings } = chooseTools(offered, wanted, { names: ["complete_task"], servers: ["own"] })
  return [tools.map(({ name }) => name), warnings]
}

const OTHER_NAMES = "its tools have other names here, and are read so:"

const ALL = ["read_file", "glob", "mcp_gh_issue", "mcp_gh_pull", "mcp_db_query", "search_file_content"]

test.each([
  [undefined, ALL, []],
  [["*"], ALL, []],
  [["glob", "read_file"], ["read_file", "glob"], []],
  [["grep"], ["search_file_content"], []],
  [["mcp_*"], ["mcp_gh_issue", "mcp_gh_pull", "mcp_db_query"], []],
  [["mcp_gh_*", "glob"], ["glob", "mcp_gh_issue", "mcp_gh_pull"], []],
  [["mcp_gh_issue"], ["mcp_gh_issue"], []],
  [["gh::issue"], ["mcp_gh_issue"], [`${OTHER_NAMES} "gh::issue" as "mcp_gh_issue"`]],
  [["db::*"], ["mcp_db_query"], [`${OTHER_NAMES} "db::*" as "mcp_db_*"`]],
  [["gh__issue"], ["mcp_gh_issue"], [`${OTHER_NAMES} "gh__issue" as "mcp_gh_issue"`]],
  [["Read", "Glob"], ["read_file", "glob"], [`${OTHER_NAMES} "Read" as "read_file", "Glob" as "glob"`]],
  [["invoke_agent"], [], ["its tools name invoke_agent, which no agent gets"]],
  [["read_fil"], [], ["its tools name read_fil, and there is no such tool: did you mean read_file?"]],
  [["mcp_none_*"], [], ["its tools name mcp_none_*, and there is no such tool"]],
  [["complete_task", "mcp_own_x", "mcp_own_*"], [], []],
  [[], [], []]
] as const)("%j", (wanted, names, warnings) => expect<unknown>(chosen(wanted)).toEqual([names, warnings]))
