/** Completions in a real bash: what a project names is offered, and nothing of it acts. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { BINARY, newWorkspace } from "./kit/run-gemini.ts"

test("names of servers are offered, and a name that is a command is neither offered nor run", async () => {
  await using place = await newWorkspace()
  const mark = `${place.root}/ran`
  const names = [`$(touch\${IFS}${mark})`, `\`touch\${IFS}${mark}\``, `x;touch ${mark}`, "docs"]
  const mcpServers = Object.fromEntries(names.map((name) => [name, { command: "true" }]))
  await place.write("work/.gemini/settings.json", JSON.stringify({ mcpServers }))
  const script = `
    mkdir -p "$HOME/bin" && ln -s ${BINARY} "$HOME/bin/gemini" && PATH="$HOME/bin:$PATH"
    source <(gemini completion bash)
    COMP_WORDS=(gemini mcp remove ""); COMP_CWORD=3; COMP_LINE="gemini mcp remove "; COMP_POINT=18
    complete -p gemini | sed 's/.*-F \\([^ ]*\\).*/\\1/' > "$HOME/name"
    "$(cat "$HOME/name")" gemini "" remove
    printf 'offered: %s\\n' "\${COMPREPLY[*]}"`
  const { stdout } = await place.shell(`bash -c '${script.replaceAll("'", `'\\''`)}'`)
  expect(stdout).toContain("offered: ")
  expect(stdout).toContain("docs")
  expect(stdout).not.toContain("touch")
  expect(existsSync(mark)).toBe(false)
})
