/** Commands from TOML files, in headless runs. */
import { describe, expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type RunOptions } from "./kit/run-gemini.ts"

interface Asked extends RunOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
}

const run = async (line: string, { args = [], files = {}, ...options }: Asked = {}) => {
  await using server = await startModelServer(() => say("done"), { strict: true })
  await using place = await newWorkspace()
  for (const [path, content] of Object.entries(files)) await place.write(path, content)
  const result = await place.run(["-p", line, ...args], { server, ...options })
  const body = server.generations[0]?.body as
    | { contents: ReadonlyArray<{ parts: ReadonlyArray<{ text?: string; inlineData?: { mimeType: string } }> }> }
    | undefined
  const parts = (body?.contents[0]?.parts ?? []).slice(1)
  return { ...result, parts: parts.map(({ inlineData, text }) => text ?? `<${inlineData?.mimeType}>`) }
}

const user = (name: string, prompt: string) => ({ [`home/.gemini/commands/${name}.toml`]: `prompt = '''${prompt}'''` })
const project = (name: string, prompt: string) => ({
  [`work/.gemini/commands/${name}.toml`]: `prompt = '''${prompt}'''`
})

describe("arguments", () => {
  test("stand where the prompt wants them", async () => {
    const { exitCode, parts, stdout } = await run("/git:fix  the   bug", { files: user("git/fix", "Fix {{args}} now") })
    expect({ exitCode, parts, stdout }).toEqual({ exitCode: 0, parts: ["Fix the   bug now"], stdout: "done\n" })
  })

  test("are appended with the line as typed where the prompt does not mention them", async () => {
    const files = user("fix", "Fix it")
    expect((await run("/fix a b", { files })).parts).toEqual(["Fix it\n\n/fix a b"])
    expect((await run("/fix", { files })).parts).toEqual(["Fix it"])
  })

  test("are data: no placeholder in them counts", async () => {
    const { parts } = await run("/echo !{id} @{a.txt} {{args}}", {
      files: { ...user("echo", "<{{args}}>"), "work/a.txt": "A" }
    })
    expect(parts).toEqual(["<!{id} @{a.txt} {{args}}>"])
  })
})

describe("files", () => {
  test("bring their content without a label; folders with one for each", async () => {
    const files = {
      ...user("see", "One: @{a.txt} All: @{d}"),
      "work/a.txt": "A\n",
      "work/d/b.txt": "B",
      "work/d/c.txt": "C"
    }
    expect((await run("/see", { files })).parts).toEqual([
      "One: A All: --- Files of d/** ---\n--- d/b.txt ---\nB\n--- d/c.txt ---\nC\n--- End of files of d/** ---"
    ])
  })

  test("that cannot be read leave the placeholder; what a file says is never run", async () => {
    const files = { ...user("see", "@{none.txt} @{/etc/hostname} @{a.txt}"), "work/a.txt": "!{touch hacked} {{args}}" }
    const { parts, stderr } = await run("/see", { files, args: ["--yolo"] })
    expect(parts).toEqual(["@{none.txt} @{/etc/hostname} !{touch hacked} {{args}}"])
    expect(stderr).toContain("[WARNING] @{none.txt}: there is no such file")
    expect(stderr).toContain("[WARNING] @{/etc/hostname}: it lies outside the workspace")
  })
})

describe("shell commands", () => {
  test("run where the policy lets them, with the arguments as one word", async () => {
    const files = user("say", "Out: !{printf '[%s]' {{args}}; echo; exit 3} and {{args}}")
    const { exitCode, parts } = await run("/say it's $HOME; ls", { files, args: ["--yolo"] })
    expect(exitCode).toBe(0)
    expect(parts[0]).toStartWith("Out: [it's $HOME; ls]\n[The command 'printf")
    expect(parts[0]).toEndWith("ended with exit code 3] and it's $HOME; ls")
  })

  test("are refused before anything runs, with what would allow them", async () => {
    const files = user("both", "!{touch made-it} !{echo hi}")
    const denied = await run("/both", { files })
    expect(denied.exitCode).toBe(54)
    expect(denied.parts).toEqual([])
    expect(denied.stderr).toMatch(/\/both may not run touch made-it: .*--allowed-tools "run_shell_command\(touch\)"/)
    const allowed = await run("/both", {
      files,
      args: ["--allowed-tools", "run_shell_command(touch),run_shell_command(echo)"]
    })
    expect(allowed).toMatchObject({ exitCode: 0, parts: [" hi"] })
  })
})

describe("where commands come from", () => {
  test("two of the same name are both renamed, and the old name says so", async () => {
    const files = { ...user("fix", "user's"), ...project("fix", "project's") }
    expect((await run("/user.fix", { files })).parts).toEqual(["user's"])
    expect((await run("/workspace.fix", { files })).parts).toEqual(["project's"])
    const { stdout } = await run("/commands", { files })
    expect(stdout).toContain("/fix is not unique")
  })

  test("a built-in command keeps its name", async () => {
    const { parts } = await run("/user.help me", { files: user("help", "mine {{args}}") })
    expect(parts).toEqual(["mine me"])
  })

  test("a folder that is not trusted brings none; the user's own work", async () => {
    const files = { ...user("mine", "mine"), ...project("theirs", "theirs") }
    const env = { GEMINI_CLI_TRUST_WORKSPACE: "false" }
    expect((await run("/mine", { files, env })).parts).toEqual(["mine"])
    expect(await run("/theirs", { files, env })).toMatchObject({ exitCode: 42, parts: [] })
  })

  test("a broken file is named with its line where its command is used", async () => {
    const files = { "home/.gemini/commands/bad.toml": "description = 'x'\nprompt = [", ...user("good", "good") }
    const bad = await run("/bad", { files })
    expect(bad.exitCode).toBe(42)
    expect(bad.stderr).toMatch(/commands\/bad\.toml:2: /)
    expect((await run("/good", { files })).parts).toEqual(["good"])
  })
})

test("piped data stands before what the command says", async () => {
  const { parts } = await run("/fix", { files: user("fix", "Fix it"), stdin: { pipe: "the log" } })
  expect(parts.join("")).toBe("the log\n\nFix it")
})
