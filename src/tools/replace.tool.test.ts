import { describe, expect } from "bun:test"
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, FastCheck as fc, Layer } from "effect"
import { editRoom, runPrepared } from "../../test/kit/edit-room.ts"
import { listening } from "../../test/kit/heard.ts"
import { it } from "../../test/kit/it.ts"
import { FileError } from "../files/file-error.ts"
import { ReadLedger } from "../files/read-ledger.ts"
import { type Encoding, encodeText } from "../files/text-encoding.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { EditCorrector } from "./edit/edit-corrector.ts"
import { replace } from "./replace.tool.ts"

const edit = (file_path: string, old_string: string, new_string: string, more: object = {}) => ({
  file_path,
  instruction: "change it",
  old_string,
  new_string,
  ...more
})

describe("replace", () => {
  it.effect("changes the matched text and shows the region around it", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one\ntwo\nthree\n" } })
      const answer = yield* room.call(replace, edit("a.txt", "two", "2 $& $1"))
      expect(room.text("a.txt")).toBe("one\n2 $& $1\nthree\n")
      expect(answer).toBe(
        [
          `Changed ${room.root}/a.txt (1 replacement).`,
          "Note: the file was changed without having been read in this session.",
          "The changed parts of the file are now:",
          "one\n2 $& $1\nthree"
        ].join("\n")
      )
    })
  )

  it.effect("creates a file for an empty old_string, with its folders", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      expect(yield* room.call(replace, edit("x/y/new.txt", "", "hello\n"))).toBe(
        `Created the file ${room.root}/x/y/new.txt with 1 line.`
      )
      expect(room.text("x/y/new.txt")).toBe("hello\n")
    })
  )

  it.effect("says when the text was not found letter by letter", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "{\n    a\n    b\n}\n" } })
      const { logs, recording } = listening()
      const called = room.call(replace, edit("a.txt", "a\nb", "c"))
      expect(yield* Effect.provideService(called, Telemetry, recording)).toContain(
        "Note: old_string was not found letter by letter; the same lines with other indentation were replaced (lines 2-3)."
      )
      expect(room.text("a.txt")).toBe("{\n    c\n}\n")
      expect(logs).toEqual([{ name: "gemini_cli.edit_strategy", attributes: { strategy: "flexible" } }])
    })
  )

  it.effect("each precondition has its own error type", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "b b", "torn.txt": Uint8Array.of(0xff, 0xfe, 0x41) } })
      mkdirSync(join(room.root, "folder"))
      symlinkSync("loop", join(room.root, "loop"))
      const type = (args: object) => Effect.map(room.call(replace, args), (answer) => answer.split(":")[0])
      expect(yield* type(edit("missing.txt", "a", "b"))).toBe("file_not_found")
      expect(yield* type(edit("a.txt", "", "x"))).toBe("attempt_to_create_existing_file")
      expect(yield* type(edit("a.txt", "zzz", "x"))).toBe("edit_no_occurrence_found")
      expect(yield* type(edit("a.txt", "b", "x"))).toBe("edit_expected_occurrence_mismatch")
      expect(yield* type(edit("a.txt", "b", "x", { expected_replacements: 3 }))).toBe(
        "edit_expected_occurrence_mismatch"
      )
      expect(yield* type(edit("a.txt", "b b", "b b"))).toBe("edit_no_change")
      expect(yield* type(edit("folder", "b", "x"))).toBe("target_is_directory")
      expect(yield* type(edit("torn.txt", "A", "x"))).toBe("edit_preparation_failure")
      expect(yield* type(edit("loop", "A", "x"))).toBe("invalid_tool_params")
      expect(yield* type(edit("../outside.txt", "A", "x"))).toBe("invalid_tool_params")
      expect(yield* type(edit("a.txt", "b b", "// rest of code ..."))).toBe("invalid_tool_params")
      expect(yield* type(edit("a.txt", "b b", "key=[REDACTED:API_KEY]"))).toBe("invalid_tool_params")
      expect(yield* type({ file_path: "a.txt" })).toBe("invalid_tool_params")
      expect(room.text("a.txt")).toBe("b b")
    })
  )

  it.effect("missing arguments are named", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      expect(yield* room.call(replace, { file_path: 5, wait_for_previous: true })).toBe(
        "invalid_tool_params: params/file_path must be string, params must have required property 'old_string', params must have required property 'new_string'"
      )
      expect(yield* room.call(replace, "x")).toStartWith("invalid_tool_params: params must be object")
    })
  )

  it.effect("older arguments are accepted: expected_replacements, no instruction", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "b b" } })
      yield* room.call(replace, { file_path: "a.txt", old_string: "b", new_string: "c", expected_replacements: 2 })
      expect(room.text("a.txt")).toBe("c c")
    })
  )

  it.effect("refuses a file that changed since the model read it", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one" } })
      const path = join(room.root, "a.txt")
      const ledger = yield* Effect.provide(ReadLedger, room.services)
      yield* ledger.remember(path, room.bytes("a.txt"))
      writeFileSync(path, "one!")
      expect(yield* room.call(replace, edit("a.txt", "one", "two"))).toStartWith(
        `edit_preparation_failure: Nothing was changed: ${path} was changed by someone else`
      )
      yield* ledger.remember(path, room.bytes("a.txt"))
      expect(yield* room.call(replace, edit("a.txt", "one", "two"))).toStartWith("Changed")
      expect(yield* room.call(replace, edit("a.txt", "two", "three"))).not.toContain("without having been read")
    })
  )

  it.effect("refuses a file that changed after a person saw the diff", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one\n" } })
      const call = yield* room.prepare(replace, edit("a.txt", "one", "two"))
      const question = yield* call.confirmation
      expect(question).toMatchObject({ type: "edit", title: "Edit a.txt" })
      writeFileSync(join(room.root, "a.txt"), "one\nmore\n")
      const failure = yield* Effect.flip(runPrepared(call))
      expect(failure.type).toBe("edit_preparation_failure")
      expect(room.text("a.txt")).toBe("one\nmore\n")
    })
  )

  it.effect("asks nothing about an edit that cannot be made", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one\n" } })
      const call = yield* room.prepare(replace, edit("a.txt", "absent", "two"))
      expect(yield* call.confirmation).toBeNull()
      expect(call.narrowing).toEqual({ by: "argument", key: "file_path", value: "a.txt" })
      expect(call.description).toBe("a.txt: absent => two")
    })
  )

  it.effect("writes what a person made of the proposal", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one\r\ntwo\r\n" } })
      const call = yield* room.prepare(replace, edit("a.txt", "two", "2"))
      const args = yield* call.revise?.("one\n2 and more\n") ?? Effect.die("not modifiable")
      const revised = yield* room.prepare(replace, args)
      const output = yield* runPrepared(revised)
      expect(room.text("a.txt")).toBe("one\r\n2 and more\r\n")
      expect(output.forModel).toContain("The user changed new_string before it was written.")
      expect(output.display).toMatchObject({ diff: { diffStat: { model_added_lines: 1, user_added_lines: 1 } } })
    })
  )

  it.effect("a relative path that leads nowhere is found below the workspace when only one file fits", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({
        files: {
          "pkg/src/a.ts": "one",
          "old/src/a.ts": "one",
          "pkg/src/b.ts": "x",
          "other/src/b.ts": "x",
          ".geminiignore": "old/"
        }
      })
      expect(yield* room.call(replace, edit("src/a.ts", "one", "two"))).toContain(`${room.root}/pkg/src/a.ts`)
      expect(yield* room.call(replace, edit("src/b.ts", "x", "y"))).toStartWith("file_not_found")
    })
  )

  it.effect("in plan mode only plans are written", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ mode: "plan", files: { "a.md": "one" } })
      expect(yield* room.call(replace, edit("a.md", "", "# Plan\n"))).toContain(`${room.plansDir}/a.md`)
      expect(yield* room.call(replace, edit("code.ts", "", "x"))).toStartWith("invalid_tool_params")
      expect(yield* room.call(replace, edit(`${room.root}/a.md`, "one", "two"))).toStartWith("invalid_tool_params")
      expect(room.text("a.md")).toBe("one")
    })
  )

  it.effect("tells about a hard link that it broke", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "one" } })
      linkSync(join(room.root, "a.txt"), join(room.root, "b.txt"))
      expect(yield* room.call(replace, edit("a.txt", "one", "two"))).toContain("Note: Other hard links")
      expect(room.text("b.txt")).toBe("one")
    })
  )

  for (const [kind, type] of [
    ["no-space", "no_space_left"],
    ["permission-denied", "permission_denied"],
    ["is-directory", "target_is_directory"],
    ["io", "file_write_failure"]
  ] as const) {
    it.effect(`a write that fails with ${kind} is ${type}`, () =>
      Effect.gen(function* () {
        const writeError = new FileError({ kind, operation: "write", path: "/w/a.txt", code: "E" })
        const room = yield* editRoom({ files: { "a.txt": "one" }, writeError })
        expect(yield* room.call(replace, edit("a.txt", "one", "two"))).toStartWith(`${type}: Could not write`)
      })
    )
  }

  it.effect("an encoding that cannot hold the new text is refused", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": Uint8Array.of(0xe9, 0x20, 0x61) } })
      expect(yield* room.call(replace, edit("a.txt", "a", "→"))).toContain(
        "windows-1252, which cannot hold the character U+2192"
      )
      yield* room.call(replace, edit("a.txt", "a", "é"))
      expect([...room.bytes("a.txt")]).toEqual([0xe9, 0x20, 0xe9])
    })
  )
})

describe("replace with a corrector", () => {
  const corrector = (fix: { search: string; replacement: string; noChangesRequired: boolean }) =>
    Layer.succeed(EditCorrector, {
      fixEdit: () => Effect.succeed({ ...fix, explanation: "it is there already." }),
      fixEscaping: Effect.succeed
    })

  it.effect("tries the repaired pair once", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({
        files: { "a.txt": "real text", "a.json": "real text" },
        corrector: corrector({ search: "real", replacement: "new", noChangesRequired: false })
      })
      const { logs, recording } = listening()
      const called = room.call(replace, edit("a.txt", "wrong", "new"))
      expect(yield* Effect.provideService(called, Telemetry, recording)).toStartWith("Changed")
      expect(room.text("a.txt")).toBe("new text")
      expect(logs).toContainEqual({ name: "gemini_cli.edit_correction", attributes: { correction: "success" } })
      expect(yield* room.call(replace, edit("a.json", "wrong", "new"))).toStartWith("edit_no_occurrence_found")
    })
  )

  it.effect("keeps the first error when the repair does not fit either", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({
        files: { "a.txt": "b b" },
        corrector: corrector({ search: "absent", replacement: "new", noChangesRequired: false })
      })
      const { logs, recording } = listening()
      const called = room.call(replace, edit("a.txt", "b", "new"))
      const answer = yield* Effect.provideService(called, Telemetry, recording)
      expect(answer).toStartWith("edit_expected_occurrence_mismatch")
      expect(logs).toEqual([{ name: "gemini_cli.edit_correction", attributes: { correction: "failure" } }])
    })
  )

  it.effect("passes on the judgement that nothing is to be done", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({
        files: { "a.txt": "b b" },
        corrector: corrector({ search: "", replacement: "", noChangesRequired: true })
      })
      expect(yield* room.call(replace, edit("a.txt", "zz", "new"))).toStartWith("edit_no_change_llm_judgement")
    })
  )
})

describe("replace on random files", () => {
  const encodings: ReadonlyArray<Encoding> = ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "windows-1252"]
  const line = fc.array(fc.constantFrom("a", "bc", " ", "\t", "é", "ÿ", "$&", "$1", "{", "\\"), { maxLength: 6 })
  const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 8 })
  const textOf = (parts: ReadonlyArray<readonly [ReadonlyArray<string>, string]>) =>
    parts.map(([words, end]) => words.join("") + end).join("")

  it.live("never changes a byte outside the match, in any encoding and with any line endings", () =>
    Effect.gen(function* () {
      const room = yield* editRoom()
      const samples = fc.sample(
        fc.record({
          before: lines,
          after: lines,
          fresh: lines,
          encoding: fc.constantFrom(...encodings),
          bom: fc.boolean()
        }),
        120
      )
      for (const [index, { after, before, bom, encoding, fresh }] of samples.entries()) {
        const name = `${index}.txt`
        // Latin text without a mark is recognised only when it is not UTF-8; the others need their mark.
        const hasBom = encoding === "windows-1252" ? false : bom || encoding !== "utf-8"
        const head = encoding === "windows-1252" ? "é" : ""
        const format = { encoding, hasBom }
        const bytesOf = (text: string, isStart: boolean) =>
          encodeText(text, { ...format, hasBom: isStart && hasBom }) ?? Uint8Array.of()
        const prefix = bytesOf(`${head}${textOf(before)}`, true)
        const suffix = bytesOf(textOf(after), false)
        writeFileSync(join(room.root, name), Buffer.concat([prefix, bytesOf("<old>", false), suffix]))

        const answer = yield* room.call(replace, edit(name, "<old>", `[${textOf(fresh)}]`))
        expect(answer).toStartWith("Changed")
        const result = room.bytes(name)
        expect(result.subarray(0, prefix.length)).toEqual(Buffer.from(prefix))
        expect(result.subarray(result.length - suffix.length)).toEqual(Buffer.from(suffix))
      }
    })
  )
})

describe("replace around a secret", () => {
  const KEY = "AIza-very-secret-0123"
  const secrets = [{ name: "API_KEY", value: KEY }]

  it.effect("its mark stands for it, in what is searched and in what takes its place", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { ".conf": `key = ${KEY}\nmore\n` }, secrets })
      yield* room.call(replace, edit(".conf", "key = [REDACTED:API_KEY]", "token = [REDACTED:API_KEY] # new"))
      expect(room.text(".conf")).toBe(`token = ${KEY} # new\nmore\n`)
    })
  )

  it.effect("it is never put into a file that does not hold it", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "a.txt": "nothing here" }, secrets })
      const answer = yield* room.call(replace, edit("a.txt", "nothing", "[REDACTED:API_KEY]"))
      expect(answer).toStartWith("invalid_tool_params: ")
      expect(room.text("a.txt")).toBe("nothing here")
    })
  )

  it.effect("a file that shows the mark itself keeps it", () =>
    Effect.gen(function* () {
      const room = yield* editRoom({ files: { "doc.md": `[REDACTED:API_KEY] and ${KEY}` }, secrets })
      yield* room.call(replace, edit("doc.md", "[REDACTED:API_KEY] and", "a mark ([REDACTED:API_KEY]) and"))
      expect(room.text("doc.md")).toBe(`a mark ([REDACTED:API_KEY]) and ${KEY}`)
    })
  )

  it.effect("a corrector does not see it either, and may name it by its mark", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const corrector = Layer.mock(EditCorrector, {
        fixEdit: (failed) =>
          Effect.sync(() => {
            asked.push(failed)
            return {
              search: "key = [REDACTED:API_KEY]",
              replacement: "token = [REDACTED:API_KEY]",
              noChangesRequired: false,
              explanation: ""
            }
          })
      })
      const room = yield* editRoom({ files: { "a.conf": `key = ${KEY}\n` }, secrets, corrector })
      yield* room.call(replace, edit("a.conf", "something else: [REDACTED:API_KEY]", "x"))
      expect(room.text("a.conf")).toBe(`token = ${KEY}\n`)
      expect(asked).toHaveLength(1)
      expect(JSON.stringify(asked)).not.toContain(KEY)
    })
  )
})
