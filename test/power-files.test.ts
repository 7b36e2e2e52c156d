/** Files that decide what runs later: no way of writing reaches one unasked, whatever edits are allowed. */
import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const AUTO_EDIT = { args: ["--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command(echo)"] }
const read = (place: Workspace, path: string) => readFileSync(join(place.root, path), "utf8")

const FILES = [
  ".gemini/settings.json",
  ".gemini/policies/own.toml",
  ".gemini/policy.toml",
  ".gemini/hooks.toml",
  ".gemini/commands/x.toml",
  ".gemini/extensions/x/gemini-extension.json",
  "sub/project/.gemini/settings.json",
  ".GEMINI/settings.json",
  ".bashrc",
  ".zshrc",
  ".profile",
  ".ssh/config",
  ".config/fish/config.fish",
  ".vscode/tasks.json",
  ".env.local",
  ".envrc",
  ".mcp.json",
  ".husky/pre-commit",
  ".npmrc",
  "evil/HEAD"
]

describe("in a headless run with approval mode auto_edit", () => {
  test.each([["write_file"], ["run_shell_command"]])("%s is refused with the reason", async (name) => {
    await using place = await newWorkspace()
    const calls = FILES.map((path) =>
      name === "write_file"
        ? tool(name, { file_path: path, content: "{}" })
        : tool(name, { command: `echo '{}' > ${path}` })
    )
    for (const path of FILES) mkdirSync(dirname(join(place.cwd, path)), { recursive: true })
    const run = await callTools(
      place,
      [calls, [tool("write_file", { file_path: "ordinary.txt", content: "x" })]],
      AUTO_EDIT
    )
    expect(run.result.exitCode).toBe(0)
    expect(run.answers.slice(0, -1).map(({ type }) => type)).toEqual(FILES.map(() => "policy_violation"))
    expect(run.answers[0]?.error).toContain(
      "it changes .gemini/settings.json, which decides what gemini runs and allows"
    )
    expect(FILES.filter((path) => existsSync(join(place.cwd, path)))).toEqual([])
    expect(existsSync(join(place.cwd, "ordinary.txt"))).toBe(true)
    expect(run.end.permission_denials).toHaveLength(FILES.length)
  })

  test("links lead nowhere else, and a name that is looked for is judged by what is found", async () => {
    await using place = await newWorkspace()
    await place.write("work/.gemini/settings.json", '{ "general": {} }')
    await place.write("work/conf.json", "{}")
    symlinkSync(".gemini", join(place.cwd, "to"))
    symlinkSync("../conf.json", join(place.cwd, ".gemini/policy.toml"))
    symlinkSync(".gemini/later.toml", join(place.cwd, "dangling"))
    const run = await callTools(
      place,
      inTurns(
        tool("write_file", { file_path: "to/settings.json", content: "evil" }),
        tool("write_file", { file_path: "conf.json", content: "evil" }),
        tool("write_file", { file_path: "dangling", content: "evil" }),
        tool("write_file", { file_path: "to/../.gemini/settings.json", content: "evil" }),
        tool("replace", { file_path: "settings.json", old_string: "general", new_string: "evil" }),
        tool("run_shell_command", { command: "echo evil > to/../conf.json" })
      ),
      AUTO_EDIT
    )
    expect(run.answers.map(({ type }) => type)).toEqual(Array(6).fill("policy_violation"))
    expect([read(place, "work/.gemini/settings.json"), read(place, "work/conf.json")]).toEqual([
      '{ "general": {} }',
      "{}"
    ])
  })

  test("the home folder as workspace does not open what belongs to the user and to the program", async () => {
    await using place = await newWorkspace()
    const paths = [
      ".bashrc",
      ".gemini/settings.json",
      ".gemini/trustedFolders.json",
      ".gemini/projects.json",
      ".ssh/id"
    ]
    const run = await callTools(place, [paths.map((file_path) => tool("write_file", { file_path, content: "evil" }))], {
      ...AUTO_EDIT,
      cwd: place.home
    })
    expect(run.answers.map(({ type }) => type)).toEqual(paths.map(() => "policy_violation"))
    expect(run.answers[3]?.error).toContain("which gemini keeps for itself")
    expect(existsSync(join(place.home, ".bashrc"))).toBe(false)
    expect(read(place, "home/.gemini/projects.json")).not.toContain("evil")
  })

  test("a script that a hook of the user's runs is not written unasked", async () => {
    await using place = await newWorkspace()
    await place.write("work/lint.sh", "true\n")
    const hooks = { AfterTool: [{ hooks: [{ type: "command", command: "sh lint.sh" }] }] }
    await place.write("home/.gemini/settings.json", JSON.stringify({ hooks }))
    const write = (file_path: string) => tool("write_file", { file_path, content: "touch ../evil\n" })
    const run = await callTools(place, inTurns(write("lint.sh"), write("other.sh")), AUTO_EDIT)
    expect(run.answers.map(({ status }) => status)).toEqual(["error", "success"])
    expect(run.answers[0]?.error).toContain("it changes lint.sh, which gemini is configured to run")
    expect(existsSync(join(place.root, "evil"))).toBe(false)
  })

  test("plans, notes and rules that say so stay open", async () => {
    await using place = await newWorkspace()
    await place.write(
      "home/.gemini/policies/mine.toml",
      '[[rule]]\ntoolName = "write_file"\nargsPattern = "commands/"\ndecision = "allow"\npriority = 100\nallowPowerFiles = true\n'
    )
    const run = await callTools(
      place,
      inTurns(
        tool("write_file", { file_path: ".gemini/GEMINI.md", content: "note" }),
        tool("write_file", { file_path: ".gemini/commands/x.toml", content: 'prompt = "x"' })
      ),
      AUTO_EDIT
    )
    expect(run.answers.map(({ status }) => status)).toEqual(["success", "success"])
  })

  test("a link that is swapped all the time never leads a write into such a file, or out of the workspace", async () => {
    await using place = await newWorkspace()
    await place.write("work/.gemini/settings.json", "{}")
    await place.write("outside/settings.json", "{}")
    mkdirSync(join(place.cwd, "safe"))
    const turns = Array.from({ length: 40 }, (_, index) => [
      tool("write_file", { file_path: "swapped/settings.json", content: `evil ${index}` })
    ])
    const swapping = Bun.spawn(
      [
        "bash",
        "-c",
        "n=0; while :; do for to in safe .gemini ../outside; do ln -sfn $to swap.$n && mv -T swap.$n swapped; n=$((n+1)); done; done"
      ],
      { cwd: place.cwd, stdout: "ignore", stderr: "ignore" }
    )
    try {
      const run = await callTools(place, turns, AUTO_EDIT)
      expect(run.result.exitCode).toBe(0)
      expect([read(place, "work/.gemini/settings.json"), read(place, "outside/settings.json")]).toEqual(["{}", "{}"])
      expect(run.answers.filter(({ status }) => status !== "success").length).toBeGreaterThan(0)
    } finally {
      swapping.kill("SIGKILL")
      await swapping.exited
    }
  })
})

test("at a terminal the question says why, and only an answer for exactly this file is remembered", async () => {
  await using place = await newWorkspace()
  const write = (file_path: string, content: string) => call("write_file", { file_path, content })
  await using server = await startModelServer([
    ask(write("a.txt", "1")),
    ask(write(".gemini/settings.json", "{}")),
    ask(write(".gemini/settings.json", '{ "general": {} }')),
    ask(write(".gemini/hooks.toml", "")),
    say("all done")
  ])
  const session = startInTerminal(place, ["--approval-mode", "auto_edit"], { server, columns: 120 })
  await session.shows("  Type your message or @path/to/file")
  session.type("do it\r")
  await session.shows("Allow? ")
  expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
  expect(session.plain()).toContain("it changes .gemini/settings.json, which decides what gemini runs and allows")
  expect(session.plain()).not.toContain("all edits")
  session.type("2\r")
  await session.showsNext("Allow? ")
  expect(read(place, "work/.gemini/settings.json")).toBe('{ "general": {} }')
  expect(session.plain()).toContain("it changes .gemini/hooks.toml")
  session.type("n\r")
  await session.shows("all done")
  expect(existsSync(join(place.cwd, ".gemini/hooks.toml"))).toBe(false)
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
})

test("in yolo the user has said that everything may be written", async () => {
  await using place = await newWorkspace()
  writeFileSync(join(place.cwd, "x"), "")
  const run = await callTools(place, inTurns(tool("write_file", { file_path: ".gemini/hooks.toml", content: "" })), {
    args: ["--yolo"]
  })
  expect(run.answers[0]?.status).toBe("success")
})

describe("the record of the session itself", () => {
  const recordIn = (place: Workspace) => [...new Bun.Glob("**/chats/*.jsonl").scanSync({ cwd: place.home, dot: true })]
  const spoil = (place: Workspace, name: string) => () => {
    const file = join(place.home, recordIn(place)[0] ?? "")
    return [
      name === "write_file"
        ? tool(name, { file_path: file, content: "gone" })
        : tool(name, { command: `echo gone > ${file}` })
    ]
  }

  test.each([["write_file"], ["run_shell_command"]])("is out of reach of %s", async (name) => {
    await using place = await newWorkspace()
    const run = await callTools(place, [[tool("list_directory", { dir_path: "." })], spoil(place, name)], AUTO_EDIT)
    expect(run.answers[1]).toMatchObject({ type: "policy_violation" })
    expect(run.answers[1]?.error).toContain("keeps for itself")
  })

  test.each([["write_file"], ["run_shell_command"]])("survives %s in yolo, and can be resumed", async (name) => {
    await using place = await newWorkspace()
    const yolo = { args: ["--yolo"] }
    const run = await callTools(place, [[tool("list_directory", { dir_path: "." })], spoil(place, name)], yolo)
    expect(run.answers[1]?.status).toBe("success")
    expect(run.result.stderr).toContain("somebody changed the record of this session")
    expect(recordIn(place)).toHaveLength(1)
    await using server = await startModelServer(() => say("again"))
    const second = await place.run(["-p", "and now?", "--resume"], { server })
    expect([second.exitCode, second.stdout]).toEqual([0, "again\n"])
    const sent = JSON.stringify(server.generations[0]?.body)
    expect(sent).toContain("list_directory")
    expect(sent).toContain('"text":"go"')
    expect(sent).toContain('"text":"done"')
  })
})
