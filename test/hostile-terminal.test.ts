/**
 * A hostile text in every place from which something is printed, and what arrives at a real terminal: words, and the
 * sequences of this program. Runs with `-p` and sub-commands first, then a conversation.
 */
import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeFiles } from "./kit/extension-room.ts"
import { answering, hookSettings } from "./kit/hook-run.ts"
import { actsIn, HOSTILE_LINE, HOSTILE_NAME } from "./kit/hostile-text.ts"
import { scriptedServer } from "./kit/mcp-script.ts"
import { type Script, startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, raw, say, text } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { writeSession } from "./kit/session-files.ts"
import { startInTerminal } from "./kit/terminal.ts"

interface Place {
  readonly prepare?: (place: Workspace) => unknown
  readonly script?: Script
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Of the text, to be sure that it was printed; `left` where nothing is said. */
  readonly shows?: string
}

const settings = (place: Workspace, value: object) => place.write("home/.gemini/settings.json", JSON.stringify(value))
const apiError = (message: string) =>
  raw(JSON.stringify({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }), {
    status: 400,
    type: "application/json"
  })
const server = (place: Workspace, script: Parameters<typeof scriptedServer>[0], name = "far") =>
  settings(place, { mcpServers: { [name]: { ...scriptedServer(script), trust: true } } })
const session = (place: Workspace) => {
  const tempDir = join(place.home, ".gemini/tmp/work")
  mkdirSync(tempDir, { recursive: true })
  writeFileSync(join(tempDir, ".project_root"), place.cwd)
  writeFileSync(join(place.home, ".gemini/projects.json"), JSON.stringify({ projects: { [place.cwd]: "work" } }))
  writeSession(tempDir, {
    id: "11111111-2222-3333-4444-555555555555",
    question: HOSTILE_LINE,
    answer: HOSTILE_LINE,
    metadata: { summary: HOSTILE_LINE }
  })
}
/** Halves of characters cannot be written in it. */
const tomlString = (value: string): string =>
  `"${value
    .replace(/[\\"]/g, "\\$&")
    .replace(/\p{Cs}/gu, "")
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`
const policy = (place: Workspace, name = "mine") =>
  place.write(
    `home/.gemini/policies/${name}.toml`,
    `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "deny"\npriority = 500\ndenyMessage = ${tomlString(HOSTILE_LINE)}\n`
  )
const extension = (place: Workspace) =>
  writeFiles(join(place.home, ".gemini/extensions/far"), {
    "gemini-extension.json": JSON.stringify({ name: "far", version: `1.0.0${HOSTILE_LINE}`, description: HOSTILE_LINE })
  })

const PLACES: Readonly<Record<string, Place>> = {
  "an answer": { script: [say(HOSTILE_LINE)], args: ["-p", "go"] },
  "an answer in pieces": { script: [say(...HOSTILE_LINE)], args: ["-p", "go"] },
  "an answer as json": { script: [say(HOSTILE_LINE)], args: ["-p", "go", "-o", "json"] },
  "an answer as events": { script: [say(HOSTILE_LINE)], args: ["-p", "go", "-o", "stream-json"] },
  "a tool that there is not": { script: [ask(call(HOSTILE_LINE, {})), say("end")], args: ["-p", "go"] },
  "arguments of a tool": {
    script: [ask(call("read_file", { file_path: HOSTILE_LINE })), say("end")],
    args: ["-p", "go"]
  },
  "a command that is refused": {
    prepare: (place) => policy(place),
    script: [ask(call("run_shell_command", { command: `touch '${HOSTILE_LINE}'` })), say("end")],
    args: ["-p", "go", "--yolo"]
  },
  "an error of the API": { script: [apiError(HOSTILE_LINE)], args: ["-p", "go"] },
  "an error of the API as json": { script: [apiError(HOSTILE_LINE)], args: ["-p", "go", "-o", "json"] },
  "a page instead of an answer": {
    script: [raw(`<html><title>${HOSTILE_LINE}</title></html>`, { status: 502, type: "text/html" })],
    args: ["-p", "go"],
    env: { GEMINI_MAX_TIME: "3s" },
    shows: "error"
  },
  "a reason for no answer": {
    script: () =>
      answer([
        chunk(text("")),
        { candidates: [{ finishReason: "SAFETY", finishMessage: HOSTILE_LINE, index: 0 }], modelVersion: HOSTILE_LINE }
      ]),
    args: ["-p", "go"],
    shows: "error"
  },
  "the name of a server": {
    prepare: (place) => server(place, { diesAt: { method: "initialize", code: 3 } }, HOSTILE_LINE),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "tools of a server": {
    prepare: (place) =>
      server(place, {
        tools: [{ name: HOSTILE_LINE, description: HOSTILE_LINE, inputSchema: { type: "object" } }],
        instructions: HOSTILE_LINE
      }),
    args: ["mcp", "test", "far"],
    shows: "far"
  },
  "a failure of a server's tool": {
    prepare: (place) =>
      server(place, {
        tools: [{ name: "x", description: "x", inputSchema: { type: "object" } }],
        results: { x: { isError: true, content: [{ type: "text", text: HOSTILE_LINE }] } }
      }),
    script: [ask(call("mcp_far_x", {})), say("end")],
    args: ["-p", "go", "--yolo"],
    shows: "mcp_far_x"
  },
  "servers in a list": {
    prepare: (place) => server(place, { diesAt: { method: "initialize", code: 3 } }, HOSTILE_LINE),
    args: ["mcp", "list"]
  },
  "a server that is tried": {
    prepare: (place) => server(place, { diesAt: { method: "initialize", code: 3 } }, "far"),
    args: ["mcp", "test", HOSTILE_LINE]
  },
  "what a hook says": {
    prepare: (place) =>
      settings(
        place,
        hookSettings({ SessionStart: [{ name: HOSTILE_LINE, command: answering({ systemMessage: HOSTILE_LINE }) }] })
      ),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "why a hook refuses": {
    prepare: (place) =>
      settings(place, hookSettings({ BeforeAgent: [answering({ decision: "deny", reason: HOSTILE_LINE })] })),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "a hook that fails": {
    prepare: (place) =>
      settings(
        place,
        hookSettings({ SessionStart: [{ name: HOSTILE_LINE, command: `printf '%s' '${HOSTILE_LINE}' >&2; exit 1` }] })
      ),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "hooks in a list": {
    prepare: (place) =>
      settings(place, hookSettings({ SessionStart: [{ name: HOSTILE_LINE, command: HOSTILE_LINE }] })),
    args: ["hooks", "list"]
  },
  "the name of a policy file": { prepare: (place) => policy(place, HOSTILE_NAME), args: ["policy", "list"] },
  "a fault in a policy file": {
    prepare: (place) => place.write(`home/.gemini/policies/${HOSTILE_NAME}.toml`, "[[rule]\n"),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "a policy that is tried": {
    prepare: (place) => policy(place),
    args: ["policy", "test", `touch '${HOSTILE_LINE}'`]
  },
  "sessions in a list": { prepare: session, args: ["sessions", "list"] },
  "sessions by a flag": { prepare: session, args: ["--list-sessions"] },
  "a session that is shown": { prepare: session, args: ["sessions", "show", "1"] },
  "a session as json": { prepare: session, args: ["sessions", "export", "1"] },
  "a search in sessions": { prepare: session, args: ["sessions", "search", "left"] },
  "extensions in a list": { prepare: extension, args: ["extensions", "list"] },
  "extensions by a flag": { prepare: extension, args: ["--list-extensions"], shows: "far" },
  "a skill that is broken": {
    prepare: (place) => place.write(`work/.gemini/skills/${HOSTILE_NAME}/SKILL.md`, "no head"),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "skills in a list": {
    prepare: (place) =>
      place.write(
        "work/.gemini/skills/s/SKILL.md",
        `---\nname: helper\ndescription: ${JSON.stringify(HOSTILE_LINE)}\n---\nx\n`
      ),
    args: ["skills", "list", "--all"]
  },
  "an agent that is broken": {
    prepare: (place) => place.write(`work/.gemini/agents/${HOSTILE_NAME}.md`, "no head"),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "a value in the settings": {
    prepare: (place) => settings(place, { general: { maxAttempts: HOSTILE_LINE }, [HOSTILE_LINE]: 1 }),
    script: [say("end")],
    args: ["-p", "go"]
  },
  "settings in a list": {
    prepare: (place) => settings(place, { model: { name: HOSTILE_LINE } }),
    args: ["config", "list"]
  },
  "a setting that is explained": {
    prepare: (place) => settings(place, { model: { name: HOSTILE_LINE } }),
    args: ["config", "explain", "model.name"]
  },
  "a setting that is asked for": {
    prepare: (place) => settings(place, { model: { name: HOSTILE_LINE } }),
    args: ["config", "get", "model.name"]
  },
  "a variable": { script: [say("end")], args: ["-p", "go"], env: { GEMINI_MAX_TURNS: HOSTILE_LINE } },
  "a flag that there is not": { args: [`--${HOSTILE_LINE}`] },
  "a value of a flag": { args: ["-p", "go", "--approval-mode", HOSTILE_LINE] },
  "a flag of a sub-command": { args: ["sessions", "list", `--${HOSTILE_LINE}`] },
  "a session that there is not": { args: ["-p", "go", "--resume", HOSTILE_LINE] },
  "a command that there is not": { args: ["-p", `/${HOSTILE_NAME.replaceAll(/\s/g, "")}`], script: [say("end")] },
  "a file that there is not": { script: [say("end")], args: ["-p", `see @./${HOSTILE_NAME}/x.txt`] },
  "a context file that is refused": {
    prepare: (place) => {
      mkdirSync(join(place.cwd, HOSTILE_NAME))
      return place.write("work/GEMINI.md", `@./${HOSTILE_NAME.replaceAll(/\s/g, "")}.md`)
    },
    script: [say("end")],
    args: ["-p", "go"]
  },
  "a batch of strange items": {
    prepare: (place) =>
      place.write(
        "work/in.jsonl",
        `${JSON.stringify({ id: HOSTILE_LINE, prompt: HOSTILE_LINE })}\n{broken ${HOSTILE_LINE}\n`
      ),
    script: () => apiError(HOSTILE_LINE),
    args: ["batch", "in.jsonl", "-O", "out.jsonl"],
    shows: "items done"
  },
  "answers of a batch": {
    prepare: (place) => place.write("work/in.jsonl", JSON.stringify({ id: HOSTILE_LINE, prompt: "x" })),
    script: () => say(HOSTILE_LINE),
    args: ["batch", "in.jsonl", "-O", "-"]
  },
  "a batch whose input names a file": {
    prepare: (place) => place.write("work/in.jsonl", JSON.stringify({ id: 1, prompt: "x", f: HOSTILE_LINE })),
    args: ["batch", "in.jsonl", "-O", "out.jsonl", "--file-field", "f"],
    script: () => say("x"),
    shows: "items done"
  },
  "the journal of a batch": {
    prepare: (place) =>
      place.write("work/out.jsonl", `${JSON.stringify({ key: HOSTILE_LINE, status: HOSTILE_LINE })}\n`),
    args: ["batch", "status", "out.jsonl"],
    shows: "out.jsonl"
  },
  "outputs that are joined": {
    prepare: (place) =>
      place.write("work/out.jsonl", `${JSON.stringify({ id: HOSTILE_LINE, key: HOSTILE_LINE, status: "error" })}\n`),
    args: ["batch", "merge", "out.jsonl", "out.jsonl"]
  },
  "the help of a prompt that is a program": {
    prepare: (place) =>
      place.write(
        "work/p",
        `---\n${JSON.stringify({ description: HOSTILE_LINE, args: [{ name: "a", help: HOSTILE_LINE, default: HOSTILE_LINE }] })}\n---\nx\n`
      ),
    args: ["run", "p", "--help"]
  },
  "a prompt that is a program and has faults": {
    prepare: (place) => place.write("work/p", `---\n${JSON.stringify({ [HOSTILE_LINE]: 1 })}\n---\nx\n`),
    args: ["run", "p"]
  },
  "a prompt that is a program, by its name": {
    prepare: (place) => place.write(`work/${HOSTILE_NAME}`, "---\napproval_mode: yolo\nmodle: x\n---\nx\n"),
    args: ["run", HOSTILE_NAME]
  },
  "a cassette that is shown": {
    prepare: (place) =>
      place.write("work/t.jsonl", `${JSON.stringify({ cassette: 1, key: HOSTILE_LINE, [HOSTILE_LINE]: 1 })}\n`),
    args: ["cassette", "show", "t.jsonl"],
    shows: "t.jsonl"
  },
  "a cassette that is checked": {
    prepare: (place) =>
      place.write(
        "work/t.jsonl",
        `{"method":${JSON.stringify(HOSTILE_LINE)},"response":[{"x":${JSON.stringify(HOSTILE_LINE)}}]}\n${HOSTILE_LINE}\n`
      ),
    args: ["cassette", "verify", "t.jsonl"],
    shows: "t.jsonl"
  },
  "a cassette that is played": {
    prepare: (place) =>
      place.write(
        "work/t.jsonl",
        `{"method":${JSON.stringify(HOSTILE_LINE)},"response":[{"x":${JSON.stringify(HOSTILE_LINE)}}]}\n`
      ),
    args: ["-p", "go", "--replay", "t.jsonl"],
    shows: "t.jsonl"
  },
  "a budget that is none": {
    prepare: (place) =>
      place.write("work/b.json", JSON.stringify({ limit: { [HOSTILE_LINE]: 1 }, used: HOSTILE_LINE })),
    args: ["budget", "show", "b.json"],
    shows: "b.json"
  },
  "a file against a schema": {
    prepare: (place) =>
      place.write("work/s.json", JSON.stringify({ [HOSTILE_LINE]: HOSTILE_LINE, model: { [HOSTILE_LINE]: 1 } })),
    args: ["schema", "check", "settings", "s.json"]
  },
  "a policy that is broken, against its schema": {
    prepare: (place) =>
      place.write("work/p.toml", `[[rule]]\n${tomlString(HOSTILE_LINE)} = ${tomlString(HOSTILE_LINE)}\n`),
    args: ["schema", "check", "policy", "p.toml"]
  },
  "a schema for the answer": {
    prepare: (place) => place.write("work/s.json", JSON.stringify({ type: HOSTILE_LINE, $ref: HOSTILE_LINE })),
    args: ["-p", "go", "--output-schema", "s.json"],
    shows: "s.json"
  },
  "an answer that does not fit its schema": {
    script: () => say(JSON.stringify({ [HOSTILE_LINE]: HOSTILE_LINE })),
    args: ["-p", "go", "--output-schema", '{"type":"object","additionalProperties":false,"required":["a"]}']
  },
  "what the doctor finds": {
    prepare: (place) =>
      Promise.all([
        server(place, { diesAt: { method: "initialize", code: 3 } }, HOSTILE_LINE),
        place.write("work/.gemini/settings.json", JSON.stringify({ [HOSTILE_LINE]: 1, model: { name: HOSTILE_LINE } })),
        place.write(`work/.gemini/skills/s/SKILL.md`, `---\nname: ${HOSTILE_LINE}\n---\n`),
        policy(place, HOSTILE_NAME)
      ]),
    args: ["doctor"]
  },
  "models that a service has": {
    script: () => raw(JSON.stringify({ models: [{ name: `models/${HOSTILE_LINE}`, displayName: HOSTILE_LINE }] })),
    args: ["models", "--online"],
    shows: "MODEL"
  },
  "tools that a discovery command names": {
    prepare: (place) =>
      settings(place, {
        tools: {
          discoveryCommand: `printf '%s' ${JSON.stringify(`'${JSON.stringify([{ name: "x", description: "left" }])}'`)}; printf '${"\\033"}[2J' >&2; exit 1`
        }
      }),
    script: [say("end")],
    args: ["-p", "go"],
    shows: "end"
  },
  "a rule about a strange command": { args: ["policy", "test", `touch '${HOSTILE_LINE}'`] },
  "a rule about a strange call": {
    args: ["policy", "test", "--tool", HOSTILE_LINE, "--args", JSON.stringify({ file_path: HOSTILE_LINE })]
  },
  "a search that names strange files": {
    prepare: (place) => place.write(`work/${HOSTILE_NAME}.ts`, "needle\n"),
    script: [ask(call("grep_search", { pattern: "needle" }), call("glob", { pattern: "*" })), say("end")],
    args: ["-p", "go", "--verbose"],
    shows: "end"
  },
  "files that are taken back": {
    prepare: async (place) => {
      await using model = await startModelServer([
        ask(call("write_file", { file_path: `${HOSTILE_NAME}.txt`, content: HOSTILE_LINE })),
        say("end")
      ])
      await place.run(["-p", "go", "--approval-mode", "auto_edit"], { server: model })
    },
    args: ["undo", "--dry-run"]
  },
  "what can be taken back": {
    prepare: async (place) => {
      await using model = await startModelServer([
        ask(call("write_file", { file_path: `${HOSTILE_NAME}.txt`, content: "x" })),
        say("end")
      ])
      await place.run(["-p", HOSTILE_LINE, "--approval-mode", "auto_edit"], { server: model })
    },
    args: ["undo", "list"]
  },
  "what was kept": {
    prepare: async (place) => {
      await using model = await startModelServer([say(HOSTILE_LINE)])
      await place.run(["-p", HOSTILE_LINE, "--cache"], { server: model })
    },
    args: ["cache", "list"]
  },
  "an answer that was kept": {
    prepare: async (place) => {
      await using model = await startModelServer([say(HOSTILE_LINE)])
      await place.run(["-p", "go", "--cache"], { server: model })
    },
    args: ["-p", "go", "--cache"]
  },
  "the .env of a project": {
    prepare: (place) => place.write("work/.env", `GEMINI_X=${HOSTILE_LINE}\nLD_${"X"}=1\n`),
    script: [say("end")],
    args: ["-p", "go"],
    shows: "end"
  },
  "an agent in another file": {
    prepare: (place) =>
      place.write(
        "work/.gemini/agents/a.md",
        `---\nname: ${JSON.stringify(HOSTILE_LINE)}\ndescription: ${JSON.stringify(HOSTILE_LINE)}\n---\nx\n`
      ),
    script: [say("end")],
    args: ["-p", "go", "--verbose"],
    shows: "end"
  },
  "a worktree's name": { args: ["-p", "go", "--worktree", HOSTILE_LINE] },
  "a folder that is added": {
    args: ["-p", "go", "--include-directories", `./${HOSTILE_NAME}`],
    script: [say("end")]
  },
  "settings of another file": {
    prepare: (place) =>
      place.write("work/s.json", JSON.stringify({ [HOSTILE_LINE]: 1, run: { maxTurns: HOSTILE_LINE } })),
    args: ["-p", "go", "--settings", "s.json"],
    script: [say("end")]
  },
  "servers of another file": {
    prepare: (place) =>
      place.write("work/m.json", JSON.stringify({ mcpServers: { [HOSTILE_LINE]: { [HOSTILE_LINE]: 1 } } })),
    args: ["-p", "go", "--mcp-config", "m.json"],
    script: [say("end")]
  },
  "what runs, in the log": { script: [ask(call(HOSTILE_LINE, {})), say("end")], args: ["-p", "go", "--debug"] }
}

/** Beside the ends of lines, which the terminal itself completes, the only carriage return is that of the status line. */
const overwrites = (screen: string): ReadonlyArray<string> =>
  [...screen.replaceAll("\r\u001b[2K", "").matchAll(/.{0,10}\r(?!\n)/g)].map(([around]) => JSON.stringify(around))

const onTerminal = async (place: Workspace, { args, env = {}, prepare, script = [] }: Place, cwd = place.cwd) => {
  await prepare?.(place)
  await using model = await startModelServer(script)
  const seen = startInTerminal({ ...place, cwd }, args, { server: model, env, columns: 400 })
  await seen.exitCode
  return seen.screen()
}

describe("a run", () => {
  test.each(Object.entries(PLACES))("%s", async (_, row) => {
    await using place = await newWorkspace()
    const screen = await onTerminal(place, row)
    expect(screen).toContain(row.shows ?? "left")
    expect(actsIn(screen)).toEqual([])
    expect(overwrites(screen)).toEqual([])
  })

  test("the folder it is in", async () => {
    await using place = await newWorkspace()
    const cwd = join(place.root, HOSTILE_NAME)
    mkdirSync(cwd)
    const screen = await onTerminal(
      place,
      {
        script: [apiError("x")],
        args: ["-p", "go"],
        env: { GEMINI_CLI_TRUST_WORKSPACE: "false" }
      },
      cwd
    )
    expect(screen).toContain("left")
    expect(actsIn(screen)).toEqual([])
  })

  test("a pipe gets the answer as it is, but for sequences", async () => {
    await using place = await newWorkspace()
    await using model = await startModelServer([say("a\u200bb\r\u0007\u202e c\u001b[31md\u001b[0m\u2028")])
    const { stdout } = await place.run(["-p", "go"], { server: model })
    expect(stdout).toBe("a\u200bb\r\u0007\u202e cd\u2028\n")
  })

  test("what is wanted raw is raw", async () => {
    await using place = await newWorkspace()
    const screen = await onTerminal(place, {
      script: [say("\u001b[31mred\u001b[0m")],
      args: ["-p", "go", "--accept-raw-output-risk", "--raw-output"]
    })
    expect(screen).toContain("\u001b[31mred\u001b[0m")
  })
})

describe("a conversation", () => {
  const READY = "  Type your message or @path/to/file"

  test.each<[string, (place: Workspace) => unknown, ReadonlyArray<string>]>([
    [
      "commands about servers",
      (place) =>
        server(
          place,
          {
            tools: [{ name: "x", description: HOSTILE_LINE, inputSchema: {} }],
            prompts: [{ name: "p", description: HOSTILE_LINE }]
          },
          HOSTILE_LINE
        ),
      ["/mcp desc", "/mcp schema", "/tools desc", "/help"]
    ],
    [
      "commands about hooks and rules",
      (place) =>
        Promise.all([
          settings(place, hookSettings({ AfterAgent: [{ name: HOSTILE_LINE, command: "true" }] })),
          policy(place, HOSTILE_NAME)
        ]),
      ["/hooks list", "/policies list"]
    ],
    ["commands about sessions", session, ["/chat list", "/resume list", "/stats", "/about"]],
    [
      "commands about what is installed",
      (place) =>
        Promise.all([
          extension(place),
          place.write("work/.gemini/commands/x.toml", `prompt = "x"\ndescription = ${tomlString(HOSTILE_LINE)}\n`),
          place.write(
            "work/.gemini/skills/s/SKILL.md",
            `---\nname: helper\ndescription: ${JSON.stringify(HOSTILE_LINE)}\n---\nx\n`
          )
        ]),
      ["/extensions list", "/commands list", "/skills list", "/help"]
    ],
    [
      "commands about context",
      (place) => place.write("work/GEMINI.md", HOSTILE_LINE),
      ["/memory show", "/memory list", "/directory show"]
    ],
    ["settings", (place) => settings(place, { model: { name: HOSTILE_LINE } }), ["/settings"]],
    ["what is typed wrong", () => undefined, ["/nosuchthing", "/mcp auth nosuch"]]
  ])("%s", async (_, prepare, lines) => {
    await using place = await newWorkspace()
    await prepare(place)
    await using model = await startModelServer(() => say("end of it"))
    const seen = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server: model, columns: 200 })
    await seen.shows(READY)
    for (const line of lines) {
      seen.type(`${line}\r`)
      await seen.showsNext("> ")
    }
    seen.type("the last\r")
    await seen.shows("end of it")
    seen.type("\u0004")
    await seen.exitCode
    expect(actsIn(seen.screen())).toEqual([])
  })

  test("answers, tools, commands of the person, and what is shown again", async () => {
    await using place = await newWorkspace()
    await place.write("work/out.txt", HOSTILE_LINE)
    await using model = await startModelServer([
      say(...HOSTILE_LINE),
      ask(call("run_shell_command", { command: "cat out.txt" })),
      say(HOSTILE_LINE),
      ask(call(HOSTILE_LINE, {})),
      say("| left | b |\n|---|---|\n| \u001b[2J\u0007x | &#27;[2J |\n"),
      apiError(HOSTILE_LINE)
    ])
    const first = startInTerminal(place, ["--yolo", "--model", "gemini-2.5-flash"], { server: model, columns: 100 })
    await first.shows(READY)
    for (const line of ["one", "two", "!cat out.txt", "three", "four"]) {
      first.type(`${line}\r`)
      await first.showsNext("yolo> ")
    }
    first.type("\u0004")
    await first.exitCode
    expect(first.plain()).toContain("left")
    expect(actsIn(first.screen())).toEqual([])
    const again = startInTerminal(place, ["--resume", "latest"], { server: model })
    await again.shows("left")
    await again.shows("> ")
    again.type("\u0004")
    await again.exitCode
    expect(actsIn(again.screen())).toEqual([])
  })

  test("the folder it is in, and the question about it", async () => {
    await using place = await newWorkspace()
    const cwd = join(place.root, HOSTILE_NAME)
    mkdirSync(join(cwd, ".gemini/skills", HOSTILE_NAME), { recursive: true })
    writeFileSync(join(cwd, ".gemini/skills", HOSTILE_NAME, "SKILL.md"), "---\nname: x\ndescription: y\n---\n")
    await using model = await startModelServer([say("end of it")])
    const seen = startInTerminal({ ...place, cwd }, [], {
      server: model,
      env: { GEMINI_CLI_TRUST_WORKSPACE: "" },
      columns: 300
    })
    await seen.shows("Do you trust")
    await seen.shows("1-4")
    expect(seen.plain()).toContain("<U+202E>")
    seen.type("1\r")
    await seen.shows(READY)
    seen.type("\u0004")
    await seen.exitCode
    expect(actsIn(seen.screen())).toEqual([])
  })

  test.each<[string, Parameters<typeof call>]>([
    ["a command", ["run_shell_command", { command: `touch '${HOSTILE_LINE}'`, description: HOSTILE_LINE }]],
    ["a new file", ["write_file", { file_path: `${HOSTILE_NAME}.txt`, content: HOSTILE_LINE }]],
    ["a page", ["web_fetch", { prompt: `https://example.com/ ${HOSTILE_NAME}` }]],
    ["a tool of a server", ["mcp_far_x", { [HOSTILE_LINE]: HOSTILE_LINE }]],
    ["a note to remember", ["save_memory", { fact: HOSTILE_LINE }]],
    ["an agent", ["invoke_agent", { agent_name: "generalist", prompt: HOSTILE_LINE }]]
  ])("the question about %s shows everything, and nothing acts", async (_, wanted) => {
    await using place = await newWorkspace()
    const tools = [{ name: "x", description: HOSTILE_LINE, inputSchema: { type: "object" } }]
    await settings(place, { mcpServers: { far: scriptedServer({ tools }) } })
    await place.write(
      "home/.gemini/policies/a.toml",
      `[[rule]]\ntoolName = "invoke_agent"\ndecision = "ask_user"\npriority = 900\n`
    )
    await using model = await startModelServer([ask(call(...wanted)), say("end of it")])
    const seen = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server: model, columns: 120 })
    await seen.shows(READY)
    seen.type("go\r")
    await seen.shows("Allow? ")
    const question = seen.plain().replaceAll(/[\r\n]+ +│ /g, "")
    seen.type("n\r")
    await seen.shows("end of it")
    seen.type("\u0004")
    await seen.exitCode
    expect(actsIn(seen.screen())).toEqual([])
    for (const written of ["left", "<U+202E>", "right"]) expect(question).toContain(written)
  })
})
