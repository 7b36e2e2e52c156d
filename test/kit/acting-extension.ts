// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of extensions are written so.
/**
 * An extension each part of which does something that can be seen from outside, a run of the binary in which the scripted
 * model asks for all of it, and what was seen. One value for a run with it, another for a run without.
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { RunOptions, Workspace } from "./run-gemini.ts"
import { callTools, inTurns, tool } from "./tool-run.ts"

/** An MCP server that tells which values of settings have reached it. */
const SERVER = `
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$1" "$2"; }
while read -r message; do
  id=$(printf '%s' "$message" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
  case "$message" in
  *'"initialize"'*) reply "$id" '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
  *'"tools/list"'*) reply "$id" '{"tools":[{"name":"note","description":"Keeps a note.","inputSchema":{"type":"object"}}]}' ;;
  *'"tools/call"'*) reply "$id" "{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"kept $PLACE, $FULL_PLACE, opened by $TOKEN\\"}]}" ;;
  esac
done
`

export const actingExtension = (version: string): Readonly<Record<string, string>> => ({
  "gemini-extension.json": JSON.stringify({
    name: "full",
    version,
    mcpServers: {
      notes: {
        command: "sh",
        args: ["${extensionPath}${/}server.sh"],
        env: { TOKEN: "$FULL_TOKEN", PLACE: "${FULL_PLACE}" }
      }
    },
    contextFileName: ["${extensionPath}/FULL.md", "docs${/}more.md", "not-there.md"],
    excludeTools: ["google_web_search"],
    settings: [
      { name: "Place", description: "Where notes are.", envVar: "FULL_PLACE" },
      { name: "Token", description: "Opens the door.", envVar: "FULL_TOKEN", sensitive: true }
    ],
    themes: [{ name: "dusk", type: "custom", text: { primary: "#ffffff" } }],
    plan: { directory: "plans" },
    migratedTo: "nowhere"
  }),
  // Two files that import each other: each is read once.
  "FULL.md": `Context of version ${version}.\n@./docs/imported.md\n`,
  "docs/imported.md": "Imported context.\n@../FULL.md\n",
  "docs/more.md": "More context.\n",
  "commands/notes/add.toml": `description = "Adds a note"\nprompt = "Note for ${version}: {{args}}"\n`,
  "hooks/hooks.json": JSON.stringify({
    hooks: {
      SessionStart: [{ hooks: [{ name: "begin", type: "command", command: "sh ${extensionPath}/hooks/begin.sh" }] }],
      BeforeTool: [
        {
          matcher: "mcp_notes_.*",
          hooks: [{ name: "log", type: "command", command: "sh ${extensionPath}/hooks/log.sh" }]
        }
      ]
    }
  }),
  "hooks/begin.sh": `cat >/dev/null\necho '{"hookSpecificOutput":{"additionalContext":"Begun by ${version}."}}'\n`,
  "hooks/log.sh": 'cat >/dev/null\necho "$FULL_PLACE $FULL_TOKEN" >> "$GEMINI_PROJECT_DIR/hook.log"\n',
  "skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies notes.\n---\nTidy with ${extensionPath}/server.sh.\n",
  "agents/reader.md": `---\nname: reader\ndescription: Reads notes.\n---\nYou read notes of ${version}.\n`,
  "policies/care.toml": [
    '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "deny"\npriority = 100\n',
    '[[rule]]\ntoolName = "write_file"\ndecision = "allow"\npriority = 100\n'
  ].join("\n"),
  "server.sh": SERVER
})

export const VALUES = { place: "here", token: "a-secret-token" }

/** Everything of the extension that a run shows. */
export const withAll = (version: string, path: string) => ({
  command: `Note for ${version}: milk`,
  contexts: [`Context of version ${version}.`, "Imported context.", "More context."],
  begun: `Begun by ${version}.`,
  isSearchOffered: false,
  tool: "kept here, here, opened by [REDACTED:FULL_TOKEN]",
  skill: `Tidy with ${path}/server.sh.`,
  agent: `You read notes of ${version}.`,
  mayTouch: false,
  hooked: `${VALUES.place} ${VALUES.token}\n`,
  hasPlan: true
})

export const withNothing: ReturnType<typeof seenNothing> = seenNothing()

function seenNothing() {
  return {
    command: undefined,
    contexts: [],
    begun: undefined,
    isSearchOffered: true,
    tool: undefined,
    skill: undefined,
    agent: undefined,
    mayTouch: true,
    hooked: undefined,
    hasPlan: false
  }
}

/** The model asks for all that the extension brings; what came of it, in the working folder of the run. */
export const actedIn = async (place: Workspace, prompt: string, options: RunOptions = {}) => {
  const cwd = options.cwd ?? place.cwd
  const asked = [
    tool("mcp_notes_note", { text: "milk" }),
    tool("activate_skill", { name: "full:tidy" }),
    tool("run_shell_command", { command: "touch touched.txt" }),
    tool("google_web_search", { query: "notes" }),
    tool("invoke_agent", { agent_name: "reader", prompt: "read" }),
    // Of the agent, where there is one.
    tool("complete_task", { result: "read" }),
    tool("enter_plan_mode"),
    tool("write_file", { file_path: "p.md", content: "# Plan\n" })
  ]
  const run = await callTools(place, inTurns(...asked), { ...options, args: ["-p", prompt, "-y"] })
  const told = JSON.stringify(run.bodies)
  const first = JSON.stringify(run.bodies[0])
  const found = (pattern: RegExp, text = first) => pattern.exec(text)?.[0]
  const seen = {
    command: found(/Note for [\d.]+: milk/),
    contexts: [...first.matchAll(/Context of version [\d.]+\.(?=\\n)|(?:Imported|More) context\./g)].map(
      ([words]) => words
    ),
    begun: found(/Begun by [\d.]+\.\d+\./),
    isSearchOffered: run.offered.includes("google_web_search"),
    tool: found(/kept [^"]*opened by [^"\\]*/, told),
    skill: found(/Tidy with [^"\\]*/, told),
    agent: found(/You read notes of \d+\.\d+\.\d+\./, told),
    mayTouch: existsSync(join(cwd, "touched.txt")),
    hooked: existsSync(join(cwd, "hook.log")) ? readFileSync(join(cwd, "hook.log"), "utf8") : undefined,
    hasPlan: existsSync(join(cwd, "plans/p.md"))
  }
  for (const made of ["touched.txt", "hook.log", "plans"]) rmSync(join(cwd, made), { recursive: true, force: true })
  return { seen, run, told }
}
