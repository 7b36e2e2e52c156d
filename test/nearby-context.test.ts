/** Context files below the working folder: they reach the model with the first result of a tool that touched their place. */
import { describe, expect, test } from "bun:test"
import { newWorkspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const START = "--- Newly Discovered Project Context ---"
const END = "--- End Project Context ---"

const projectWith = async (files: Readonly<Record<string, string>>) => {
  const place = await newWorkspace()
  for (const [path, content] of Object.entries(files)) await place.write(path, content)
  return place
}

const NESTED = {
  "work/GEMINI.md": "rules of the whole",
  "work/lib/GEMINI.md": "rules of lib",
  "work/lib/inner/GEMINI.md": "rules of inner",
  "work/lib/inner/a.txt": "alpha",
  "work/other/b.txt": "beta"
}

describe("what a tool touches brings the context files of its folder", () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["read_file", { file_path: "lib/inner/a.txt" }],
    ["list_directory", { dir_path: "lib/inner" }],
    ["write_file", { file_path: "lib/inner/new.txt", content: "x" }],
    ["replace", { file_path: "lib/inner/a.txt", old_string: "alpha", new_string: "omega", instruction: "rename" }],
    ["read_many_files", { include: ["lib/inner/*.txt"] }]
  ])("%s", async (name, args) => {
    await using place = await projectWith(NESTED)
    const { answers, result } = await callTools(place, inTurns(tool(name, args), tool(name, args)), {
      args: ["--yolo"]
    })
    expect(result.exitCode).toBe(0)
    const [first, second] = answers.map(({ error, output }) => output ?? error ?? "")
    expect(first).toContain(`\n\n${START}\n--- Context from: ${place.cwd}/lib/GEMINI.md ---\nrules of lib\n`)
    expect(first).toMatch(/rules of lib.*rules of inner/s)
    expect(first?.endsWith(END)).toBe(true)
    // The file of the working folder was sent at the start, and each of the others is sent once.
    expect(first).not.toContain("rules of the whole")
    expect(second).not.toContain(START)
  })

  test("files of several folders come in one block", async () => {
    await using place = await projectWith({ ...NESTED, "work/other/GEMINI.md": "rules of other" })
    const { answers } = await callTools(place, inTurns(tool("read_many_files", { include: ["**/*.txt"] })))
    expect(answers[0]?.output?.split(START)).toHaveLength(2)
    expect(answers[0]?.output).toMatch(/rules of lib.*rules of inner.*rules of other/s)
  })

  test("but a failed call, a search, an untrusted folder and the setting against it bring none", async () => {
    await using place = await projectWith(NESTED)
    const missing = tool("read_file", { file_path: "lib/inner/missing.txt" })
    const search = tool("grep_search", { pattern: "alpha", dir_path: "lib/inner" })
    const read = tool("read_file", { file_path: "lib/inner/a.txt" })
    const plain = await callTools(place, inTurns(missing, search))
    const untrusted = await callTools(place, inTurns(read), { env: { GEMINI_CLI_TRUST_WORKSPACE: undefined } })
    await place.write("home/.gemini/settings.json", JSON.stringify({ experimental: { jitContext: false } }))
    const eager = await callTools(place, inTurns(read))
    for (const { answers } of [plain, untrusted, eager]) {
      for (const { error, output } of answers) expect(output ?? error).not.toContain(START)
    }
    expect(eager.answers[0]?.output).toContain("alpha")
  })

  test("a result that is cut keeps them whole", async () => {
    await using place = await projectWith({
      ...NESTED,
      "home/.gemini/settings.json": JSON.stringify({ tools: { truncateToolOutputThreshold: 200 } }),
      ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`work/lib/inner/file-${index}.txt`, ""]))
    })
    const { answers } = await callTools(place, inTurns(tool("list_directory", { dir_path: "lib/inner" })))
    expect(answers[0]?.output).toContain("Output too large")
    expect(answers[0]?.output).toMatch(/rules of lib.*rules of inner/s)
  })
})
