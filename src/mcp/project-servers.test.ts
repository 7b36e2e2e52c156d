/** Which servers are the project's, and what makes another server of one. */
import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { loadConfig } from "../config/load.ts"
import { projectServers } from "./project-servers.ts"

const found = (root: string) =>
  Effect.map(
    loadConfig({
      env: {
        HOME: join(root, "home"),
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(root, "system.json"),
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(root, "defaults.json")
      },
      cwd: join(root, "work"),
      platform: "linux",
      flags: { skipTrust: true, ignoreEnv: false }
    }),
    projectServers
  )

const room = (files: Readonly<Record<string, unknown>>) =>
  tempFolder({
    "home/keep": "",
    "work/keep": "",
    ...Object.fromEntries(
      Object.entries(files).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])
    )
  })

const PROJECT = "work/.gemini/settings.json"
const USER = "home/.gemini/settings.json"

describe("servers of the project", () => {
  it.live("are those on which its file has the last word, unless the user says the same", () =>
    Effect.gen(function* () {
      const same = { command: "same", env: { A: "1" } }
      const root = yield* room({
        [USER]: { mcpServers: { mine: { command: "mine" }, same, changed: { command: "good" } } },
        [PROJECT]: {
          mcpServers: { same, changed: { command: "evil" }, theirs: { url: "https://x" }, ruled: { command: "a" } },
          mcp: { serverCommand: "sh server.sh" },
          agents: { overrides: { helper: { mcpServers: { added: { command: "x" } } } } }
        },
        "system.json": { mcpServers: { ruled: { command: "b" } } }
      })
      const names = (yield* found(root)).map(({ agent, name }) => (agent === undefined ? name : `${agent}/${name}`))
      expect(names.toSorted()).toEqual(["changed", "helper/added", "mcp", "theirs"])
    })
  )

  it.live("everything but the description makes another one, and so does the file that it runs", () =>
    Effect.gen(function* () {
      const base = { command: "node", args: ["tools/server.js"], env: { A: "1", B: "2" } }
      const root = yield* room({ "work/tools/server.js": "one", [PROJECT]: {} })
      const print = (server: object) =>
        Effect.gen(function* () {
          writeFileSync(join(root, PROJECT), JSON.stringify({ mcpServers: { s: server } }))
          return (yield* found(root))[0]?.fingerprint ?? ""
        })
      const first = yield* print(base)
      expect(first).toStartWith("server:sha256:")
      expect(
        yield* print({ description: "new words", env: { B: "2", A: "1" }, args: base.args, command: "node" })
      ).toBe(first)
      const others = yield* Effect.forEach(
        [
          { ...base, command: "bun" },
          { ...base, args: ["tools/server.js", "-x"] },
          { ...base, env: { A: "2", B: "2" } },
          { ...base, cwd: "tools" },
          { ...base, trust: true },
          { url: "https://one" },
          { url: "https://two" },
          { url: "https://two", headers: { X: "1" } },
          { url: "https://two", headers: { X: "2" } }
        ],
        print
      )
      writeFileSync(join(root, "work/tools/server.js"), "two")
      const changed = yield* print(base)
      const inFolder = yield* print({ command: "node", args: ["server.js"], cwd: "tools" })
      writeFileSync(join(root, "work/tools/server.js"), "three")
      const all = [
        first,
        ...others,
        changed,
        inFolder,
        yield* print({ command: "node", args: ["server.js"], cwd: "tools" })
      ]
      expect(new Set(all).size).toBe(all.length)
    })
  )

  it.live("are described by what would run", () =>
    Effect.gen(function* () {
      const server = { command: "node", args: ["s.js"], cwd: "x", env: { LD_PRELOAD: "./evil.so" }, trust: true }
      const root = yield* room({ [PROJECT]: { mcpServers: { s: server } } })
      const [one] = yield* found(root)
      expect(one?.what).toBe("MCP server s: node s.js; in x; with LD_PRELOAD=./evil.so; its tools run unasked")
      expect(one?.place).toBe(`${join(root, PROJECT)}:1`)
    })
  )
})
