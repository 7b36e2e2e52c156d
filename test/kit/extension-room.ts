// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of extensions are written so.
/** An extension that uses every field of the manifest and every folder, and looks at what a home holds. */
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** An MCP server with one tool, whose description says which values of settings have reached it. */
const SERVER = `
read -r message
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}}'
read -r message
read -r message
printf '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"note","description":"Notes kept %s, and %s","inputSchema":{"type":"object"}}]}}\\n' "$PLACE" "$FULL_PLACE"
while read -r message; do :; done
`

export const fullExtension = (version: string): Readonly<Record<string, string>> => ({
  "gemini-extension.json": JSON.stringify(
    {
      name: "full",
      version,
      mcpServers: {
        notes: {
          command: "sh",
          args: ["${extensionPath}${/}server.sh"],
          env: { TOKEN: "$FULL_TOKEN", PLACE: "${FULL_PLACE}", UNKNOWN: "${NOT_SET_ANYWHERE}" },
          trust: true
        }
      },
      contextFileName: ["FULL.md", "docs/more.md"],
      excludeTools: ["google_web_search", "run_shell_command(rm -rf)"],
      settings: [
        { name: "Place", description: "Where notes are.", envVar: "FULL_PLACE" },
        { name: "Token", description: "Opens the door.", envVar: "FULL_TOKEN", sensitive: true }
      ],
      themes: [{ name: "dusk", type: "custom", text: { primary: "#ffffff" } }],
      plan: { directory: "plans" },
      migratedTo: "not-a-url"
    },
    null,
    2
  ),
  "FULL.md": `Context of version ${version}.\n`,
  "docs/more.md": "More context.\n",
  "commands/notes/add.toml": 'description = "Adds a note"\nprompt = "Add this note: {{args}}"\n',
  "hooks/hooks.json": JSON.stringify({
    hooks: { SessionStart: [{ hooks: [{ name: "begin", type: "command", command: "cat ${extensionPath}/FULL.md" }] }] }
  }),
  "skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies notes.\n---\nTidy them.\n",
  "agents/reader.md": "---\nname: reader\ndescription: Reads notes.\n---\nRead them.\n",
  "policies/care.toml":
    '[[rule]]\ntoolName = "write_file"\ndecision = "deny"\npriority = 100\n\n[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 100\n',
  "server.sh": SERVER
})

export const writeFiles = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** Every path below a folder with a hash of its content; folders and links by kind. */
export const contentsBelow = (folder: string, below = ""): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(join(folder, below))
      .sort()
      .flatMap((name) => {
        const path = join(below, name)
        const stat = lstatSync(join(folder, path))
        if (stat.isSymbolicLink()) return [[path, `link ${readlinkSync(join(folder, path))}`]]
        if (stat.isDirectory()) return [[path, "folder"], ...Object.entries(contentsBelow(folder, path))]
        return [
          [
            path,
            createHash("sha256")
              .update(readFileSync(join(folder, path)))
              .digest("hex")
          ]
        ]
      })
  )
