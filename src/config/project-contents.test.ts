import { expect } from "bun:test"
import { join } from "node:path"
import { Effect, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { loadConfig } from "./load.ts"
import { projectContents, untrustedNotices } from "./project-contents.ts"

const NO_FLAGS = { skipTrust: false, ignoreEnv: false }

it.effect("an empty folder contributes nothing", () =>
  Effect.gen(function* () {
    expect(yield* projectContents(yield* tempFolder(), ["GEMINI.md"])).toEqual([])
  })
)

it.effect("everything that trust would enable is named", () =>
  Effect.gen(function* () {
    const settings = {
      model: { name: "x" },
      mcpServers: { docs: { command: "docs-server", args: ["--port", "1"] }, web: { httpUrl: "https://example.com" } },
      hooks: { BeforeTool: [{ hooks: [{ type: "command", command: "./check.sh" }] }] }
    }
    const folder = yield* tempFolder({
      ".gemini/settings.json": JSON.stringify(settings),
      ".gemini/hooks.toml": "",
      ".gemini/commands/git/fix.toml": "",
      ".gemini/commands/readme.md": "",
      ".gemini/skills/review/SKILL.md": "",
      ".gemini/skills/nothing/README.md": "",
      ".gemini/agents/helper.md": "",
      ".gemini/policies/own.toml": "",
      ".env": "A=1",
      "GEMINI.md": "hello"
    })
    const found = yield* projectContents(folder, ["GEMINI.md", "AGENTS.md"])
    expect(found.map(({ kind, names }) => [kind, ...names])).toEqual([
      ["hooks", "BeforeTool: ./check.sh", "hooks.toml"],
      ["MCP servers", "docs: docs-server --port 1", "web: https://example.com"],
      ["settings", "model.name"],
      ["commands", join("git", "fix.toml")],
      ["skills", "review"],
      ["agents", "helper.md"],
      ["policies", "own.toml"],
      ["environment files", ".env"],
      ["context files", "GEMINI.md"]
    ])
  })
)

it.effect("a long list is cut, and its length is told", () =>
  Effect.gen(function* () {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`.gemini/commands/c${index}.toml`, ""]))
    const [commands] = yield* projectContents(yield* tempFolder(files), [])
    expect(commands?.count).toBe(20)
    expect(commands?.names).toHaveLength(8)
  })
)

it.effect("a broken settings file does not hide the rest", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder({ ".gemini/settings.json": "{ not json", "GEMINI.md": "" })
    expect((yield* projectContents(folder, ["GEMINI.md"])).map(({ kind }) => kind)).toEqual(["context files"])
  })
)

it.effect("what an untrusted folder brings is told once a day, and only where there is something", () =>
  Effect.gen(function* () {
    const home = yield* tempFolder()
    const notices = Effect.fnUntraced(function* (cwd: string, isKept = true) {
      const config = yield* loadConfig({ cwd, env: { HOME: home }, platform: "linux", flags: NO_FLAGS })
      return yield* untrustedNotices(config, { isKept })
    })
    const folder = yield* tempFolder({ "GEMINI.md": "x", ".env": "A=1" })
    yield* TestClock.setTime(Date.now() + 60_000)
    expect(yield* notices(yield* tempFolder())).toEqual([])
    expect(yield* notices(folder, false)).toHaveLength(1)
    expect(yield* notices(folder)).toEqual([
      expect.stringContaining("environment files (.env); context files (GEMINI.md)")
    ])
    expect(yield* notices(folder)).toEqual([])
    yield* TestClock.adjust("1 day")
    expect(yield* notices(folder)).toHaveLength(1)
  })
)
