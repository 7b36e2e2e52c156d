/** What a request says before the prompt: the instruction, the surroundings, the context files; seen by the model. */
import { describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { expectFailureDocument } from "./kit/expectations.ts"
import { type ModelRequest, startModelServer } from "./kit/model-server.ts"
import { ask as askFor, call, say } from "./kit/replies.ts"
import { newWorkspace, type RunOptions } from "./kit/run-gemini.ts"

interface Body {
  readonly systemInstruction: { readonly parts: ReadonlyArray<{ readonly text: string }> }
  readonly contents: ReadonlyArray<{ readonly parts: ReadonlyArray<{ readonly text: string }> }>
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations: ReadonlyArray<{ readonly name: string }> }>
}

const bodyOf = (request: ModelRequest | undefined): Body => request?.body as Body

type Files = Readonly<Record<string, string>>

/** One run with these files, and what the model got. */
const ask = async (
  files: Files,
  options: RunOptions & { readonly args?: ReadonlyArray<string>; readonly prepare?: (root: string) => void } = {}
) => {
  await using server = await startModelServer(() => say("ok"), { strict: true })
  await using place = await newWorkspace()
  for (const [path, content] of Object.entries(files)) await place.write(path, content)
  options.prepare?.(place.root)
  const result = await place.run(["-p", "hi", ...(options.args ?? [])], { server, ...options })
  const body = bodyOf(server.generations[0])
  const [first, second] = body?.contents[0]?.parts ?? []
  return {
    result,
    root: place.root,
    cwd: place.cwd,
    body,
    instruction: body?.systemInstruction.parts[0]?.text ?? "",
    session: first?.text ?? "",
    prompt: second?.text
  }
}

const settings = (value: unknown): Files => ({ "home/.gemini/settings.json": JSON.stringify(value) })

describe("the request for hi", () => {
  test("stays under 6,000 tokens with every tool", async () => {
    const { body, prompt, session } = await ask({}, { args: ["--yolo"] })
    expect(body.tools?.[0]?.functionDeclarations.length).toBeGreaterThan(12)
    expect(JSON.stringify(body).length / 4).toBeLessThan(6000)
    expect(session).toStartWith("<session_context>\n")
    expect(session).toEndWith("\n</session_context>")
    expect(prompt).toBe("hi")
  })

  test("with --bare stays under 2,000 tokens, with the tools for work on files and no context file", async () => {
    const files = { "work/GEMINI.md": "be kind", "home/.gemini/GEMINI.md": "be kind", "work/a.txt": "" }
    const { body } = await ask(files, { args: ["--yolo", "--bare"] })
    const request = JSON.stringify(body)
    expect(body.tools?.[0]?.functionDeclarations.map(({ name }) => name)).toContain("run_shell_command")
    expect(request.length / 4).toBeLessThan(2000)
    expect(request).not.toMatch(/be kind|a\.txt/)
  })

  test("in a folder of many files names few of them", async () => {
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`work/d/f${index}.txt`, ""]))
    const { session } = await ask({ ...many, "work/a.txt": "" })
    const lines = session.split("\n").filter((line) => line.includes("───"))
    expect(lines.length).toBeLessThanOrEqual(202)
    expect(lines[0]).toBe("├───a.txt")
    expect(session).toContain("`...` stands for what is not shown")
  })

  test("obeys the ignore files and names the repository", async () => {
    const { cwd, session } = await ask({
      "work/.git/HEAD": "ref: refs/heads/topic\n",
      "work/.gitignore": "*.log\nbuild/\n",
      "work/.geminiignore": "private.txt\n",
      "work/private.txt": "",
      "work/x.log": "",
      "work/build/out.js": "",
      "work/go.mod": ""
    })
    expect(session).toContain(`Git repository: ${cwd} (branch topic)`)
    expect(session).toContain("Project: Go")
    expect(session).toContain("build/...")
    expect(session).not.toMatch(/x\.log|private\.txt|out\.js/)
  })

  test("has no tree where the settings say so", async () => {
    const { session } = await ask({ ...settings({ context: { includeDirectoryTree: false } }), "work/a.txt": "" })
    expect(session).not.toContain("a.txt")
  })
})

describe("context files", () => {
  const tiers: Files = {
    "home/.gemini/GEMINI.md": "from the home folder",
    "GEMINI.md": "above everything",
    "work/.git/HEAD": "",
    "work/GEMINI.md": "from the project",
    "work/sub/GEMINI.md": "from the folder",
    "work/sub/deep/GEMINI.md": "from the depth"
  }

  test("the user's own go into the instruction, the project's before the prompt, outermost first", async () => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    for (const [path, content] of Object.entries(tiers)) await place.write(path, content)
    const { exitCode, stderr } = await place.run(["-p", "hi"], { server, cwd: join(place.cwd, "sub") })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    const body = bodyOf(server.generations[0])
    const instruction = body.systemInstruction.parts[0]?.text
    const session = body.contents[0]?.parts[0]?.text
    expect(instruction).toMatch(
      /<global_context>\n--- Context from: \S+\/home\/\.gemini\/GEMINI\.md ---\nfrom the home/
    )
    expect(session).toMatch(/<project_context>.*from the project.*from the folder.*<\/project_context>/s)
    expect(JSON.stringify(body)).not.toMatch(/above everything|from the depth/)
  })

  test("an untrusted folder contributes none", async () => {
    const { instruction, result, session } = await ask(tiers, { env: { GEMINI_CLI_TRUST_WORKSPACE: undefined } })
    expect(result.exitCode).toBe(0)
    expect(session).not.toContain("from the project")
    expect(instruction).toContain("from the home folder")
  })

  test("have the names that the settings give, in more folders than one", async () => {
    const { session } = await ask(
      {
        ...settings({ context: { fileName: ["AGENTS.md", "NOTES.md"] } }),
        "work/AGENTS.md": "one",
        "work/NOTES.md": "two",
        "work/GEMINI.md": "three",
        "more/AGENTS.md": "four"
      },
      { args: ["--include-directories", "../more"] }
    )
    expect(session).toMatch(/one.*two.*four/s)
    expect(session).not.toContain("three")
    expect(session).toMatch(/Workspace directories:\n {2}- \S+\/work\n {2}- \S+\/more\n/)
  })

  test("below the folder are read at the start when the settings ask for it", async () => {
    const { session } = await ask({ ...tiers, ...settings({ experimental: { jitContext: false } }) })
    expect(session).toMatch(/from the project.*from the folder.*from the depth/s)
  })

  test("import others, but nothing from outside and nothing for ever", async () => {
    const { result, session } = await ask({
      "work/.git/HEAD": "",
      "work/GEMINI.md": "@docs/a.md and @../secret.md, thanks @alice. `@docs/a.md`",
      "work/docs/a.md": "A @../GEMINI.md",
      "secret.md": "very secret"
    })
    expect(session).toContain("<!-- Imported from: docs/a.md -->\nA <!-- File already processed: ../GEMINI.md -->")
    expect(session).toContain("<!-- Import failed: ../secret.md - Path traversal attempt -->")
    expect(session).toContain("thanks @alice. `@docs/a.md`")
    expect(session).not.toContain("very secret")
    expect(result.stderr).toContain("imports @../secret.md: Path traversal attempt")
  })

  test.each<[string, (root: string) => void, string]>([
    ["a pipe", (root) => spawnSync("mkfifo", [join(root, "work/GEMINI.md")]), "is not a regular file"],
    ["a link to itself", (root) => symlinkSync("GEMINI.md", join(root, "work/GEMINI.md")), "cannot be read (ELOOP)"]
  ])("%s in place of one is said, and the run goes on", async (_, prepare, reason) => {
    const { result } = await ask({}, { prepare })
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(result.stderr).toContain(`work/GEMINI.md is not used as context: it ${reason}`)
  })

  test("a folder in place of one is passed over in silence", async () => {
    const { result } = await ask({ "work/GEMINI.md/keep": "" })
    expect(result).toEqual({ exitCode: 0, stdout: "ok\n", stderr: "" })
  })

  test("of 100 MB the beginning is sent", async () => {
    const { body, result } = await ask(
      { "work/GEMINI.md": "be kind\n".repeat(80_000) },
      { prepare: (root) => truncateSync(join(root, "work/GEMINI.md"), 100 * 1024 * 1024) }
    )
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toContain("104857600 bytes: only the first 512 KiB are used as context")
    expect(JSON.stringify(body).length).toBeLessThan(1024 * 1024)
  })

  test("two hundred of them fit", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 199 }, (_, index) => [`work/d${index}/GEMINI.md`, `no ${index}.`])
    )
    const { session } = await ask({ ...files, ...settings({ experimental: { jitContext: false } }) })
    expect(session.match(/--- Context from: /g)).toHaveLength(199)
  })
})

describe("--all-files", () => {
  test("puts the text of the workspace before the prompt, and an untrusted folder changes nothing about that", async () => {
    const files = { "work/a.txt": "alpha", "work/.env": "A=1", "work/sub/b.txt": "the key: test-key" }
    const { prompt, result, session } = await ask(files, {
      args: ["--all-files"],
      env: { GEMINI_API_KEY: "test-key", GEMINI_CLI_TRUST_WORKSPACE: undefined }
    })
    expect(result.exitCode).toBe(0)
    expect(session).toContain("--- a.txt ---\nalpha\n")
    expect(session).toContain("--- sub/b.txt ---\nthe key: [REDACTED:GEMINI_API_KEY]\n")
    expect(session).not.toContain("A=1")
    expect(prompt).toBe("hi")
  })

  test("says what did not fit", async () => {
    const { result, session } = await ask(
      { "work/big.txt": "0123456789abcde\n".repeat(40_000), "work/a.txt": "alpha" },
      { args: ["--all-files"] }
    )
    expect(session).toContain("Not included, read them where you need them:\n- big.txt\n")
    expect(result.stderr).toContain("--all-files: 1 files are sent; 1 files would pass the budget of 250000 tokens")
  })
})

test("what the model remembers is in its next instruction", async () => {
  await using server = await startModelServer([askFor(call("save_memory", { fact: "the user likes tea" })), say("ok")])
  await using place = await newWorkspace()
  expect(await place.run(["-p", "hi", "--yolo"], { server })).toMatchObject({ exitCode: 0, stdout: "ok\n" })
  const [before, after] = server.generations.map((request) => bodyOf(request).systemInstruction.parts[0]?.text)
  expect(before).not.toContain("likes tea")
  expect(after).toContain("likes tea")
})

describe("the user's own system prompt", () => {
  test("replaces ours", async () => {
    const { instruction } = await ask({ "work/.gemini/system.md": "Only this." }, { env: { GEMINI_SYSTEM_MD: "1" } })
    expect(instruction).toBe("Only this.")
  })

  test("that is missing ends the run with 52 and its path, and nothing is sent", async () => {
    const { body, cwd, result } = await ask({}, { args: ["-o", "json"], env: { GEMINI_SYSTEM_MD: "no/such.md" } })
    expectFailureDocument(result, 52, {
      completion_reason: "config",
      error: expect.objectContaining({
        type: "FatalConfigError",
        message: expect.stringContaining(`missing system prompt file '${cwd}/no/such.md'`)
      })
    })
    expect(body).toBeUndefined()
  })

  test("can be made from ours", async () => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    await place.run(["-p", "hi"], { server, env: { GEMINI_WRITE_SYSTEM_MD: "1" } })
    const instruction = bodyOf(server.generations[0]).systemInstruction.parts[0]?.text
    expect(await place.read("work/.gemini/system.md")).toBe(`${instruction}\n`)
  })

  test("a section of ours can be left out", async () => {
    const { instruction } = await ask({}, { env: { GEMINI_PROMPT_PRIMARYWORKFLOWS: "0" } })
    expect(instruction).not.toContain("# How to work")
    expect(instruction).toContain("# Answers")
  })
})

test("plan mode tells its rules", async () => {
  const { instruction } = await ask({}, { args: ["--approval-mode", "plan"] })
  expect(instruction).toContain("# Plan mode")
})
