import { expect } from "bun:test"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { fileRoom } from "../../test/kit/file-room.ts"
import { it } from "../../test/kit/it.ts"
import { Ripgrep, RipgrepError } from "../files/ripgrep.ts"
import { grepSearchTool } from "./grep-search.tool.ts"

const many = (count: number, text: string) => Array.from({ length: count }, () => text).join("\n")

for (const engine of ["ripgrep", "none"] as const) {
  it.live(`${engine}: matches come with file, line number and line`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({
        engine,
        files: { "a.ts": "one\nNeedle 1  \nneedle 2\n", "src/b.ts": "x\r\nneedle 3\r\nneedle 4\r\n", "c.md": "hay" }
      })
      expect(yield* room.call(grepSearchTool, { pattern: "needle \\d" })).toBe(
        'Found 4 matches for pattern "needle \\d" in the workspace directory:\n---\nFile: a.ts\nL2: Needle 1\nL3: needle 2\n---\nFile: src/b.ts\nL2: needle 3\nL3: needle 4\n---'
      )
      expect(yield* room.call(grepSearchTool, { pattern: "Needle", case_sensitive: true, context: 1 })).toBe(
        'Found 1 match for pattern "Needle" in the workspace directory:\n---\nFile: a.ts\nL1- one\nL2: Needle 1\nL3- needle 2\n---'
      )
      expect(yield* room.call(grepSearchTool, { pattern: "needle", names_only: true, include_pattern: "*.ts" })).toBe(
        'Found 2 files with matches for pattern "needle" in the workspace directory (filter: "*.ts"):\na.ts\nsrc/b.ts'
      )
      expect(yield* room.call(grepSearchTool, { pattern: "nope", dir_path: "src", include_pattern: "*.ts" })).toBe(
        'No matches found for pattern "nope" in path "src" (filter: "*.ts").'
      )
      expect(yield* room.call(grepSearchTool, { pattern: "needle", dir_path: "src/b.ts", before: 0 })).toContain(
        "File: b.ts\nL2:"
      )
    })
  )

  it.live(`${engine}: few matches bring their surroundings`, () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 200 }, (_, index) =>
        index === 99 ? "unique" : index % 100 === 49 ? "twice" : `l${index + 1}`
      )
      const room = yield* fileRoom({ engine, files: { f: `${lines.join("\n")}\n` } })
      const one = yield* room.call(grepSearchTool, { pattern: "unique" })
      expect(one).toContain("---\nFile: f\nL50- twice\n")
      expect(one).toContain("\nL100: unique\nL101- l101\n")
      expect(one).toEndWith("\nL150- twice\n---")
      const two = yield* room.call(grepSearchTool, { pattern: "twice" })
      expect(two).toContain("File: f\nL35- l35\n")
      expect(two).toContain("\nL65- l65\nL135- l135\n")
      expect(yield* room.call(grepSearchTool, { pattern: "unique", after: 1 })).toEndWith(
        "File: f\nL100: unique\nL101- l101\n---"
      )
      expect(yield* room.call(grepSearchTool, { pattern: "unique", names_only: true })).toEndWith(":\nf")
    })
  )

  it.live(`${engine}: limits hold, and say so`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({
        engine,
        files: { a: many(150, "x"), b: many(30, "y z"), "wide.txt": `w${"😀".repeat(2500)}` }
      })
      const text = yield* room.call(grepSearchTool, { pattern: "x" })
      expect(text).toStartWith(
        'Found 100 matches for pattern "x" in the workspace directory (results limited to 100 matches for performance):'
      )
      expect(text.split("\n").filter((line) => line.startsWith("L"))).toHaveLength(100)
      expect(yield* room.call(grepSearchTool, { pattern: "x", total_max_matches: 150 })).not.toContain("limited")
      expect(yield* room.call(grepSearchTool, { pattern: "[xy]", max_matches_per_file: 2 })).toStartWith(
        "Found 4 matches"
      )
      expect(yield* room.call(grepSearchTool, { pattern: "^w", before: 0 })).toContain(
        `w${"😀".repeat(1999)}... [truncated]\n`
      )
      expect(yield* room.call(grepSearchTool, { pattern: "y", exclude_pattern: "Z$" })).toStartWith("No matches")
    })
  )

  it.live(`${engine}: ignored, hidden, protected and generated files are not searched`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({
        engine,
        isRepository: true,
        files: {
          ".gitignore": "git/\n!both.txt\n",
          ".geminiignore": "gem.txt\nboth.txt\n",
          "git/a.txt": "key",
          "gem.txt": "key",
          "both.txt": "key",
          ".env": "key",
          ".eslintrc": "key",
          "gha-creds-1.json": "key",
          "node_modules/m.txt": "key",
          "dist/d.txt": "key",
          "x.log": "key",
          "ok.txt": "key"
        }
      })
      const names = (args: object) =>
        Effect.map(room.call(grepSearchTool, { pattern: "key", names_only: true, ...args }), (text) =>
          text.split("\n").slice(1)
        )
      expect(yield* names({})).toEqual(["ok.txt"])
      expect(yield* names({ include_pattern: "*.txt" })).toEqual(["ok.txt"])
      expect(yield* names({ include_pattern: ".e*" })).toEqual([".eslintrc"])
      expect(yield* names({ dir_path: "node_modules" })).toEqual(["m.txt"])
      expect(yield* names({ dir_path: "git" })).toEqual([])
      expect(yield* names({ dir_path: "git", no_ignore: true })).toEqual(["a.txt"])
      expect(yield* names({ no_ignore: true })).toEqual([
        "both.txt",
        "dist/d.txt",
        "gem.txt",
        "git/a.txt",
        "node_modules/m.txt",
        "ok.txt",
        "x.log"
      ])
      expect(yield* names({ no_ignore: true, include_pattern: ".env" })).toEqual([])
    })
  )

  it.live(`${engine}: a pattern is never taken for an option, and may be literal`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({ engine, files: { "-f": "--files x(y\n", b: "b" } })
      expect(yield* room.call(grepSearchTool, { pattern: "--files", before: 0 })).toContain("File: -f\nL1: --files x(y")
      expect(yield* room.call(grepSearchTool, { pattern: "x(y", fixed_strings: true, before: 0 })).toContain(
        "L1: --files x(y"
      )
      expect(yield* room.call(grepSearchTool, { pattern: "--pre=touch pwned" })).toStartWith("No matches")
      expect(yield* room.call(grepSearchTool, { pattern: "x", dir_path: "-f", before: 0 })).toContain("L1: --files x(y")
      expect(yield* room.call(grepSearchTool, { pattern: "x(?=\\()", before: 0 })).toContain("Found 1 match ")
    })
  )

  it.live(`${engine}: links, pipes, binary files and other encodings`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({
        engine,
        files: {
          "binary.dat": "\0needle\0",
          "latin1.txt": Buffer.from("caf\xe9 needle", "latin1"),
          "utf16.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("é needle", "utf16le")])
        }
      })
      symlinkSync("/etc/passwd", join(room.root, "outside"))
      symlinkSync(".", join(room.root, "loop"))
      yield* Effect.promise(() => Bun.spawn(["mkfifo", join(room.root, "pipe")]).exited)
      writeFileSync(Buffer.from(`${room.root}/caf\xe9.txt`, "latin1"), "unreachable")
      const text = yield* room.call(grepSearchTool, { pattern: "needle|root:", before: 0 })
      expect(text).toContain("File: latin1.txt\nL1: café needle\n")
      expect(text).toContain("File: utf16.txt\nL1: é needle\n")
      expect(text).toStartWith("Found 2 matches")
    })
  )

  it.live(`${engine}: wrong arguments and places`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({ engine, files: { a: "" } })
      const type = (args: object) => room.failure(grepSearchTool, args)
      expect(yield* type({})).toBe("invalid_tool_params")
      expect(yield* type({ pattern: "" })).toBe("invalid_tool_params")
      expect(yield* type({ pattern: "(" })).toBe("invalid_tool_params")
      expect(yield* type({ pattern: "x", exclude_pattern: "[" })).toBe("invalid_tool_params")
      expect(yield* type({ pattern: "x", total_max_matches: 0 })).toBe("invalid_tool_params")
      expect(yield* type({ pattern: "x", context: -1 })).toBe("invalid_tool_params")
      expect(yield* type({ pattern: "x", dir_path: "/etc" })).toBe("invalid_tool_params")
      expect(yield* type({ pattern: "x", dir_path: "none" })).toBe("file_not_found")
      expect(yield* type({ pattern: "(?i)x" })).toBe(engine === "ripgrep" ? "success" : "invalid_tool_params")
    })
  )

  it.live(`${engine}: with several workspace folders, names tell them apart`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({ engine, files: { a: "needle" }, include: ["other"] })
      writeFileSync(join(room.base, "other/a"), "needle")
      expect(yield* room.call(grepSearchTool, { pattern: "needle", names_only: true })).toBe(
        'Found 2 files with matches for pattern "needle" across 2 workspace directories:\nother/a\nws/a'
      )
    })
  )
}

it.live("a pipe, a failing and a slow search are errors", () =>
  Effect.gen(function* () {
    const failing = (kind: RipgrepError["kind"]) =>
      Layer.succeed(Ripgrep, {
        program: Effect.succeed(Option.some("rg")),
        run: () => new RipgrepError({ kind, detail: "It broke." })
      })
    const room = yield* fileRoom({ engine: failing("failed") })
    yield* Effect.promise(() => Bun.spawn(["mkfifo", join(room.root, "pipe")]).exited)
    expect(yield* room.failure(grepSearchTool, { pattern: "x", dir_path: "pipe" })).toBe("path_is_not_a_directory")
    expect(yield* room.call(grepSearchTool, { pattern: "x" })).toBe(
      "grep_execution_error: The search failed: It broke."
    )
    const slow = yield* fileRoom({ engine: failing("timeout") })
    expect(yield* slow.call(grepSearchTool, { pattern: "x" })).toBe(
      "grep_execution_error: It broke. Narrow it down with dir_path or include_pattern."
    )
  })
)

it.effect("the alias and the narrowing are those that rules know", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "src/a": "" } })
    expect(grepSearchTool.aliases).toEqual(["search_file_content"])
    const call = yield* room.prepare(grepSearchTool, { pattern: "p", dir_path: "src", include_pattern: "*.ts" })
    expect(call.description).toBe("'p' in *.ts within src")
    expect(call.narrowing).toEqual({ by: "argument", key: "pattern", value: "p" })
  })
)
