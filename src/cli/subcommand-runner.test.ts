import { describe, expect, test } from "bun:test"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { invocationOf } from "../../test/kit/sub-command.ts"
import { subcommands } from "./generated/subcommands.ts"
import { isAvailable } from "./subcommand-match.ts"
import { runSubcommand } from "./subcommand-runner.ts"

const run = async (line: string, place: { env?: Record<string, string>; cwd?: string } = {}) => {
  const out: Array<string> = []
  const err: Array<string> = []
  const invocation = invocationOf(line.split(" "))
  const code = await Effect.runPromise(
    runSubcommand(invocation, {
      env: place.env ?? {},
      cwd: place.cwd ?? "/",
      write: (text) => Effect.sync(() => void out.push(text)),
      writeError: (text) => Effect.sync(() => void err.push(text)),
      ask: () => Effect.succeed(undefined),
      serve: () => Effect.dieMessage("nothing is served here"),
      serveTasks: () => Effect.dieMessage("nothing is served here"),
      batch: () => Effect.dieMessage("nothing is served here"),
      tendJobs: () => Effect.dieMessage("nothing is served here")
    })
  )
  return { code, out: out.join(""), err: err.join("") }
}

describe("answers that need no parser", () => {
  test.each<[string, number, string]>([
    ["gemma --help", 1, "error: gemini gemma is not supported. See gemini --help. [gemini help bad-usage]\n"],
    ["gemma start", 1, "error: gemini gemma is not supported. See gemini --help. [gemini help bad-usage]\n"],
    ["config --json lst", 1, 'error: gemini config has no command "lst". Did you mean list? [gemini help bad-usage]\n'],
    [
      "completion --debug powershell",
      1,
      'error: gemini completion has no command "powershell". Choose one of: bash, zsh, fish. [gemini help bad-usage]\n'
    ],
    [
      "completion bash zsh",
      1,
      'error: Unknown argument "zsh". See gemini completion --help; to send a prompt, use -p. [gemini help bad-usage]\n'
    ]
  ])("%s", async (line, code, err) => expect(await run(line)).toEqual({ code, out: "", err }))

  test("help is a result", async () => {
    for (const line of ["config --help", "config get -h", "--debug config --help"]) {
      const { code, err, out } = await run(line)
      expect({ code, err, title: out.split("\n")[0] }).toEqual({
        code: 0,
        err: "",
        title: "gemini config: Show, check and change settings."
      })
    }
  })

  test("without a verb, help is a diagnostic", async () => {
    const { code, err, out } = await run("config")
    expect({ code, out, title: err.split("\n")[0] }).toEqual({
      code: 1,
      out: "",
      title: "gemini config: Show, check and change settings."
    })
  })

  test.each(["bash", "zsh", "fish"])("the completion of %s", async (shell) => {
    const { code, err, out } = await run(`completion ${shell}`)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("output-format")
  })
})

test("whatever is marked as available can be run, and refuses an option that it does not know", async () => {
  for (const row of subcommands.filter(({ since }) => isAvailable(since))) {
    for (const verb of row.verbs) {
      const { code, err } = await run(`${row.name} ${verb} --nonsense`)
      expect([row.name, verb, code, err]).toEqual([row.name, verb, 1, expect.stringContaining("--nonsense")])
    }
  }
})

describe("config", () => {
  test.each<[string, string]>([
    ["config get", "error: Missing argument <key>. See gemini config --help. [gemini help bad-usage]\n"],
    ["config list --wizard", "error: Unknown option --wizard. See gemini config --help. [gemini help bad-usage]\n"],
    [
      "config list --log-level=debug",
      "error: Unknown option --log-level=debug. See gemini config --help. [gemini help bad-usage]\n"
    ],
    ["config list --nonsense", "error: Unknown option --nonsense. See gemini config --help. [gemini help bad-usage]\n"],
    [
      "config list extra",
      'error: Unknown argument "extra". See gemini config --help; to send a prompt, use -p. [gemini help bad-usage]\n'
    ]
  ])("%s is refused in one line", async (line, err) => expect(await run(line)).toEqual({ code: 1, out: "", err }))

  test("a setting that is set is shown", async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "config-")))
    const place = { env: { HOME: home }, cwd: home }
    expect(await run("config set model.name flash", place)).toMatchObject({ code: 0, err: "" })
    expect(await run("config get model.name", place)).toEqual({ code: 0, out: "flash\n", err: "" })
    expect(JSON.parse((await run("config get model.name --json", place)).out)).toMatchObject({ value: "flash" })
    rmSync(home, { recursive: true })
  })
})
