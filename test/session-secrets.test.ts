/**
 * Secrets stay: credentials of every kind are put before the model's tools, into prompts and answers, and then searched
 * in every byte that the program wrote.
 */
import { describe, expect, test } from "bun:test"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const CANARIES = {
  GEMINI_API_KEY: "canary-gemini-key-0001",
  GITHUB_TOKEN: "canary-github-token-0002",
  DB_PASSWORD: 'canary "quoted"\\password-0003',
  DEPLOY_PRIVATE_KEY: "-----BEGIN PRIVATE KEY-----\ncanary-line-0004\n-----END PRIVATE KEY-----"
}
const DOTENV = "canary-dotenv-secret-0005"
const STORED = "canary-refresh-token-0006"
const ALL = [...Object.values(CANARIES), DOTENV, STORED]

/** Where the person put them; there they may stay. */
const OWN = ["work/.env", "work/notes.txt", "home/.gemini/oauth_creds.json"]

/** Relative to the root: everything under the home folder and in the project. */
const filesOf = async (place: Workspace) =>
  (await readdir(place.root, { recursive: true, withFileTypes: true }))
    .filter((found) => found.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.root.length + 1))

/** Files that hold a credential in any form: as it is, in JSON, or the part of it that is unlike anything else. */
const leaksIn = async (place: Workspace) => {
  const leaks: Array<string> = []
  for (const name of await filesOf(place)) {
    const content = await readFile(join(place.root, name))
    const found = [...ALL, ...ALL.map((value) => JSON.stringify(value).slice(1, -1)), "canary-line-0004"].filter(
      (value) => content.includes(value)
    )
    if (found.length > 0 && !OWN.includes(name)) leaks.push(`${name}: ${found[0]}`)
  }
  return leaks
}

const prepared = async () => {
  const place = await newWorkspace()
  await place.write("work/.env", `SERVICE_SECRET=${DOTENV}\n`)
  await place.write("work/notes.txt", `${ALL.join("\n")}\n`)
  await place.write("home/.gemini/settings.json", '{ "general": { "checkpointing": { "enabled": true } } }')
  await place.write("home/.gemini/oauth_creds.json", JSON.stringify({ refresh_token: STORED, scope: "x" }))
  return place
}

describe("no credential is written", () => {
  test("by a run whose prompt, tools and answers are full of them", async () => {
    await using place = await prepared()
    await using server = await startModelServer([
      ask(call("read_file", { file_path: "notes.txt" }), call("run_shell_command", { command: "cat notes.txt; env" })),
      ask(
        call("write_file", { file_path: "out.md", content: "nothing" }),
        call("run_shell_command", { command: "seq 1 30000; cat .env" })
      ),
      // Too much for memory: it goes to a file while it comes. And what goes on in the background has a log.
      ask(
        call("run_shell_command", { command: "cat notes.txt; seq 1 2600000; cat notes.txt" }),
        call("run_shell_command", { command: "cat notes.txt; exec sleep 30", is_background: true })
      ),
      say(`I found ${ALL.join(" and ")}`),
      say("again")
    ])
    const log = join(place.root, "debug.log")
    const env = { ...CANARIES, GEMINI_DEBUG_LOG_FILE: log }
    const first = await place.run(["--debug", "-y", "-p", `keep ${ALL.join(", ")} safe`], { server, env })
    expect(first.exitCode).toBe(0)
    await place.run(["-r", "-p", "and now?"], { server, env })
    expect((await place.run(["sessions", "export", "1", join(place.root, "export.md")], { env })).exitCode).toBe(0)
    expect((await place.run(["sessions", "export", "1", join(place.root, "export.json")], { env })).exitCode).toBe(0)
    expect(await leaksIn(place)).toEqual([])
    // One checkpoint before each of the four calls that may change something: the fifth command is known to read only.
    for (const [kept, count] of [
      ["work/tool-outputs/run_shell_command_", 1],
      ["background-processes/background-", 1],
      ["work/checkpoints/", 4]
    ] as const) {
      expect((await filesOf(place)).filter((name) => name.startsWith(`home/.gemini/tmp/${kept}`))).toHaveLength(count)
    }
    const session = await place.read("export.json")
    for (const name of [...Object.keys(CANARIES), "SERVICE_SECRET", "refresh_token"]) {
      expect(session).toContain(`[REDACTED:${name}]`)
    }
  })

  test("the search finds one that is there", async () => {
    await using place = await prepared()
    await place.write("home/.gemini/tmp/leak.jsonl", JSON.stringify({ text: CANARIES.DB_PASSWORD }))
    expect(await leaksIn(place)).toHaveLength(1)
  })
})
