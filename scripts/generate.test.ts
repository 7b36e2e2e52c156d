import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { completions } from "../src/cli/generated/completions.ts"
import { rootHelp, subcommandHelp } from "../src/cli/generated/help.ts"
import { rootOptions } from "../src/cli/option-table.ts"
import { visibleSubcommands } from "./generate/subcommand-pages.ts"
import { visibleOptions } from "./generate/visible.ts"
import { generatedFiles } from "./generate.ts"

const root = resolve(import.meta.dir, "..")

test.each([...generatedFiles()])("%s is up to date (else: bun scripts/generate.ts)", (path, content) => {
  expect(readFileSync(resolve(root, path), "utf8")).toBe(content)
})

describe("help", () => {
  const pages = { gemini: rootHelp, ...subcommandHelp }
  test.each(Object.entries(pages))("the page of %s fits 80 columns and has no control characters", (_, page) => {
    expect(page.split("\n").filter((line) => line.length > 80)).toEqual([])
    expect(page.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
  })

  test("names every option that works, and no other", () => {
    const named = new Set([...rootHelp.matchAll(/^ {2}(?:-\w, | {4})--([a-z-]+)/gm)].map(([, long]) => long))
    expect([...named].toSorted()).toEqual(visibleOptions.map((row) => row.long).toSorted())
    expect(named.size).toBeLessThan(rootOptions.length)
  })

  test("each sub-command that works has a page with its verbs", () => {
    for (const row of visibleSubcommands) {
      for (const verb of row.verbs) expect(subcommandHelp[row.name]).toContain(`\n  ${verb.name}`)
    }
  })
})

/** What bash would offer for these words; the last one is being typed. */
const offered = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = ["gemini", ...words].map((word) => `'${word}'`).join(" ")
  const script = `${completions.bash}
gemini() { printf '%s\\tone of them\\n' $GEMINI_COMPLETION_WORDS other; }
COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _gemini; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = Bun.spawnSync(["bash", "-c", script], { cwd: root })
  expect(stderr.toString()).toBe("")
  return stdout.toString().split("\n").filter(Boolean).toSorted()
}

describe("bash completion", () => {
  test.each<[ReadonlyArray<string>, ReadonlyArray<string>]>([
    [["--out"], ["--output-format", "--output-schema"]],
    [
      ["-o", ""],
      ["json", "stream-json", "text"]
    ],
    [["-p", "x", "--output-format", "=", "j"], ["json"]],
    [["--policy", "bunfig"], ["bunfig.toml"]],
    [
      ["-m", ""],
      ["models", "other"]
    ],
    [["--model", "=", "mo"], ["models"]],
    [["--allowed-mcp-server-names", "docs,s"], ["docs,servers"]],
    [["config", "explain", "set"], ["settings"]],
    [
      ["config", "set", "ui.wrap", ""],
      ["other", "ui.wrap", "values"]
    ],
    [["mcp", "test", "s"], ["servers"]],
    [["mcp", "add", ""], []],
    [["policy", "test", "--mode", "=", "p"], ["plan"]],
    [["undo", "s"], ["sessions"]],
    [
      ["help", "to"],
      ["tools", "topics"]
    ],
    [["comp"], ["completion"]],
    [
      ["completion", ""],
      ["bash", "fish", "zsh"]
    ],
    [["completion", "bash", ""], []],
    [["completion", "--h"], ["--help"]]
  ])("%j", (words, expected) => expect(offered(...words)).toEqual([...expected]))
})

test.each(["zsh", "fish"])("the %s script is well formed where that shell is installed", (shell) => {
  const program = Bun.which(shell)
  expect(completions[shell]).toContain("gemini")
  if (program === null) return
  const { exitCode, stderr } = Bun.spawnSync([program, "-n", "/dev/stdin"], {
    stdin: Buffer.from(completions[shell] ?? "")
  })
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" })
})
