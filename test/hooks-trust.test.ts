/** Whose hooks run, in which form, and what they do not get to read. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { hookSettings, runHooked } from "./kit/hook-run.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"

/** A folder that is trusted by a rule, and a project that brings a hook. */
const trustedProject = async (place: Workspace, command: string) => {
  await place.write("home/.gemini/trustedFolders.json", JSON.stringify({ [place.cwd]: "TRUST_FOLDER" }))
  await place.write(
    "work/.gemini/hooks.toml",
    `[hooks.BeforeAgent]\nhooks = [{ type = "command", name = "mine", command = "${command}" }]\n`
  )
}
const BY_RULE = { GEMINI_CLI_TRUST_WORKSPACE: undefined }

describe("hooks of a project", () => {
  test("are confirmed once, in words that say what they are; changed ones end a headless run and ask again", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(() => say("fine"))
    await trustedProject(place, "touch ../ran")
    const headless = (...args: ReadonlyArray<string>) => place.run(["-p", "x", ...args], { server, env: BY_RULE })
    const first = await headless()
    expect([first.exitCode, existsSync(join(place.root, "ran"))]).toEqual([0, false])
    expect(first.stderr).toContain("hooks of this project do not run")

    const session = startInTerminal(place, [], { server, env: { GEMINI_CLI_TRUST_WORKSPACE: "" } })
    await session.shows("? 1-2: ")
    expect(session.plain()).toContain("outside the sandbox, with all your rights")
    expect(session.plain()).toContain("touch ../ran")
    session.type("1\r")
    await session.shows(READY)
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect((await headless()).exitCode).toBe(0)
    expect(existsSync(join(place.root, "ran"))).toBe(true)

    await trustedProject(place, "touch ../changed")
    const changed = await headless()
    expect(changed.exitCode).toBe(55)
    expect(changed.stderr).toContain("hooks.toml:1")
    expect(existsSync(join(place.root, "changed"))).toBe(false)
    expect((await headless("--skip-trust")).exitCode).toBe(0)
    expect(existsSync(join(place.root, "changed"))).toBe(true)
  })

  test("are looked at before every run: who changes a guard does not get past it", async () => {
    await using place = await newWorkspace()
    await place.write("work/guard.sh", "echo ran >> ../ran; echo '{}'\n")
    await place.write("work/.gemini/settings.json", JSON.stringify(hookSettings({ BeforeTool: ["sh guard.sh"] })))
    await using server = await startModelServer([
      ask(call("write_file", { file_path: "guard.sh", content: "touch ../changed\n" })),
      ask(call("list_directory", { dir_path: "." })),
      say("fine")
    ])
    const run = await place.run(["-p", "x", "--approval-mode", "auto_edit"], { server })
    expect(run.exitCode).toBe(0)
    expect(readFileSync(join(place.root, "ran"), "utf8")).toBe("ran\n")
    expect(existsSync(join(place.root, "changed"))).toBe(false)
    expect(JSON.stringify(server.generations[2]?.body)).toContain("what it runs has changed since it was accepted")
    expect(run.stderr).toContain("start gemini anew to be asked about it")
  })

  test("do not run in a folder that is not trusted, and the user's own do; --bare runs none", async () => {
    await using place = await newWorkspace()
    await place.write(
      "work/.gemini/hooks.toml",
      '[hooks.BeforeAgent]\nhooks = [{ type = "command", command = "touch ../project" }]\n'
    )
    await using server = await startModelServer(() => say("fine"))
    await place.write("home/.gemini/settings.json", JSON.stringify(hookSettings({ BeforeAgent: ["touch ../user"] })))
    await place.run(["-p", "x"], { server, env: { GEMINI_CLI_TRUST_WORKSPACE: "false" } })
    expect([existsSync(join(place.root, "project")), existsSync(join(place.root, "user"))]).toEqual([false, true])
    await runHooked(place, { BeforeAgent: ["touch ../bare"] }, [say("fine")], { args: ["--bare"] })
    expect(existsSync(join(place.root, "bare"))).toBe(false)
  })
})

test("credentials of the run are neither in their environment nor in what they read", async () => {
  await using place = await newWorkspace()
  await place.write("work/leak.txt", "the key is sesame-open-0123456789")
  const run = await runHooked(
    place,
    { AfterTool: [{ command: "cat > ../in.json; env > ../env.txt", env: { OWN: "$HOME/x" } }] },
    [ask(call("read_file", { file_path: "leak.txt" })), say("fine")],
    { env: { GEMINI_API_KEY: "sesame-open-0123456789" } }
  )
  expect(run.result.exitCode).toBe(0)
  expect(readFileSync(join(place.root, "in.json"), "utf8")).not.toContain("sesame")
  const env = readFileSync(join(place.root, "env.txt"), "utf8")
  expect(env).not.toContain("sesame")
  for (const line of [
    `GEMINI_PROJECT_DIR=${place.cwd}`,
    `CLAUDE_PROJECT_DIR=${place.cwd}`,
    "GEMINI_SESSION_ID=",
    `OWN=${place.home}/x`
  ]) {
    expect(env).toContain(line)
  }
})
