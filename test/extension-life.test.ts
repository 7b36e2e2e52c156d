/**
 * The life of an extension in the compiled program. Everything that it brings acts in a run, the new version takes the
 * place of the old one, nothing acts where it is off, and in the end the home is as it was.
 */
import { expect, test } from "bun:test"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { actedIn, actingExtension, VALUES, withAll, withNothing } from "./kit/acting-extension.ts"
import { collectedInFile, logsNamed } from "./kit/collected.ts"
import { contentsBelow, writeFiles } from "./kit/extension-room.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools } from "./kit/tool-run.ts"

/** The key store of the machine that runs the tests is left alone. */
const env = { GEMINI_FORCE_FILE_STORAGE: "true" }

/** What runs write about themselves is none of the extension's. */
const homeOf = (place: Workspace) =>
  Object.fromEntries(
    Object.entries(contentsBelow(place.home)).filter(([path]) => !/^\.gemini\/(?:tmp|history)(?:\/|$)/.test(path))
  )

test("every part acts, the new version too, nothing where it is off, and nothing is left", async () => {
  await using place = await newWorkspace()
  const source = join(place.root, "source")
  const elsewhere = join(place.root, "elsewhere")
  mkdirSync(elsewhere)
  await place.write("home/.gemini/settings.json", '{\n  // mine\n  "ui": { "theme": "dusk" }\n}\n')
  const outfile = join(place.root, "telemetry.log")
  const telling = { ...env, GEMINI_TELEMETRY_ENABLED: "true", GEMINI_TELEMETRY_OUTFILE: outfile }
  expect((await actedIn(place, "go", { env: telling })).seen).toEqual(withNothing)
  const contextOf = async (cwd: string) => JSON.stringify((await callTools(place, [], { env, cwd })).bodies)
  expect(await contextOf(elsewhere)).not.toContain("Context of version")
  rmSync(outfile)
  const before = homeOf(place)
  const manage = (...args: ReadonlyArray<string>) => place.run(["extensions", ...args], { env })

  writeFiles(source, actingExtension("1.0.0"))
  const install = await place.run(["extensions", "install", "../source"], {
    env,
    stdin: { pipe: `y\n${VALUES.place}\n${VALUES.token}\n` }
  })
  expect(install).toMatchObject({ exitCode: 0, stdout: 'Extension "full" installed successfully and enabled.\n' })
  const path = join(place.home, ".gemini/extensions/full")
  const first = await actedIn(place, "/notes:add milk", { env: telling })
  expect(first.seen).toEqual(withAll("1.0.0", path))
  expect(first.run.result.stderr).not.toContain("dusk")
  expect(first.told + first.run.result.stdout + first.run.result.stderr).not.toContain(VALUES.token)
  await expectTelling(place, outfile)

  writeFiles(source, actingExtension("2.0.0"))
  expect((await manage("update", "full")).stdout).toBe('Extension "full" successfully updated: 1.0.0 → 2.0.0.\n')
  expect((await actedIn(place, "/notes:add milk", { env })).seen).toEqual(withAll("2.0.0", path))

  await manage("disable", "full", "--scope", "workspace")
  expect((await actedIn(place, "go", { env })).seen).toEqual(withNothing)
  const unknown = await place.run(["-p", "/notes:add milk"], { env: { ...env, GEMINI_API_KEY: "x" } })
  expect(unknown.stderr).toContain("There is no command /notes:add.")
  expect(await contextOf(elsewhere)).toContain("Context of version 2.0.0.")

  expect((await manage("uninstall", "full")).exitCode).toBe(0)
  expect(homeOf(place)).toEqual(before)
})

/** Records of what an extension did name it. */
const expectTelling = async (place: Workspace, outfile: string): Promise<void> => {
  const told = collectedInFile(await place.read(outfile))
  const { id } = JSON.parse((await place.run(["extensions", "list", "--json"], { env })).stdout)[0]
  const calls = logsNamed(told, "gemini_cli.tool_call")
  expect(calls.find(({ function_name }) => function_name === "mcp_notes_note")).toMatchObject({
    mcp_server_name: "notes",
    extension_name: "full",
    extension_id: id
  })
  expect(calls.find(({ function_name }) => function_name === "run_shell_command")).not.toHaveProperty("extension_id")
  expect(logsNamed(told, "gemini_cli.slash_command")).toMatchObject([{ command: "notes:add", extension_id: id }])
  expect(logsNamed(told, "gemini_cli.config")).toMatchObject([
    { extensions: "full", extension_ids: id, mcp_servers: "notes" }
  ])
}
