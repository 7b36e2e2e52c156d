import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import type { RegisteredAgent } from "./agent.ts"
import { type AgentsOptions, make } from "./agents.ts"

const definition = (name: string, body = "Body") => `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`
const remote = (name: string, more = "") =>
  `---\nkind: remote\nname: ${name}\nagent_card_url: https://${name}.example/card\n${more}---\n`

const variable = (name: string): string => `\${${name}}`

interface Files {
  readonly project?: Readonly<Record<string, string>>
  readonly user?: Readonly<Record<string, string>>
  readonly extension?: Readonly<Record<string, string>>
}

const room = Effect.fnUntraced(function* (files: Files, changed: Partial<AgentsOptions> = {}) {
  const root = yield* tempFolder(
    Object.fromEntries(
      Object.entries(files).flatMap(([scope, contents]) =>
        Object.entries(contents as Readonly<Record<string, string>>).map(([name, text]) => [`${scope}/${name}`, text])
      )
    )
  )
  const warnings: Array<string> = []
  const introduced: Array<string> = []
  const agents = yield* make({
    folders: [
      { folder: join(root, "project"), origin: "project" },
      { folder: join(root, "user"), origin: "user" },
      {
        folder: join(root, "extension"),
        origin: "extension",
        extension: "ext",
        fillIn: (text) => text.replaceAll(variable("extensionPath"), "/ext")
      }
    ],
    overrides: {},
    acknowledgements: { file: join(root, "acknowledgments", "agents.json"), project: root },
    acceptsProject: false,
    isAsked: false,
    introduce: ({ agent }: RegisteredAgent) => {
      introduced.push(agent.name)
      return agent.name === "down"
        ? Effect.fail({ message: "nobody answers" })
        : Effect.succeed({ description: "Says the card.", warnings: [] })
    },
    warn: (text) => Effect.sync(() => void warnings.push(text.replaceAll(root, "<root>"))),
    ...changed
  })
  const write = (path: string, text: string) => writeFileSync(join(root, path), text)
  return { agents, warnings, introduced, write, root }
})

const BUILT_IN = ["codebase_investigator", "cli_help", "generalist"]

describe("agents of a session", () => {
  it.live("without definitions are the built-in ones", () =>
    Effect.gen(function* () {
      const { agents } = yield* room({})
      expect(yield* agents.names).toEqual(BUILT_IN)
      expect(yield* agents.pending).toEqual([])
      expect(Option.map(yield* agents.find("generalist"), ({ agent }) => agent.kind)).toEqual(Option.some("local"))
      expect(yield* agents.find("nobody")).toEqual(Option.none())
    })
  )

  it.live("come from the user and from extensions, whose variables are filled in", () =>
    Effect.gen(function* () {
      const { agents, warnings } = yield* room({
        user: {
          "a.md": definition("a"),
          "_off.md": definition("off"),
          "notes.txt": "x",
          "generalist.md": definition("generalist")
        },
        extension: { "b.md": definition("b", `In ${variable("extensionPath")} and ${variable("unknown")}`) }
      })
      expect(yield* agents.names).toEqual([...BUILT_IN, "a", "b"])
      expect(Option.getOrUndefined(yield* agents.find("b"))?.agent).toMatchObject({
        instruction: { text: `In /ext and ${variable("unknown")}` }
      })
      expect(warnings).toEqual([
        "agent generalist of <root>/user/generalist.md is not used: the program itself has one of that name"
      ])
    })
  )

  it.live("a broken file costs only its own agent, and is told with its place", () =>
    Effect.gen(function* () {
      const { agents, warnings } = yield* room({
        user: { "a.md": definition("a"), "bad.md": "---\nname: bad\n---\nx" }
      })
      expect(yield* agents.names).toEqual([...BUILT_IN, "a"])
      expect(warnings).toEqual(["<root>/user/bad.md:2: description: it is missing"])
    })
  )

  it.live("those that are switched off are found, but not offered", () =>
    Effect.gen(function* () {
      const { agents } = yield* room({}, { overrides: { cli_help: { enabled: false } } })
      expect(yield* agents.names).toEqual(["codebase_investigator", "generalist"])
      expect((yield* agents.found).agents).toHaveLength(3)
    })
  )

  it.live("those of a project wait for agreement, and again when they change", () =>
    Effect.gen(function* () {
      const { agents, root, warnings, write } = yield* room({ project: { "p.md": definition("p") } })
      expect(yield* agents.names).toEqual(BUILT_IN)
      expect(warnings[0]).toContain("agents of this project are not used, because they are new or have changed: p")
      yield* agents.agreeTo(yield* agents.pending)
      expect(yield* agents.names).toEqual([...BUILT_IN, "p"])
      const store = yield* Effect.promise(() => Bun.file(join(root, "acknowledgments", "agents.json")).json())
      expect(store).toEqual({ [root]: { p: expect.stringMatching(/^[0-9a-f]{64}$/) } })
      write("project/p.md", definition("p", "Other words"))
      const { pending } = yield* agents.reload
      expect(pending.map(({ agent }) => agent.name)).toEqual(["p"])
      expect(yield* agents.names).toEqual(BUILT_IN)
    })
  )

  it.live("remote ones are offered with what their cards say; one that cannot be reached is told and left out", () =>
    Effect.gen(function* () {
      const { agents, introduced, warnings } = yield* room({
        user: { "up.md": remote("up"), "down.md": remote("down") }
      })
      expect((yield* agents.entries).slice(3)).toEqual([{ name: "up", description: "Says the card." }])
      yield* agents.entries
      expect(introduced.toSorted()).toEqual(["down", "up"])
      expect(warnings).toEqual(["agent down is not offered: nobody answers"])
    })
  )

  it.live("the agreement to a remote agent is to its address", () =>
    Effect.gen(function* () {
      const { agents, root } = yield* room({ project: { "r.md": remote("r") } })
      yield* agents.agreeTo(yield* agents.pending)
      const store = yield* Effect.promise(() => Bun.file(join(root, "acknowledgments", "agents.json")).json())
      expect(store).toEqual({ [root]: { r: "https://r.example/card" } })
    })
  )

  it.live("and to how one signs in there", () =>
    Effect.gen(function* () {
      const key = (written: string) => remote("r", `auth: { type: apiKey, key: "${written}" }\n`)
      const { agents, write } = yield* room({ project: { "r.md": key("$KEY") } })
      yield* agents.agreeTo(yield* agents.pending)
      expect(yield* agents.pending).toEqual([])
      write("project/r.md", key("!sh ./mine"))
      expect((yield* agents.reload).pending.map(({ agent }) => agent.name)).toEqual(["r"])
      expect(yield* agents.names).toEqual(BUILT_IN)
    })
  )

  it.live("servers are trusted on the word of a person, not on that of an extension", () =>
    Effect.gen(function* () {
      const served = (name: string) =>
        `---\nname: ${name}\ndescription: d\nmcp_servers: { s: { command: x, trust: true } }\n---\nBody\n`
      const { agents } = yield* room({ user: { "u.md": served("u") }, extension: { "e.md": served("e") } })
      const servers = Effect.map(agents.found, (found) =>
        Object.fromEntries(
          found.agents.flatMap(({ agent, origin }) => (agent.kind === "local" ? [[origin, agent.mcpServers]] : []))
        )
      )
      expect(yield* servers).toMatchObject({ user: { s: { trust: true } }, extension: { s: { command: "x" } } })
      expect((yield* servers).extension?.s?.trust).toBeUndefined()
    })
  )
})
