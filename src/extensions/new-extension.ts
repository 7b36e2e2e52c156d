// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts that are written.
/**
 * `gemini extensions new`: a folder with a manifest and, for each template, one small working example. The folder must not
 * exist.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { ExtensionError, onDisk } from "./extension-error.ts"
import { EXTENSION_NAME } from "./manifest.ts"

/** Names of the files that were written. */
export const createExtension = Effect.fn("Extensions.create")(function* (
  folder: string,
  template: TemplateName | undefined
) {
  const name = basename(folder)
  if (existsSync(folder)) {
    return yield* new ExtensionError({
      kind: "exists",
      detail: `${folder} is there already.`,
      advice: "Name a new one."
    })
  }
  if (!EXTENSION_NAME.test(name)) {
    return yield* new ExtensionError({
      kind: "invalid",
      detail: `"${name}" cannot be the name of an extension.`,
      advice: "Use letters, digits and -."
    })
  }
  const files = templateFiles(name, template)
  yield* onDisk(folder, () => {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), content)
    }
  })
  return Object.keys(files)
})

type Template = Readonly<Record<string, string>>

export const TEMPLATE_NAMES = [
  "custom-commands",
  "exclude-tools",
  "hooks",
  "mcp-server",
  "policies",
  "skills",
  "themes-example"
] as const
type TemplateName = (typeof TEMPLATE_NAMES)[number]

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const manifest = (name: string, rest: Readonly<Record<string, unknown>> = {}): Template => ({
  "gemini-extension.json": json({ name, version: "1.0.0", ...rest })
})

/** Files by path. */
const templateFiles = (name: string, template: TemplateName | undefined): Template =>
  template === undefined ? manifest(name) : TEMPLATES[template](name)

const TEMPLATES: Readonly<Record<TemplateName, (name: string) => Template>> = {
  "custom-commands": (name) => ({
    ...manifest(name),
    "commands/changes/explain.toml": [
      'description = "Explain what has changed since the last commit"',
      'prompt = """',
      "Explain these changes to somebody who knows the project but has not seen them. {{args}}",
      "",
      "!{git diff HEAD}",
      '"""',
      ""
    ].join("\n")
  }),
  "exclude-tools": (name) => manifest(name, { excludeTools: ["run_shell_command(rm -rf)"] }),
  hooks: (name) => ({
    ...manifest(name),
    "hooks/hooks.json": json({
      hooks: {
        SessionStart: [
          {
            hooks: [{ name: "note-start", type: "command", command: 'sh "${extensionPath}${/}hooks${/}note-start.sh"' }]
          }
        ]
      }
    }),
    "hooks/note-start.sh": [
      "# Reads what happens as JSON on standard input, and answers with JSON on standard output.",
      "cat > /dev/null",
      `printf '%s' '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Hooks of ${name} are on."}}'`,
      ""
    ].join("\n")
  }),
  "mcp-server": (name) => ({
    ...manifest(name, {
      mcpServers: { [name]: { command: "node", args: ["${extensionPath}${/}server.mjs"], cwd: "${extensionPath}" } }
    }),
    "package.json": json({
      name,
      version: "1.0.0",
      private: true,
      type: "module",
      dependencies: { "@modelcontextprotocol/sdk": "^1.0.0", zod: "^3.0.0" }
    }),
    "server.mjs": [
      'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"',
      'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"',
      'import { z } from "zod"',
      "",
      `const server = new McpServer({ name: "${name}", version: "1.0.0" })`,
      "",
      'server.registerTool("greet", { description: "Greets somebody.", inputSchema: { who: z.string() } }, ({ who }) => ({',
      '  content: [{ type: "text", text: `Hello, ${who}.` }]',
      "}))",
      "",
      "await server.connect(new StdioServerTransport())",
      ""
    ].join("\n"),
    "README.md": `# ${name}\n\nRun \`npm install\` in this folder, then \`gemini extensions link .\`.\n`
  }),
  policies: (name) => ({
    ...manifest(name),
    "policies/careful.toml": [
      "# An extension may deny or ask; rules that allow are left out.",
      "[[rule]]",
      'toolName = "run_shell_command"',
      'commandPrefix = "git push"',
      'decision = "ask_user"',
      "priority = 100",
      ""
    ].join("\n")
  }),
  skills: (name) => ({
    ...manifest(name),
    "skills/release-notes/SKILL.md": [
      "---",
      "name: release-notes",
      "description: Writes release notes from the commits since the last tag. Use it when a release is prepared.",
      "---",
      "",
      "1. Find the last tag with `git describe --tags --abbrev=0`.",
      "2. Read the commits since then with `git log --oneline TAG..HEAD`.",
      "3. Group them into features, fixes and the rest, and write one plain sentence for each.",
      ""
    ].join("\n")
  }),
  "themes-example": (name) =>
    manifest(name, {
      themes: [
        {
          name: "dusk",
          type: "custom",
          background: { primary: "#1b1e28" },
          text: { primary: "#d7dae0", secondary: "#8a91a3", link: "#7aa2f7", accent: "#bb9af7" },
          status: { success: "#9ece6a", warning: "#e0af68", error: "#f7768e" }
        }
      ]
    })
}
