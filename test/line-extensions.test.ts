/** Extensions, skills and memory in a conversation: every verb of their commands, as a person types it. */
import { expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { actingExtension, VALUES } from "./kit/acting-extension.ts"
import { contentsBelow, writeFiles } from "./kit/extension-room.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal, type TerminalSession } from "./kit/terminal.ts"

const env = { GEMINI_FORCE_FILE_STORAGE: "true" }

/** Types lines one after the other, each when the words that the one before leads to are on the screen. */
const typing =
  (session: TerminalSession) =>
  async (...steps: ReadonlyArray<readonly [typed: string, words: string]>): Promise<void> => {
    for (const [typed, words] of steps) {
      const seen = session.showsNext(words)
      session.type(typed)
      await seen
    }
  }

test("/extensions: installed, looked at, changed, turned off and on, and removed", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => say("done"))
  const [source, extensions] = [join(place.root, "source"), join(place.home, ".gemini/extensions")]
  writeFiles(source, actingExtension("1.0.0"))
  const list = [{ extensionName: "tea", extensionDescription: "Brews.", url: "https://example.com/tea" }]
  await place.write(
    "offers.json",
    JSON.stringify([...list, { name: "other", description: "Nothing leads.", url: "x" }])
  )
  const experimental = { extensionReloading: true, extensionRegistryURI: join(place.root, "offers.json") }
  await place.write("home/.gemini/settings.json", JSON.stringify({ experimental }))
  const session = startInTerminal(place, [], { env, server, columns: 100 })
  const type = typing(session)
  await session.shows("  Type your message or @path/to/file")
  await type(
    ["/extensions\r", "No extensions installed."],
    ["/extensions explore\r", "Nothing leads"],
    ["/extensions explore tea\r", "gemini extensions install https://example.com/tea"],
    ["/extensions install ../nowhere\r", "There is no folder"],
    ["/extensions install ../source\r", "Do you want to continue?"],
    ["\u0003", "Cancelled."]
  )
  expect(existsSync(extensions)).toBe(false)
  await type(
    ["/extensions install ../source\r", "Do you want to continue?"],
    ["y\r", "Where notes are."],
    [`${VALUES.place}\r`, "Opens the door."],
    [`${VALUES.token}\r`, 'Extension "full" installed successfully and enabled.'],
    ["/extensions list\r", "✓ full (1.0.0) - on"],
    ["/mcp\r", "notes (from full)"],
    ["/extensions list --json\r", '"migratedTo": "nowhere"']
  )
  const json = session.plain().replaceAll("\r", "").split("\n[\n").at(-1)?.split("\n]\n")[0]
  expect(JSON.parse(`[${json}]`)).toMatchObject([{ name: "full", resolvedSettings: [{ value: "here" }, {}] }])
  writeFiles(source, actingExtension("2.0.0"))
  await type(
    ["/extensions update\r", "Usage: /extensions update <names...>|--all"],
    ["/extensions update --all\r", 'Extension "full" successfully updated: 1.0.0 → 2.0.0.'],
    ["/extensions config full Place\r", "Overwrite it?"],
    ["y\r", "Value:"],
    ["there\r", "full: Place is set."],
    ["/memory show\r", "Context of version 2.0.0."],
    ["/extensions disable full --scope workspace\r", 'Extension "full" disabled for scope "workspace".'],
    ["/memory show\r", "No context files are in use."],
    ["/extensions enable full\r", 'Extension "full" enabled in all scopes.'],
    ["/extensions reload\r", "The extensions are read again."],
    ["/extensions\r", "✓ full (2.0.0) - on"],
    ["/notes:add milk\r", "done"],
    ["/extensions uninstall full\r", 'Extension "full" successfully uninstalled.'],
    ["/extensions link ../source --consent --skip-settings\r", "linked successfully"],
    ["/extensions delete full\r", 'Extension "full" successfully uninstalled.']
  )
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  expect(session.screen()).not.toContain(VALUES.token)
  expect(JSON.stringify(server.generations[0]?.body)).toContain("Note for 2.0.0: milk")
  expect(readdirSync(join(place.home, ".gemini")).toSorted()).toEqual(
    ["history", "projects.json", "settings.json", "tmp"].filter((name) => existsSync(join(place.home, ".gemini", name)))
  )
})

test("/skills and /memory: listed, linked, turned off and on, added and read again", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => say("done"))
  await place.write("home/.gemini/settings.json", '{\n  // mine\n  "experimental": { "autoMemory": true }\n}\n')
  await place.write("work/drafts/SKILL.md", "---\nname: notes\ndescription: Writes notes.\n---\nWrite.\n")
  await place.write("work/GEMINI.md", "A rule of the project.\n")
  const before = contentsBelow(place.home)
  const session = startInTerminal(place, [], { env, server, columns: 100 })
  const type = typing(session)
  await session.shows("[WARNING] experimental.autoMemory has no effect")
  await session.shows("  Type your message or @path/to/file")
  await type(
    ["/skills\r", "No skills are installed."],
    ["/skills link nowhere\r", "there is no folder"],
    ["/skills link drafts\r", "/home/.gemini/skills/notes."],
    ["/skills list\r", "notes [Enabled]"],
    ["/skills list all\r", "skill-creator [Enabled] [Built-in]"],
    ["/skills disable other\r", "There is no skill other. There are: notes, skill-creator."],
    ["/skills disable notes --scope user\r", "The skill notes is disabled."],
    ["/skills list nodesc\r", "notes [Disabled]"],
    ["/notes\r", "There is no command /notes."],
    ["/skills enable notes\r", "The skill notes is enabled."]
  )
  expect(await place.read("home/.gemini/settings.json")).toBe(
    '{\n  // mine\n  "experimental": { "autoMemory": true }\n}\n'
  )
  await place.write("work/drafts/SKILL.md", "---\nname: notes\ndescription: Writes better notes.\n---\nWrite.\n")
  await type(
    ["/skills reload\r", "Writes better notes."],
    ["/notes about tea\r", "done"],
    ["/memory show\r", "A rule of the project."],
    ["/memory add I like tea\r", 'Remembered: "I like tea"'],
    ["/memory list\r", "/home/.gemini/GEMINI.md"],
    ["/memory inbox\r", "Memories are not extracted from sessions"]
  )
  await place.write("work/GEMINI.md", "Another rule.\n")
  await type(["/memory refresh\r", "from 2 files"], ["/memory show\r", "Another rule."])
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  expect(await place.read("home/.gemini/GEMINI.md")).toBe("## Gemini Added Memories\n- I like tea\n")
  const asked = JSON.stringify(server.generations[0]?.body)
  expect(asked).toContain("<activated_skill")
  expect(asked).toContain("about tea")
  expect((await place.run(["skills", "uninstall", "notes", "--json"])).stdout).toContain('"removed"')
  const after = Object.entries(contentsBelow(place.home)).filter(([path]) => path in before)
  expect(Object.fromEntries(after)).toEqual(before)
})
