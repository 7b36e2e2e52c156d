/** Tools that read files and folders, driven through the binary: what the model gets, and what it must not get. */
import { describe, expect, test } from "bun:test"
import { mkdir, symlink, truncate } from "node:fs/promises"
import { join } from "node:path"
import { newWorkspace } from "./kit/run-gemini.ts"
import { callEach, callTools, expectAnswer, inTurns, tool, withoutRights } from "./kit/tool-run.ts"

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

describe("list_directory", () => {
  test("folders first, sizes, ignored entries counted", async () => {
    await using place = await newWorkspace()
    await mkdir(join(place.cwd, ".git"))
    await place.write("work/.gitignore", "*.log\nbuild/\n")
    await place.write("work/a.log", "x")
    await place.write("work/build/out.js", "x")
    await place.write("work/b.txt", "12345")
    await place.write("work/src/main.ts", "")
    const [listed, filtered, empty] = await callEach(
      place,
      "list_directory",
      { dir_path: "." },
      { dir_path: place.cwd, ignore: ["b.*", ".git*"], file_filtering_options: { respect_git_ignore: false } },
      { dir_path: "src" }
    )
    const header = `Directory listing for ${place.cwd}:`
    expect(listed?.output).toStartWith(`${header}\n[DIR] `)
    expect(listed?.output).toContain("\n[DIR] src\n.gitignore (13 bytes)\nb.txt (5 bytes)\n\n(")
    expect(listed?.output).not.toContain("a.log")
    expect(listed?.output).toMatch(/\n\(\d ignored\)$/)
    expect(filtered?.output).toContain("[DIR] build\n[DIR] src\na.log (1 bytes)")
    expect(filtered?.output).not.toContain("b.txt")
    expect(empty?.output).toContain("main.ts (0 bytes)")
  })

  test("failures", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "x")
    await mkdir(join(place.cwd, "empty"))
    const [empty, missing, file, outside, wrong] = await callEach(
      place,
      "list_directory",
      { dir_path: "empty" },
      { dir_path: "nowhere" },
      { dir_path: "a.txt" },
      { dir_path: ".." },
      { dir_path: 7 }
    )
    expectAnswer(empty, { status: "success", output: expect.stringContaining("is empty") })
    expectAnswer(missing, { status: "error", type: "file_not_found" })
    expectAnswer(file, { type: "path_is_not_a_directory" })
    expectAnswer(outside, { type: "invalid_tool_params", error: expect.stringContaining(place.cwd) })
    expectAnswer(wrong, { type: "invalid_tool_params", error: expect.stringContaining("dir_path") })
  })
})

test("names with line breaks and bytes that are not text do not spoil a listing", async () => {
  await using place = await newWorkspace()
  await place.shell("printf x > $'a\\nb.txt'; printf x > $'c\\xff.txt'; printf x > plain.txt; ln -s nowhere dangling")
  const run = await callTools(place, [
    [
      tool("list_directory", { dir_path: "." }),
      tool("glob", { pattern: "*.txt" }),
      tool("grep_search", { pattern: "x" }),
      tool("read_many_files", { include: ["*.txt"] })
    ]
  ])
  const [listed, found] = run.answers
  expect(run.answers.map(({ status }) => status)).toEqual(Array(4).fill("success"))
  expect(listed?.output?.split("\n").filter((line) => line.startsWith("b.txt"))).toEqual([])
  expect(listed?.output).toContain("plain.txt (1 bytes)")
  expect(found?.output?.split("\n").slice(1)).toContain(join(place.cwd, "plain.txt"))
})

describe("read_file: text", () => {
  test("whole, by pages, past the end, with long lines", async () => {
    await using place = await newWorkspace()
    await place.write("work/small.txt", "one\r\ntwo\n")
    await place.write("work/long.txt", Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join("\n"))
    await place.write("work/wide.txt", "x".repeat(5000))
    const [whole, first, middle, range, past, wide, empty] = await callEach(
      place,
      "read_file",
      { file_path: "small.txt" },
      { file_path: "long.txt" },
      { file_path: "long.txt", start_line: 2001 },
      { file_path: join(place.cwd, "long.txt"), start_line: 10, end_line: 12 },
      { file_path: "long.txt", start_line: 9000 },
      { file_path: "wide.txt" },
      { file_path: "long.txt", start_line: 4, end_line: 2 }
    )
    expect(whole?.output).toBe("one\ntwo\n")
    expect(first?.output).toContain("truncated")
    expect(first?.output).toContain("1-2000 of 5000")
    expect(first?.output).toContain("start_line: 2001")
    expect(first?.output).toContain("--- FILE CONTENT (truncated) ---\nline 1\n")
    expect(first?.output).toEndWith("\nline 2000")
    expect(first?.shown).toContain("1-2000 of 5000")
    expect(middle?.output).toContain("--- FILE CONTENT (truncated) ---\nline 2001\n")
    expect(range?.output).toEndWith("\nline 10\nline 11\nline 12")
    expect(range?.output).toContain("10-12 of 5000")
    expectAnswer(past, { status: "success", output: expect.stringContaining("5000") })
    expect(wide?.output).toEndWith(`${"x".repeat(2000)}... [truncated]`)
    expectAnswer(empty, { type: "invalid_tool_params", error: expect.stringContaining("start_line") })
  })

  test("encodings are recognised by their mark", async () => {
    await using place = await newWorkspace()
    const text = "grüß 𝄞 dich\n"
    const little = Buffer.from(`\ufeff${text}`, "utf16le")
    await place.write("work/utf16le.txt", little)
    await place.write("work/utf16be.txt", Buffer.from(little).swap16())
    await place.write("work/bom.txt", `\ufeff${text}`)
    const answers = await callEach(
      place,
      "read_file",
      { file_path: "utf16le.txt" },
      { file_path: "utf16be.txt" },
      { file_path: "bom.txt" }
    )
    expect(answers.map(({ output }) => output)).toEqual([text, text, text])
  })

  test("names with spaces, quotes, a leading dash and a percent sign", async () => {
    await using place = await newWorkspace()
    const names = ["a b.txt", 'it\'s "x".txt', "-n.txt", "a%20b.txt", "@x.txt", "ü.txt"]
    for (const name of names) await place.write(`work/${name}`, name)
    const answers = await callEach(place, "read_file", ...names.map((name) => ({ file_path: name })))
    expect(answers.map(({ output }) => output)).toEqual(names)
  })
})

describe("read_file: what is not text", () => {
  test("an image is nested data for a model that takes it, and stands beside the response for another", async () => {
    await using place = await newWorkspace()
    await place.write("work/dot.png", PNG)
    const turns = inTurns(tool("read_file", { file_path: "dot.png" }))
    const inlineData = { data: PNG.toString("base64"), mimeType: "image/png" }
    const nested = await callTools(place, turns, { args: ["-m", "gemini-3-pro-preview"] })
    expect(nested.answers[0]?.media).toEqual([{ inlineData }])
    const beside = await callTools(place, turns, { args: ["-m", "gemini-2.5-flash"] })
    expectAnswer(beside.answers[0], { status: "success", media: [] })
    expect(beside.bodies.at(-1)).toMatchObject({
      contents: expect.arrayContaining([
        { role: "user", parts: [expect.objectContaining({ functionResponse: expect.any(Object) }), { inlineData }] }
      ])
    })
  })

  test("sound follows in a message of its own, in a history that the API accepts", async () => {
    await using place = await newWorkspace()
    const sound = Buffer.concat([
      Buffer.from("ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0000"),
      Buffer.from([0xff, 0xfb, 0x90, 0, 0, 0])
    ])
    await place.write("work/tone.mp3", sound)
    const run = await callTools(place, inTurns(tool("read_file", { file_path: "tone.mp3" })))
    expect(run.result.exitCode).toBe(0)
    expectAnswer(run.answers[0], { status: "success", media: [], output: expect.any(String) })
    expect(run.bodies.at(-1)).toMatchObject({
      contents: expect.arrayContaining([
        { role: "user", parts: [{ inlineData: { data: sound.toString("base64"), mimeType: "audio/mpeg" } }] }
      ])
    })
  })

  test("binary, SVG, sound, an image that is none, a pipe, a directory, a huge file", async () => {
    await using place = await newWorkspace()
    await place.write("work/data.bin", Buffer.from([0, 1, 2, 3, 0, 255]))
    await place.write("work/a.svg", "<svg/>\n")
    await place.write("work/error.png", "<html>404</html>")
    await place.write("work/tone.wma", Buffer.from([0x30, 0x26, 0xb2, 0x75, 0, 0, 0, 0]))
    await place.write("work/huge.txt", "x")
    await truncate(join(place.cwd, "huge.txt"), 21 * 1024 * 1024)
    await place.shell("mkfifo pipe; ln -s loop loop")
    const names = ["data.bin", "a.svg", "error.png", "tone.wma", "pipe", ".", "huge.txt", "nowhere.txt", "loop"]
    const [binary, svg, html, sound, pipe, folder, huge, missing, loop] = await callEach(
      place,
      "read_file",
      ...names.map((name) => ({ file_path: name }))
    )
    expectAnswer(binary, { status: "success", output: expect.stringContaining("data.bin") })
    expect(svg?.output).toBe("<svg/>\n")
    expectAnswer(html, { status: "success", output: "<html>404</html>", media: [] })
    expectAnswer(sound, { type: "read_content_failure", error: expect.stringContaining("flac") })
    expectAnswer(pipe, { type: "read_content_failure" })
    expectAnswer(folder, { type: "target_is_directory" })
    expectAnswer(huge, { type: "file_too_large", error: expect.stringContaining("20 MB") })
    expectAnswer(missing, { type: "file_not_found" })
    expectAnswer(loop, { status: "error", type: "invalid_tool_params" })
  })
})

describe("read_file: the border of the workspace", () => {
  test("nothing outside, through no link, and no secrets inside", async () => {
    await using place = await newWorkspace()
    const secret = await place.write("outside/secret.txt", "SECRET")
    await place.write("work-evil/secret.txt", "SECRET")
    await place.write("work/.env", "TOKEN=SECRET")
    await place.write("work/.git/config", "SECRET")
    await place.write("work/gha-creds-1.json", "SECRET")
    await symlink(join(place.root, "outside"), join(place.cwd, "out"))
    await symlink(secret, join(place.cwd, "link.txt"))
    const paths = [
      secret,
      "../outside/secret.txt",
      "..//outside//secret.txt",
      `${place.cwd}-evil/secret.txt`,
      "out/secret.txt",
      "link.txt",
      ".env",
      "./.ENV",
      ".git/config",
      "gha-creds-1.json",
      "a\u0000.txt/../../outside/secret.txt",
      `file://${secret}`,
      "/proc/self/environ",
      "",
      "x".repeat(5000),
      "a\nb"
    ]
    const answers = await callEach(place, "read_file", ...paths.map((path) => ({ file_path: path })))
    for (const [index, answered] of answers.entries()) {
      expect({ path: paths[index], ...answered }).toMatchObject({ path: paths[index], type: "invalid_tool_params" })
      expect(JSON.stringify(answered)).not.toContain("SECRET")
    }
  })

  test("a further folder is opened by --include-directories", async () => {
    await using place = await newWorkspace()
    const file = await place.write("other/a.txt", "inside")
    const run = await callTools(place, inTurns(tool("read_file", { file_path: file })), {
      args: ["--include-directories", join(place.root, "other")]
    })
    expect(run.answers[0]?.output).toBe("inside")
  })

  test("ignored files are not read", async () => {
    await using place = await newWorkspace()
    await mkdir(join(place.cwd, ".git"))
    await place.write("work/.gitignore", "private/\n*.key\n")
    await place.write("work/.geminiignore", "notes.md\n")
    for (const name of ["private/a.txt", "x.key", "notes.md", "free.md"]) await place.write(`work/${name}`, "content")
    const answers = await callEach(
      place,
      "read_file",
      ...["private/a.txt", "x.key", "notes.md", "free.md"].map((name) => ({ file_path: name }))
    )
    expect(answers.map(({ type }) => type)).toEqual([
      "invalid_tool_params",
      "invalid_tool_params",
      "invalid_tool_params",
      undefined
    ])
    expect(answers[0]?.error).toContain("ignored")
    expect(answers[3]?.output).toBe("content")
  })

  test("a file that may not be read says so", async () => {
    await using place = await newWorkspace()
    await place.write("work/closed.txt", "x")
    const run = await callTools(place, inTurns(tool("read_file", { file_path: "closed.txt" })), {
      start: withoutRights(place, "chmod 0 closed.txt")
    })
    expectAnswer(run.answers[0], { type: "permission_denied", error: expect.stringContaining("closed.txt") })
  })
})

describe("read_many_files", () => {
  test("joins what the patterns select, in order", async () => {
    await using place = await newWorkspace()
    await place.write("work/src/b.ts", "b")
    await place.write("work/src/a.ts", "a")
    await place.write("work/src/c.js", "c")
    await place.write("work/node_modules/x/index.ts", "no")
    await place.write("work/dot.png", PNG)
    await place.write("work/.env", "SECRET")
    const [some, picture, none, invalid] = await callEach(
      place,
      "read_many_files",
      { include: ["**/*.ts", "dot*", ".env"] },
      { include: ["*.png"] },
      { include: ["*.rs"] },
      { include: [] }
    )
    const head = (name: string) => `--- ${join(place.cwd, name)} ---\n\n`
    expect(some?.output).toStartWith(`${head("src/a.ts")}a\n\n`)
    expect(some?.output).toContain(`${head("src/b.ts")}b\n\n`)
    expect(some?.output).toEndWith("\n--- End of content ---")
    expect(some?.output).not.toContain("node_modules")
    expect(some?.output).not.toContain("SECRET")
    expectAnswer(picture, {
      output: "\n--- End of content ---",
      media: [{ inlineData: { mimeType: "image/png" } }]
    })
    expectAnswer(none, { status: "success", output: expect.stringContaining("No files") })
    expectAnswer(invalid, { type: "invalid_tool_params" })
  })
})
