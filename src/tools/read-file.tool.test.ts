import { expect } from "bun:test"
import { chmodSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect } from "effect"
import { fileRoom, runPrepared } from "../../test/kit/file-room.ts"
import { it } from "../../test/kit/it.ts"
import { asNobody } from "../../test/kit/nobody.ts"
import { ReadLedger } from "../files/read-ledger.ts"
import { readFileTool } from "./read-file.tool.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n")
const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")

it.live("a short file comes whole, without a header, with plain line ends", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "a.txt": "one\r\ntwo\r\n", empty: "" } })
    const output = yield* room.output(readFileTool, { file_path: "a.txt" })
    expect(output).toEqual({ forModel: "one\ntwo\n", display: { type: "text", text: "" } })
    expect(yield* room.call(readFileTool, { file_path: "empty" })).toBe("")
  })
)

it.live("pages: the default, from a line, up to a line, past the end", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { long: numbered(5000) } })
    const read = (args: object) => room.call(readFileTool, { file_path: "long", ...args })
    const page = yield* read({})
    expect(page).toContain("truncated. Lines 1-2000 of 5000 are shown. To read on, use start_line: 2001.")
    expect(page).toContain("\n--- FILE CONTENT (truncated) ---\nline 1\n")
    expect(page.endsWith("\nline 2000")).toBe(true)
    expect((yield* read({ start_line: 4000 })).endsWith("\nline 5000")).toBe(true)
    expect(yield* read({ start_line: 2, end_line: 3 })).toBe(
      "Lines 2-3 of 5000 are shown. To read on, use start_line: 4.\n\n--- FILE CONTENT ---\nline 2\nline 3"
    )
    expect((yield* read({ end_line: 4500 })).endsWith("\nline 4500")).toBe(true)
    expect(yield* read({ start_line: 6000 })).toBe("The file has 5000 lines; start_line 6000 is past its end.")
    const shown = yield* room.output(readFileTool, { file_path: "long", end_line: 2 })
    expect(shown.display.text).toBe("Read lines 1-2 of 5000 from long")
  })
)

it.live("long lines are cut without tearing a character, and a long range by its characters", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({
      files: { wide: `${"x".repeat(1999)}😀tail\nshort`, huge: Array(1000).fill("y".repeat(1500)).join("\n") }
    })
    const wide = yield* room.call(readFileTool, { file_path: "wide" })
    expect(wide).toContain(`${"x".repeat(1999)}... [truncated]\nshort`)
    const huge = yield* room.call(readFileTool, { file_path: "huge", end_line: 1000 })
    expect(huge.length).toBeLessThan(401_000)
    expect(huge).toMatch(/Lines 1-266 of 1000 are shown\. To read on, use start_line: 267\./)
  })
)

it.live("every encoding is read", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({
      files: {
        utf16: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("héllo", "utf16le")]),
        latin1: Buffer.from("h\xe9llo", "latin1"),
        bom: "\ufeffhéllo"
      }
    })
    for (const name of ["utf16", "latin1", "bom"])
      expect(yield* room.call(readFileTool, { file_path: name })).toBe("héllo")
  })
)

it.live("media are data, told by their content", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({
      files: {
        "a.png": PNG,
        "fake.png": "<html>",
        "a.svg": "<svg/>",
        "a.pdf": "%PDF-1.4",
        "a.bin": "\0\x01",
        "a.wma": "\0\x01"
      }
    })
    const output = yield* room.output(readFileTool, { file_path: "a.png" })
    expect(output.forModel).toEqual([{ inlineData: { data: PNG.toString("base64"), mimeType: "image/png" } }])
    expect(output.display.text).toBe("Read image file: a.png")
    expect(yield* room.call(readFileTool, { file_path: "fake.png" })).toBe("<html>")
    expect(yield* room.call(readFileTool, { file_path: "a.svg" })).toBe("<svg/>")
    expect(yield* room.call(readFileTool, { file_path: "a.pdf" })).toBe("<data>")
    expect(yield* room.call(readFileTool, { file_path: "a.bin" })).toBe("Cannot display content of binary file: a.bin")
    expect(yield* room.call(readFileTool, { file_path: "a.wma" })).toStartWith("read_content_failure: ")
  })
)

it.live("files too large are refused before they are read", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { big: "", "big.png": PNG, "big.svg": "<svg>" } })
    truncateSync(join(room.root, "big"), 20 * 1024 * 1024 + 1)
    truncateSync(join(room.root, "big.png"), 7 * 1024 * 1024 + 1)
    truncateSync(join(room.root, "big.svg"), 1024 * 1024 + 1)
    expect(yield* room.failure(readFileTool, { file_path: "big" })).toBe("file_too_large")
    expect(yield* room.failure(readFileTool, { file_path: "big.png" })).toBe("file_too_large")
    expect(yield* room.call(readFileTool, { file_path: "big.svg" })).toContain("larger than 1 MB")
  })
)

it.live("arguments are checked in order", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ isRepository: true, files: { ".gitignore": "hidden\n", hidden: "x", a: "x" } })
    symlinkSync("hidden", join(room.root, "link"))
    const cases: ReadonlyArray<readonly [object, RegExp]> = [
      [{}, /file_path/],
      [{ file_path: "  " }, /must not be empty/],
      [{ file_path: "../x", start_line: 3, end_line: 2 }, /outside the workspace/],
      [{ file_path: "hidden", start_line: 3, end_line: 2 }, /greater than end_line/],
      [{ file_path: "hidden" }, /ignored by/],
      [{ file_path: "link" }, /ignored by/],
      [{ file_path: "a", start_line: 0 }, /start_line/],
      [{ file_path: "a", end_line: 1.5 }, /end_line/],
      [{ file_path: "a", start_line: "1" }, /start_line/],
      [{ file_path: "x".repeat(1_000_000) }, /longer than/],
      [{ file_path: "a\nb" }, /line break/]
    ]
    for (const [args, message] of cases) {
      const text = yield* room.call(readFileTool, args)
      expect(text).toStartWith("invalid_tool_params: ")
      expect(text).toMatch(message)
    }
    expect(yield* room.call(readFileTool, { file_path: "a", unknown: true })).toBe("x")
  })
)

it.live("what is missing, a folder, a pipe, vanished or swapped is told apart", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "dir/x": "", gone: "", swapped: "" } })
    yield* Effect.promise(() => Bun.spawn(["mkfifo", join(room.root, "pipe")]).exited)
    symlinkSync("loop", join(room.root, "loop"))
    expect(yield* room.failure(readFileTool, { file_path: "none" })).toBe("file_not_found")
    expect(yield* room.failure(readFileTool, { file_path: "dir" })).toBe("target_is_directory")
    expect(yield* room.failure(readFileTool, { file_path: "pipe" })).toBe("read_content_failure")
    expect(yield* room.failure(readFileTool, { file_path: "loop" })).toBe("invalid_tool_params")
    expect(yield* room.failure(readFileTool, { file_path: "/dev/zero" })).toBe("invalid_tool_params")
    const gone = yield* room.prepare(readFileTool, { file_path: "gone" })
    const swapped = yield* room.prepare(readFileTool, { file_path: "swapped" })
    for (const name of ["gone", "swapped"]) rmSync(join(room.root, name))
    symlinkSync("/etc/passwd", join(room.root, "swapped"))
    expect((yield* Effect.flip(runPrepared(gone))).type).toBe("file_not_found")
    expect((yield* Effect.flip(runPrepared(swapped))).type).toBe("path_not_in_workspace")
  })
)

it.live("odd names are read, and what was read is remembered", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "-n": "1", "it's": "2", "a%20b": "3", "@x": "4" } })
    for (const [name, text] of Object.entries({ "-n": "1", "it's": "2", "a%20b": "3", "@x": "4", "@a%20b": "3" }))
      expect(yield* room.call(readFileTool, { file_path: name })).toBe(text)
    const ledger = Context.get(room.services, ReadLedger)
    const file = join(room.root, "-n")
    expect(yield* ledger.check(file, Buffer.from("1"))).toBe("unchanged")
    writeFileSync(file, "2")
    expect(yield* ledger.check(file, Buffer.from("2"))).toBe("changed")
  })
)

it.live("a call says what it would touch", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "src/a": "" } })
    const call = yield* room.prepare(readFileTool, { file_path: "src/a", start_line: 3 })
    expect(call.description).toBe("src/a")
    expect(call.locations).toEqual([{ path: join(room.root, "src/a"), line: 3 }])
    expect(call.narrowing).toEqual({ by: "argument", key: "file_path", value: "src/a" })
    expect(yield* call.confirmation).toBeNull()
  })
)

it.live("a file that may not be read is told apart from one that is missing", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { closed: "x" } })
    chmodSync(room.base, 0o755)
    chmodSync(join(room.root, "closed"), 0)
    yield* asNobody
    expect(yield* room.failure(readFileTool, { file_path: "closed" })).toBe("permission_denied")
  })
)
