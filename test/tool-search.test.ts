/** `glob` and `grep_search` through the binary, with ripgrep and without it. */

import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { mkdir, symlink, utimes } from "node:fs/promises"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"
import { type Answered, callEach, callTools, expectAnswer, inTurns, tool } from "./kit/tool-run.ts"

const linesOf = (answered: Answered | undefined): ReadonlyArray<string> => answered?.output?.split("\n").slice(1) ?? []

describe("glob", () => {
  test("new files first, then by name; ignored and core folders left out", async () => {
    await using place = await newWorkspace()
    await mkdir(join(place.cwd, ".git"))
    await place.write("work/.gitignore", "dist/\n")
    for (const name of ["b.ts", "a.ts", "sub/new.ts", "sub/newer.ts", "dist/x.ts", "node_modules/y.ts", "c.js"])
      await place.write(`work/${name}`, "x")
    const old = new Date("2020-01-01")
    for (const name of ["a.ts", "b.ts"]) await utimes(join(place.cwd, name), old, old)
    const soon = Date.now() / 1000
    await utimes(join(place.cwd, "sub/new.ts"), soon - 60, soon - 60)
    const [all, folder, sensitive, none, ignored] = await callEach(
      place,
      "glob",
      { pattern: "**/*.ts" },
      { pattern: "*.TS", dir_path: "sub" },
      { pattern: "*.TS", dir_path: "sub", case_sensitive: true },
      { pattern: "*.rs" },
      { pattern: "**/x.ts" }
    )
    expect(all?.output).toStartWith('Found 4 file(s) matching "**/*.ts"')
    expect(linesOf(all)).toEqual(["sub/newer.ts", "sub/new.ts", "a.ts", "b.ts"].map((name) => join(place.cwd, name)))
    expect(linesOf(folder)).toHaveLength(2)
    expectAnswer(sensitive, { status: "success", output: expect.stringContaining("No files found") })
    expect(none?.output).toContain("No files found")
    expect(ignored?.output).toContain("(1 files were ignored)")
  })

  test("failures", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "x")
    await symlink("/etc", join(place.cwd, "out"))
    const answers = await callEach(
      place,
      "glob",
      { pattern: " " },
      { pattern: "*", dir_path: "nowhere" },
      { pattern: "*", dir_path: "a.txt" },
      { pattern: "*", dir_path: "/etc" },
      { pattern: "**/passwd" },
      { pattern: "*", dir_path: "out" }
    )
    expect(answers.map(({ status }) => status)).toEqual(["error", "error", "error", "error", "success", "error"])
    expect(answers.map(({ type }) => type)).toEqual([
      "invalid_tool_params",
      "search_path_not_found",
      "search_path_not_a_directory",
      "invalid_tool_params",
      undefined,
      "invalid_tool_params"
    ])
    expect(answers[4]?.output).toContain("No files found")
  })
})

describe.each([
  ["ripgrep", "{}"],
  ["no ripgrep", '{ "tools": { "useRipgrep": false } }']
])("grep_search with %s", (_, settings) => {
  const prepared = async () => {
    const place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings)
    await mkdir(join(place.cwd, ".git"))
    await place.write("work/.gitignore", "*.gen.ts\n")
    await place.write("work/src/a.ts", "const needle = 1\nother\nNEEDLE again\n")
    await place.write("work/src/b.js", "needle\n")
    await place.write("work/src/c.gen.ts", "needle\n")
    await place.write("work/.env", "needle=SECRET\n")
    return place
  }

  test("matches by file and line, under either name", async () => {
    await using place = await prepared()
    const run = await callTools(place, [
      [
        tool("grep_search", { pattern: "needle" }),
        tool("search_file_content", { pattern: "needle", include_pattern: "*.ts" }),
        tool("grep_search", { pattern: "needle", case_sensitive: true, dir_path: "src", names_only: true }),
        tool("grep_search", { pattern: "nothing-like-it" }),
        tool("grep_search", { pattern: "needle", total_max_matches: 1 }),
        tool("grep_search", { pattern: "needle = 1", fixed_strings: true, after: 1 }),
        tool("grep_search", { pattern: "-e needle" })
      ]
    ])
    const [all, alias, names, none, limited, context, dash] = run.answers
    expect(all?.output).toStartWith('Found 3 matches for pattern "needle"')
    expect(all?.output).toContain(
      ":\n---\nFile: src/a.ts\nL1: const needle = 1\nL2- other\nL3: NEEDLE again\n---\nFile: src/b.js\nL1: needle\n---"
    )
    expectAnswer(alias, { name: "search_file_content", status: "success" })
    expect(alias?.output).toContain('(filter: "*.ts")')
    expect(alias?.output).not.toContain("b.js")
    expect(names?.output).toEndWith(":\na.ts\nb.js")
    expectAnswer(none, { status: "success", output: expect.stringContaining("No matches found") })
    expect(limited?.output).toContain("Found 1 match ")
    expect(context?.output).toContain("L1: const needle = 1\nL2- other\n---")
    expectAnswer(dash, { status: "success", output: expect.stringContaining("No matches found") })
    expect(JSON.stringify(run.answers)).not.toContain("SECRET")
    expect(JSON.stringify(run.answers)).not.toContain("gen.ts")
  })

  test("failures", async () => {
    await using place = await prepared()
    const answers = await callEach(
      place,
      "grep_search",
      { pattern: "(" },
      { pattern: "x", dir_path: "nowhere" },
      { pattern: "x", dir_path: "/etc" },
      { pattern: "x", exclude_pattern: "[" },
      { pattern: "root", dir_path: ".env" }
    )
    expect(answers.map(({ type }) => type)).toEqual([
      "invalid_tool_params",
      "file_not_found",
      "invalid_tool_params",
      "invalid_tool_params",
      "invalid_tool_params"
    ])
  })
})

test("a search does not follow links out of the workspace", async () => {
  await using place = await newWorkspace()
  await place.write("outside/secret.txt", "needle SECRET")
  await symlink(join(place.root, "outside"), join(place.cwd, "out"))
  await symlink(join(place.root, "outside/secret.txt"), join(place.cwd, "link.txt"))
  const run = await callTools(place, [
    ...inTurns(tool("grep_search", { pattern: "needle" }), tool("glob", { pattern: "**/secret.txt" })),
    [tool("read_many_files", { include: ["**/*.txt"] }), tool("grep_search", { pattern: "needle", no_ignore: true })]
  ])
  expect(JSON.stringify(run.answers)).not.toContain("SECRET")
  expect(run.answers.slice(0, 2).map(({ output }) => output?.slice(0, 2))).toEqual(["No", "No"])
})

test("a search that runs unasked passes over what may not be read; beside a command that writes it is asked about", async () => {
  await using place = await newWorkspace()
  const rule = 'toolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "allow"\npriority = 100'
  await place.write("home/.gemini/policies/touch.toml", `[[rule]]\n${rule}\n`)
  await place.write("work/a.txt", "KEY=open\n")
  for (const file of [".env", "app/.env"]) await place.write(`work/${file}`, "KEY=closed\n")
  const lines = ["rg -uuu KEY", "bash -c 'rg --hidden KEY' && rg --files -uu -g '*'", "rg -uu KEY; touch made"]
  await using server = await startModelServer([
    ask(...lines.map((command) => call("run_shell_command", { command }))),
    say("all done")
  ])
  const session = startInTerminal(place, [], { server, columns: 120 })
  await session.shows("  Type your message or @path/to/file")
  session.type("do it\r")
  await session.shows("Allow? ")
  expect(session.plain()).toContain("touch made")
  session.type("n\r")
  await session.shows("all done")
  const told = JSON.stringify(server.generations.at(-1)?.body)
  expect(told).toContain("KEY=open")
  expect(told).not.toContain("KEY=closed")
  expect(told).not.toContain("app/.env")
  expect(existsSync(join(place.cwd, "made"))).toBe(false)
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
})
