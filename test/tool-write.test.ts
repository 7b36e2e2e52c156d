/** `write_file` and `replace` through the binary: bytes on disk, and what the model is told about them. */
import { describe, expect, test } from "bun:test"
import { link, lstat, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises"
import { join } from "node:path"
import { type Part, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, expectAnswer, inTurns, tool, withoutRights } from "./kit/tool-run.ts"

const EDITS = ["--approval-mode", "auto_edit"]

const write = (file_path: string, content: string) => tool("write_file", { file_path, content })
const replace = (file_path: string, old_string: string, new_string: string, more: object = {}) =>
  tool("replace", { file_path, instruction: "change it", old_string, new_string, ...more })

/** One call each, in turns of their own, in the mode that lets edits through. */
const edit = async (place: Workspace, ...calls: ReadonlyArray<Part>) => {
  const run = await callTools(place, inTurns(...calls), { args: EDITS })
  expect({ exitCode: run.result.exitCode, denials: run.end.permission_denials }).toEqual({ exitCode: 0, denials: [] })
  return run.answers
}

const leftovers = async (place: Workspace) => (await readdir(place.cwd)).filter((name) => name.includes(".tmp"))

describe("write_file", () => {
  test("creates with parents, overwrites, keeps mode, line endings and marks", async () => {
    await using place = await newWorkspace()
    const script = await place.write("work/run.sh", "old\n")
    await place.shell("chmod 750 run.sh")
    await place.write("work/dos.txt", "a\r\nb\r\n")
    await place.write("work/bom.txt", "\ufeffold\n")
    await place.write("work/utf16.txt", Buffer.from("\ufeffold\r\n", "utf16le"))
    const [created, overwritten] = await edit(
      place,
      write("deep/er/new.txt", "one\ntwo\n"),
      write("run.sh", "new\n"),
      write("dos.txt", "c\nd\n"),
      write("bom.txt", "new\n"),
      write("utf16.txt", "neu ü\n")
    )
    expect(await place.read("work/deep/er/new.txt")).toBe("one\ntwo\n")
    expectAnswer(created, { status: "success", output: expect.stringContaining("2 lines") })
    expect(created?.output).not.toContain("one\ntwo")
    expect(created?.shown).toContain("+one")
    expect(overwritten?.output).toContain("without having been read")
    expect({ content: await place.read("work/run.sh"), mode: (await stat(script)).mode & 0o777 }).toEqual({
      content: "new\n",
      mode: 0o750
    })
    expect(await place.read("work/dos.txt")).toBe("c\r\nd\r\n")
    expect(await place.read("work/bom.txt")).toBe("\ufeffnew\n")
    expect((await readFile(join(place.cwd, "utf16.txt"))).toString("utf16le")).toBe("\ufeffneu ü\r\n")
    expect(await leftovers(place)).toEqual([])
  })

  test("links: the target of a symbolic link is written, a hard link is broken and said so", async () => {
    await using place = await newWorkspace()
    await place.write("work/real.txt", "old")
    await symlink("real.txt", join(place.cwd, "soft.txt"))
    await place.write("work/one.txt", "old")
    await link(join(place.cwd, "one.txt"), join(place.cwd, "two.txt"))
    const [, hard] = await edit(place, write("soft.txt", "new"), write("one.txt", "new"))
    expect((await lstat(join(place.cwd, "soft.txt"))).isSymbolicLink()).toBe(true)
    expect(await place.read("work/real.txt")).toBe("new")
    expect({ one: await place.read("work/one.txt"), two: await place.read("work/two.txt") }).toEqual({
      one: "new",
      two: "old"
    })
    expect(hard?.output).toContain("hard link")
  })

  test("refusals leave everything as it was", async () => {
    await using place = await newWorkspace()
    const outside = await place.write("outside/a.txt", "old")
    await place.write("work/node_modules/a.txt", "old")
    await place.write("work/a.txt", "old")
    await mkdir(join(place.cwd, "folder"))
    await symlink(join(place.root, "outside"), join(place.cwd, "out"))
    await symlink(join(place.root, "outside/new.txt"), join(place.cwd, "dangling"))
    const answers = await edit(
      place,
      write(outside, "new"),
      write("out/a.txt", "new"),
      write("out/b.txt", "new"),
      write("dangling", "new"),
      write("../outside/a.txt", "new"),
      write(".git/hooks/pre-commit", "new"),
      write(".env", "new"),
      write("node_modules/a.txt", "new"),
      write("a.txt", "function f() {\n// rest of code ...\n}"),
      write("a.txt", "[REDACTED:GEMINI_API_KEY]"),
      write("folder", "new"),
      write("a.txt/b.txt", "new"),
      tool("write_file", { file_path: "a.txt" }),
      tool("write_file", { file_path: "a.txt", content: 7 })
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => "error"))
    expect(answers.slice(0, 9).map(({ type }) => type)).toEqual(Array(9).fill("invalid_tool_params"))
    expect(answers[8]?.error).toContain("rest of code")
    expect(answers[10]?.type).toBe("target_is_directory")
    expectAnswer(answers[12], { type: "invalid_tool_params", error: expect.stringContaining("content") })
    expect(answers[13]?.type).toBe("invalid_tool_params")
    expect(await place.read("work/a.txt")).toBe("old")
    expect(await readdir(join(place.root, "outside"))).toEqual(["a.txt"])
    expect(await place.read("outside/a.txt")).toBe("old")
    expect(await place.read("work/node_modules/a.txt")).toBe("old")
  })

  test("a file that changed since the model read it is not overwritten", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "first\n")
    const run = await callTools(
      place,
      inTurns(
        tool("read_file", { file_path: "a.txt" }),
        tool("run_shell_command", { command: "echo second > a.txt" }),
        write("a.txt", "third\n"),
        replace("a.txt", "second", "third"),
        tool("read_file", { file_path: "a.txt" }),
        replace("a.txt", "second", "third")
      ),
      { args: ["--yolo"] }
    )
    expect(run.answers.map(({ type }) => type)).toEqual([
      undefined,
      undefined,
      "edit_preparation_failure",
      "edit_preparation_failure",
      undefined,
      undefined
    ])
    expect(await place.read("work/a.txt")).toBe("third\n")
  })
})

describe("replace: what it finds", () => {
  const source = "function one() {\n    return  compute(a, b)\n}\n\nconst total = sum(values)\n"

  test.each<[string, string, string, string, string]>([
    ["exactly", "compute(a, b)", "compute(b, a)", "compute(b, a)", ""],
    [
      "with other indentation",
      "function one() {\nreturn  compute(a, b)\n}",
      "function one() {\nreturn 1\n}",
      "return 1",
      "indentation"
    ],
    ["with other spacing", "return compute( a, b )", "return 2", "    return 2\n", "spacing"],
    ["nearly", "const totals = sum(values)", "const total = add(values)", "\nconst total = add(values)\n", "nearly"]
  ])("%s", async (_, search, replacement, expected, remark) => {
    await using place = await newWorkspace()
    await place.write("work/a.js", source)
    const [answered] = await edit(place, replace("a.js", search, replacement))
    expectAnswer(answered, { status: "success", output: expect.stringContaining("(1 replacement)") })
    const after = await place.read("work/a.js")
    expect(after).toContain(expected)
    expect(after.split("\n")).toHaveLength(source.split("\n").length)
    if (remark === "") expect(answered?.output).not.toContain("letter by letter")
    else expect(answered?.output).toMatch(new RegExp(`letter by letter;.*${remark}.*lines? \\d`))
    expect(answered?.shown).toContain("@@")
  })

  test("special patterns of replacement strings are only text", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "x = VALUE;\n")
    await edit(place, replace("a.txt", "VALUE", "$& $1 $$ $` \\n"))
    expect(await place.read("work/a.txt")).toBe("x = $& $1 $$ $` \\n;\n")
  })

  test("many at once, by either parameter", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "a b a b a\n")
    const [mismatch, three, wrong, all] = await edit(
      place,
      replace("a.txt", "a", "c"),
      replace("a.txt", "a", "c", { expected_replacements: 3 }),
      replace("a.txt", "b", "d", { expected_replacements: 3 }),
      replace("a.txt", "b", "d", { allow_multiple: true })
    )
    expectAnswer(mismatch, {
      type: "edit_expected_occurrence_mismatch",
      error: expect.stringContaining("allow_multiple")
    })
    expect(three?.output).toContain("(3 replacements)")
    expect(wrong?.type).toBe("edit_expected_occurrence_mismatch")
    expect(all?.output).toContain("(2 replacements)")
    expect(await place.read("work/a.txt")).toBe("c d c d c\n")
  })
})

describe("replace: bytes outside the match stay", () => {
  const cases: ReadonlyArray<[string, Uint8Array, Uint8Array]> = [
    ["CRLF", Buffer.from("a\r\nold\r\nb\r\n"), Buffer.from("a\r\nnew\r\nline\r\nb\r\n")],
    ["mixed line endings", Buffer.from("a\nold\r\nb\nc\r\n"), Buffer.from("a\nnew\r\nline\r\nb\nc\r\n")],
    ["UTF-8 with mark", Buffer.from("\ufeffold\n"), Buffer.from("\ufeffnew\nline\n")],
    ["UTF-16LE", Buffer.from("\ufeffü old\n", "utf16le"), Buffer.from("\ufeffü new\nline\n", "utf16le")],
    [
      "UTF-16BE",
      Buffer.from("\ufeffü old\n", "utf16le").swap16(),
      Buffer.from("\ufeffü new\nline\n", "utf16le").swap16()
    ],
    ["latin-1", Buffer.from("gr\xfc\xdfe old\n", "latin1"), Buffer.from("gr\xfc\xdfe new\nline\n", "latin1")],
    ["no newline at the end", Buffer.from("a\nold"), Buffer.from("a\nnew\nline")],
    ["a form feed and a lone CR", Buffer.from("a\f\rold\nb"), Buffer.from("a\f\rnew\nline\nb")]
  ]

  test("in every encoding and line ending", async () => {
    await using place = await newWorkspace()
    for (const [index, [, before]] of cases.entries()) await place.write(`work/f${index}.txt`, before)
    const answers = await edit(place, ...cases.map((_, index) => replace(`f${index}.txt`, "old", "new\nline")))
    for (const [index, [name, , after]] of cases.entries()) {
      const bytes = await readFile(join(place.cwd, `f${index}.txt`))
      expect({
        name,
        status: answers[index]?.status,
        error: answers[index]?.error,
        hex: bytes.toString("hex")
      }).toEqual({ name, status: "success", error: undefined, hex: Buffer.from(after).toString("hex") })
    }
  })
})

describe("replace: failures", () => {
  test("each has its type and leaves the file", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "content\n")
    await place.write("work/data.bin", Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x00, 0xd8]))
    await mkdir(join(place.cwd, "folder"))
    const answers = await edit(
      place,
      replace("missing.txt", "a", "b"),
      replace("a.txt", "", "b"),
      replace("a.txt", "no such words anywhere", "b"),
      replace("a.txt", "content", "content"),
      replace("folder", "a", "b"),
      replace("../a.txt", "a", "b"),
      replace("a.txt", "content", "// unchanged code ..."),
      tool("replace", { file_path: "a.txt", old_string: "content" }),
      replace("a.txt", "content", "[REDACTED:GEMINI_API_KEY]")
    )
    expect(answers.map(({ type }) => type)).toEqual([
      "file_not_found",
      "attempt_to_create_existing_file",
      "edit_no_occurrence_found",
      "edit_no_change",
      "target_is_directory",
      "invalid_tool_params",
      "invalid_tool_params",
      "invalid_tool_params",
      expect.any(String)
    ])
    expect(answers[0]?.error).toContain("empty old_string")
    expect(await place.read("work/a.txt")).toBe("content\n")
  })

  test("characters that the file's encoding cannot hold, and files without permission", async () => {
    await using place = await newWorkspace()
    await place.write("work/latin.txt", Buffer.from("gr\xfc\xdfe old\n", "latin1"))
    await place.write("work/closed.txt", "old")
    const run = await callTools(
      place,
      inTurns(
        replace("latin.txt", "old", "\u{1f600}"),
        write("closed.txt", "new"),
        replace("closed.txt", "old", "new")
      ),
      {
        args: EDITS,
        start: withoutRights(place, "chmod -R a+rwX . && chmod 444 closed.txt")
      }
    )
    expect(run.answers.map(({ type }) => type)).toEqual([
      "file_write_failure",
      "permission_denied",
      "permission_denied"
    ])
    expect(run.answers[0]?.error).toContain("U+1F600")
    expect(await place.read("work/closed.txt")).toBe("old")
  })

  test("an empty old_string creates, and the old name of the tool works", async () => {
    await using place = await newWorkspace()
    const [created, changed] = await edit(
      place,
      replace("sub/new.txt", "", "hello\n"),
      tool("edit", { file_path: "sub/new.txt", old_string: "hello", new_string: "goodbye" })
    )
    expectAnswer(created, { status: "success", output: expect.stringContaining("Created") })
    expectAnswer(changed, { name: "edit", status: "success" })
    expect(await place.read("work/sub/new.txt")).toBe("goodbye\n")
  })
})

describe("a model that repairs edits, behind its setting", () => {
  const settings = '{ "tools": { "disableLLMCorrection": false } }'

  test("is not asked by default", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "the quick brown fox\n")
    const run = await callTools(place, inTurns(replace("a.txt", "something entirely else", "x")), { args: EDITS })
    expect(run.utilityBodies).toEqual([])
    expect(run.answers[0]?.type).toBe("edit_no_occurrence_found")
  })

  test("may find that nothing needs to change", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings)
    await place.write("work/a.txt", "the quick brown fox\n")
    const verdict = { search: "", replace: "", explanation: "it is there already", noChangesRequired: true }
    const run = await callTools(place, inTurns(replace("a.txt", "something entirely else", "quick")), {
      args: EDITS,
      utility: () => say(JSON.stringify(verdict))
    })
    expectAnswer(run.answers[0], {
      type: "edit_no_change_llm_judgement",
      error: expect.stringContaining("it is there already")
    })
  })

  test("is asked once, and its search string is used", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings)
    await place.write("work/a.txt", "the quick brown fox\n")
    const fix = { search: "quick brown", replace: "slow green", explanation: "other words", noChangesRequired: false }
    const run = await callTools(place, inTurns(replace("a.txt", "something entirely else", "slow green")), {
      args: EDITS,
      utility: () => say(JSON.stringify(fix))
    })
    expectAnswer(run.answers[0], { status: "success" })
    expect(await place.read("work/a.txt")).toBe("the slow green fox\n")
    expect(run.utilityBodies).toHaveLength(1)
    expect(JSON.stringify(run.utilityBodies[0])).toContain("something entirely else")
  })
})

test("an edit that another model repaired is told as such", async () => {
  await using place = await newWorkspace()
  await place.write("work/a.txt", "one\ntwo\n")
  await place.write("home/.gemini/settings.json", JSON.stringify({ tools: { disableLLMCorrection: false } }))
  const fix = { search: "two", replace: "2", explanation: "it is there", noChangesRequired: false }
  const { answers } = await callTools(place, inTurns(replace("a.txt", "something else", "2")), {
    args: EDITS,
    utility: () => say(JSON.stringify(fix))
  })
  expect(answers[0]?.output).toContain("old_string was not found; what was probably meant was replaced (line 2)")
  expect(await place.read("work/a.txt")).toBe("one\n2\n")
})

test("a diff shows the name of a file as it is", async () => {
  await using place = await newWorkspace()
  const [made] = await edit(place, write("größe 日本.txt", "x\n"))
  expect(made?.shown).toContain("+++ größe 日本.txt\tWritten")
})
