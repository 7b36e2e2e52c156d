import { expect } from "bun:test"
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { fileRoom, runPrepared } from "../../test/kit/file-room.ts"
import { it } from "../../test/kit/it.ts"
import { asNobody } from "../../test/kit/nobody.ts"
import { listDirectoryTool } from "./list-directory.tool.ts"

it.live("directories come first, then files with their sizes; ignored entries are counted", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({
      isRepository: true,
      files: { "b.txt": "12345", "a.txt": "", "zdir/x": "", "dist/y": "", "c.log": "", ".gitignore": "dist/\n*.log" }
    })
    expect(yield* room.call(listDirectoryTool, { dir_path: "." })).toBe(
      "Directory listing for <root>:\n[DIR] .git\n[DIR] zdir\n.gitignore (11 bytes)\na.txt (0 bytes)\nb.txt (5 bytes)\n\n(2 ignored)"
    )
    const all = yield* room.call(listDirectoryTool, {
      dir_path: room.root,
      ignore: ["*.txt", ".g*", "zdi?"],
      file_filtering_options: { respect_git_ignore: false }
    })
    expect(all).toBe("Directory listing for <root>:\n[DIR] dist\nc.log (0 bytes)\n\n(5 ignored)")
  })
)

it.live("an empty directory, a file, a missing path and one outside have their own answers", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { file: "" } })
    mkdirSync(join(room.root, "empty"))
    expect(yield* room.call(listDirectoryTool, { dir_path: "empty" })).toBe("Directory <root>/empty is empty.")
    expect(yield* room.failure(listDirectoryTool, { dir_path: "file" })).toBe("path_is_not_a_directory")
    expect(yield* room.failure(listDirectoryTool, { dir_path: "none" })).toBe("file_not_found")
    expect(yield* room.failure(listDirectoryTool, { dir_path: "/etc" })).toBe("invalid_tool_params")
    expect(yield* room.failure(listDirectoryTool, { dir_path: "" })).toBe("invalid_tool_params")
    expect(yield* room.failure(listDirectoryTool, {})).toBe("invalid_tool_params")
    expect(yield* room.failure(listDirectoryTool, { dir_path: 3, ignore: "x" })).toBe("invalid_tool_params")
  })
)

it.live("a long listing is cut and says by how much", () =>
  Effect.gen(function* () {
    const files = Object.fromEntries(
      Array.from({ length: 1003 }, (_, index) => [`f${String(index).padStart(4, "0")}`, ""])
    )
    const room = yield* fileRoom({ files })
    const text = yield* room.call(listDirectoryTool, { dir_path: "." })
    expect(text).toContain("f0999 (0 bytes)\n\n(3 more entries not shown")
    expect(text).not.toContain("f1000")
  })
)

it.live("odd names stay on one line, dangling links are left out, links to folders are folders", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "dir/x": "", "-rf": "1", 'it\'s "q"': "" } })
    writeFileSync(join(room.root, "a\nb"), "12")
    writeFileSync(Buffer.from(`${room.root}/caf\xe9`, "latin1"), "123")
    symlinkSync("nowhere", join(room.root, "dangling"))
    symlinkSync("dir", join(room.root, "link"))
    symlinkSync("self", join(room.root, "self"))
    const lines = (yield* room.call(listDirectoryTool, { dir_path: "." })).split("\n").slice(1)
    expect(lines.sort()).toEqual(
      [
        "[DIR] dir",
        "[DIR] link",
        "-rf (1 bytes)",
        `it's "q" (0 bytes)`,
        '"a\\nb" (2 bytes)',
        "caf\ufffd (3 bytes)"
      ].sort()
    )
  })
)

it.live("a directory that becomes a link between check and run is refused", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "dir/x": "" } })
    const call = yield* room.prepare(listDirectoryTool, { dir_path: "dir" })
    rmSync(join(room.root, "dir"), { recursive: true })
    symlinkSync("/etc", join(room.root, "dir"))
    expect((yield* Effect.flip(runPrepared(call))).type).toBe("path_not_in_workspace")
  })
)

it.live("a directory that may not be read is an error of listing", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "closed/x": "" } })
    chmodSync(room.base, 0o755)
    chmodSync(join(room.root, "closed"), 0o300)
    yield* asNobody
    expect(yield* room.failure(listDirectoryTool, { dir_path: "closed" })).toBe("ls_execution_error")
  })
)
