import { describe, expect } from "bun:test"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { editRoom, runPrepared } from "../../test/kit/edit-room.ts"
import { it } from "../../test/kit/it.ts"
import { FileError } from "../files/file-error.ts"
import { ReadLedger } from "../files/read-ledger.ts"
import { EditCorrector } from "./edit/edit-corrector.ts"
import { writeFile } from "./write-file.tool.ts"

const write = (file_path: string, content: string, more: object = {}) => ({ file_path, content, ...more })

describe("write_file", () => {
  it.effect("creates a file and its folders, and gives only the number of lines back", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      expect(yield* room.call(writeFile, write("a/b/c.txt", "one\ntwo\n"))).toBe(
        `Created the file ${room.root}/a/b/c.txt with 2 lines.`
      )
      expect(room.text("a/b/c.txt")).toBe("one\ntwo\n")
    })
  )

  it.effect("takes the content as it is, escapes included", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      yield* room.call(writeFile, write("a.txt", 'print("a\\\\n")\\n'))
      expect(room.text("a.txt")).toBe('print("a\\\\n")\\n')
    })
  )

  it.effect("overwrites, and says when the file was never read", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one\n" } })
      expect(yield* room.call(writeFile, write("a.txt", "two\n"))).toBe(
        [
          `Overwrote the file ${room.root}/a.txt.`,
          "Note: the file existed and was overwritten without having been read in this session.",
          "The changed parts of the file are now:",
          "two"
        ].join("\n")
      )
      expect(yield* room.call(writeFile, write("a.txt", "three\n"))).not.toContain("without having been read")
    })
  )

  it.effect("refuses a file that changed since the model read it", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one\n" } })
      const ledger = yield* Effect.provide(ReadLedger, room.services)
      yield* ledger.remember(join(room.root, "a.txt"), Buffer.from("zero\n"))
      expect(yield* room.call(writeFile, write("a.txt", "two\n"))).toStartWith("edit_preparation_failure")
      expect(room.text("a.txt")).toBe("one\n")
    })
  )

  it.effect("keeps encoding, byte order mark and line endings", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({
        files: {
          "crlf.txt": "a\r\nb\r\n",
          "bom.txt": "\ufeffa\n",
          "wide.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\r\n", "utf16le")])
        }
      })
      for (const name of ["crlf.txt", "bom.txt", "wide.txt"]) yield* room.call(writeFile, write(name, "x\ny\n"))
      expect(room.text("crlf.txt")).toBe("x\r\ny\r\n")
      expect(room.text("bom.txt")).toBe("\ufeffx\ny\n")
      expect(room.bytes("wide.txt").subarray(2).toString("utf16le")).toBe("x\r\ny\r\n")
    })
  )

  it.effect("refuses placeholders, redaction marks, folders, paths outside and text that is no text", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "doc.md": "a mark reads [REDACTED:NAME]\n" } })
      mkdirSync(join(room.root, "folder"))
      const type = (args: object) => Effect.map(room.call(writeFile, args), (answer) => answer.split(":")[0])
      expect(yield* type(write("a.txt", "a\n// rest of code ...\n"))).toBe("invalid_tool_params")
      expect(yield* type(write("a.txt", "KEY=[REDACTED:API_KEY]"))).toBe("invalid_tool_params")
      expect(yield* type(write("folder", "a"))).toBe("target_is_directory")
      expect(yield* type(write("../a.txt", "a"))).toBe("invalid_tool_params")
      expect(yield* type(write("", "a"))).toBe("invalid_tool_params")
      expect(yield* type(write("a.txt", "\ud800"))).toBe("file_write_failure")
      expect(existsSync(join(room.root, "a.txt"))).toBe(false)
      expect(yield* room.call(writeFile, write("doc.md", "still [REDACTED:NAME]\n"))).toStartWith("Overwrote")
    })
  )

  it.effect("odd names are only names, and what is no file is not written to", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      for (const name of ["-rf", "a'b", "$HOME", "a%20b", "[x]{y}"]) {
        expect(yield* room.call(writeFile, write(name, name))).toStartWith("Created the file")
        expect(room.text(name)).toBe(name)
      }
      expect(yield* room.call(writeFile, write("a\nb", "x"))).toStartWith("invalid_tool_params")
      expect(Bun.spawnSync(["mkfifo", join(room.root, "pipe")]).exitCode).toBe(0)
      expect(yield* room.call(writeFile, write("pipe", "x"))).toStartWith("file_write_failure: Could not read")
    })
  )

  it.effect("a megabyte in the wrong place is answered in a few words", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      const answer = yield* room.call(writeFile, { file_path: ["x".repeat(1_000_000)], content: "x" })
      expect(answer).toStartWith("invalid_tool_params: params/file_path must be string")
      expect(answer.length).toBeLessThan(2_100)
    })
  )

  it.effect("a link that is swapped in after the check leads nowhere", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "d/a.txt": "one\n" } })
      mkdirSync(join(room.base, "outside"))
      const call = yield* room.prepare(writeFile, write("d/b.txt", "two\n"))
      rmSync(join(room.root, "d"), { recursive: true })
      symlinkSync(join(room.base, "outside"), join(room.root, "d"))
      expect((yield* Effect.flip(runPrepared(call))).type).toBe("path_not_in_workspace")
      expect(existsSync(join(room.base, "outside/b.txt"))).toBe(false)
    })
  )

  it.effect("shows the diff, and refuses when the file changes after it was shown", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one\n" } })
      const call = yield* room.prepare(writeFile, write("a.txt", "two\n"))
      const question = yield* call.confirmation
      expect(question).toMatchObject({
        type: "edit",
        title: "Write a.txt",
        diff: { fileName: "a.txt", originalContent: "one\n", newContent: "two\n", isNewFile: false }
      })
      writeFileSync(join(room.root, "a.txt"), "changed\n")
      expect((yield* Effect.flip(runPrepared(call))).message).toContain("changed between the moment")
    })
  )

  it.effect("writes what a person made of the proposal, and tells the model", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      const call = yield* room.prepare(writeFile, write("a.txt", "model\n"))
      const args = yield* call.revise?.("person\n") ?? Effect.die("not modifiable")
      const output = yield* Effect.flatMap(room.prepare(writeFile, args), runPrepared)
      expect(output.forModel).toContain("The user changed the content before it was written. It is now:\nperson\n")
      expect(output.display).toMatchObject({
        diff: { isNewFile: true, diffStat: { model_added_lines: 1, user_added_lines: 1, user_removed_lines: 1 } }
      })
    })
  )

  it.effect("in plan mode writes plans only, also through a link", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ mode: "plan", files: { "a.md": "one" } })
      yield* room.call(writeFile, write("plan.md", "# Plan\n"))
      expect(readFileSync(join(room.plansDir, "plan.md"), "utf8")).toBe("# Plan\n")
      symlinkSync(join(room.root, "a.md"), join(room.plansDir, "link.md"))
      for (const path of ["code.ts", join(room.root, "a.md"), "../../ws/a.md", "link.md"]) {
        expect(yield* room.call(writeFile, write(path, "x"))).toStartWith("invalid_tool_params")
      }
    })
  )

  it.effect("asks the corrector, but not for formats that live from backslashes", () =>
    Effect.gen(function* () {
      const corrector = Layer.succeed(EditCorrector, {
        fixEdit: () => Effect.succeed(null),
        fixEscaping: () => Effect.succeed("fixed")
      })
      const room = yield* editRoom({ corrector })
      yield* room.call(writeFile, write("a.txt", "raw"))
      yield* room.call(writeFile, write("a.json", "raw"))
      yield* room.call(writeFile, write("b.txt", "raw", { modified_by_user: true }))
      expect([room.text("a.txt"), room.text("a.json"), room.text("b.txt")]).toEqual(["fixed", "raw", "raw"])
    })
  )

  for (const [kind, type] of [
    ["no-space", "no_space_left"],
    ["permission-denied", "permission_denied"],
    ["read-only", "permission_denied"],
    ["io", "file_write_failure"]
  ] as const) {
    it.effect(`a write that fails with ${kind} is ${type}`, () =>
      Effect.gen(function* () {
        const writeError = new FileError({ kind, operation: "write", path: "/w/a.txt", code: "E" })
        const room = yield* editRoom({ writeError })
        expect(yield* room.call(writeFile, write("a.txt", "one"))).toStartWith(`${type}: Could not write`)
      })
    )
  }
})
