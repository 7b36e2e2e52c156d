/** The page about what goes wrong: its codes are the table that the program itself names them from. */
import { FAILURE_HELP } from "../../src/protocol/failure-help.ts"

export const troubleshootingPage = (): string => `# When something is wrong

Every error ends with a short code: \`error: ... [gemini help no-auth]\`. That command prints what stands [below](#by-code)
under it, from inside the program. In \`json\` and \`stream-json\` it is \`error.help\`. A code keeps its meaning: scripts may
branch on it where an exit code is too coarse.

\`gemini doctor\` looks at everything that a run depends on (this program and others of its name, limits, home, terminal, settings,
sign-in, proxy, certificates, telemetry, sandbox, MCP servers, extensions, hooks, sessions), says what is wrong and what to do,
and ends with exit code 1 where something would stop a run. It takes 15 seconds at most. Nothing is sent unless you add
\`--online\`, which also asks the service for the model, compares clocks, and connects to MCP servers of the network. \`--json\`
gives the same to a script, and neither shows a key.

\`\`\`sh
gemini doctor
gemini doctor --online --json
\`\`\`

\`--debug\` says on standard error what is done and why. \`GEMINI_DEBUG_LOG_FILE\` writes the same to a file. Neither shows
credentials. A report that helps has the command line, both outputs, the exit code and \`gemini --version --json\`.

## By what you see

| what you see | why, and what to do |
|---|---|
| \`The current working directory was deleted\` | The folder in which it was started is gone. It ends with 1 before it begins, so there is no \`json\` document either |
| \`waiting for standard input\` | Another program holds the pipe open. \`< /dev/null\` gives none, \`--stdin-timeout\` waits less |
| a tool is "not found" | It would have to ask, and nobody can be asked. \`gemini tools list\` shows what is hidden and why |
| \`Tool execution denied by policy\` | A rule. \`gemini policy test\` shows which one |
| an MCP server does not start | \`gemini mcp test NAME\` shows what it said |
| settings have no effect | \`gemini config explain KEY\` shows every source and which one won |

## By code

${Object.entries(FAILURE_HELP)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([code, { todo, why }]) => `### ${code}\n\n${[why, ...todo].join("\n\n")}\n`)
  .join("\n")}`
