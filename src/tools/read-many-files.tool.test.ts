import { expect } from "bun:test"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { fileRoom } from "../../test/kit/file-room.ts"
import { it } from "../../test/kit/it.ts"
import { Ripgrep, RipgrepError } from "../files/ripgrep.ts"
import { readManyFilesTool } from "./read-many-files.tool.ts"

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")
const END = "\n--- End of content ---"

for (const engine of ["ripgrep", "none"] as const) {
  it.live(`${engine}: paths, folders and globs are joined in order of their names`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({
        engine,
        files: { "b.ts": "B", "a.ts": "A", "docs/x.md": "X", "docs/deep/y.md": "Y", "GEMINI.md": "context" }
      })
      const read = (include: ReadonlyArray<string>, more: object = {}) =>
        room.call(readManyFilesTool, { include, ...more })
      expect(yield* read(["*.TS"])).toBe(`--- <root>/a.ts ---\n\nA\n\n--- <root>/b.ts ---\n\nB\n\n${END}`)
      expect(yield* read(["docs", "b.ts"], { exclude: ["**/y.*"] })).toBe(
        `--- <root>/b.ts ---\n\nB\n\n--- <root>/docs/x.md ---\n\nX\n\n${END}`
      )
      expect(yield* read(["a.ts", "./a.ts", "*.ts"], { exclude: ["b.ts"] })).toBe(`--- <root>/a.ts ---\n\nA\n\n${END}`)
      expect(yield* read(["**/*.md"])).not.toContain("context")
      expect(yield* read(["**/*.md"], { useDefaultExcludes: false })).toContain("context")
    })
  )

  it.live(`${engine}: what is excluded, ignored or outside is left out with its reason`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({
        engine,
        isRepository: true,
        files: {
          ".gitignore": "ignored.txt",
          "ignored.txt": "x",
          ".env": "x",
          "node_modules/m.ts": "x",
          "ok.txt": "ok"
        }
      })
      symlinkSync("/etc/passwd", join(room.root, "link.txt"))
      const text = yield* room.call(readManyFilesTool, {
        include: ["*.txt", ".env", "ignored.txt", "node_modules/m.ts", "../out", "link.txt"]
      })
      expect(text).toStartWith("--- <root>/ok.txt ---\n\nok\n\n\nNot included:\n")
      expect(text).toContain("- ignored.txt (ignored by ignore files)\n")
      expect(text).toContain("- node_modules/m.ts (excluded)\n")
      expect(text).toMatch(/- \.env \(The path .* is protected/)
      expect(text).toMatch(/- \.\.\/out \(The path .* is outside/)
      expect(text).toMatch(/- link\.txt \(The path .* is outside/)
      expect(text).toEndWith(END)
    })
  )
}

it.live("media are included only when they were named", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "a.png": PNG, "b.txt": "B", "c.bin": "\0" } })
    const parts = (include: ReadonlyArray<string>) =>
      Effect.map(room.output(readManyFilesTool, { include }), (output) => output.forModel)
    expect(yield* parts(["*.png"])).toEqual([
      { inlineData: { data: PNG.toString("base64"), mimeType: "image/png" } },
      { text: END }
    ])
    expect(yield* room.call(readManyFilesTool, { include: ["*"] })).toContain(
      "a.png (image file that was not asked for by name or extension)"
    )
    expect(yield* room.call(readManyFilesTool, { include: ["c.*"] })).toContain("No files matching")
  })
)

it.live("long files are cut with a hint, and the whole answer has a budget", () =>
  Effect.gen(function* () {
    const files = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`f${index}.txt`, Array(400).fill("x".repeat(900)).join("\n")])
    )
    const room = yield* fileRoom({ files: { ...files, "long.md": "l\n".repeat(3000) } })
    const text = yield* room.call(readManyFilesTool, { include: ["*.txt"] })
    expect(text.length).toBeLessThan(1_010_000)
    expect(text).toContain("f2.txt (no room left in this answer)")
    expect(yield* room.call(readManyFilesTool, { include: ["long.md"] })).toContain("[WARNING: This file is truncated.")
  })
)

it.live("nothing found, wrong arguments and a failing search", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom()
    expect(yield* room.call(readManyFilesTool, { include: ["*.none"] })).toBe(
      "No files matching the criteria were found or all were skipped."
    )
    for (const args of [{}, { include: [] }, { include: [""] }, { include: "x" }, { include: ["x"], exclude: [3] }])
      expect(yield* room.failure(readManyFilesTool, args)).toBe("invalid_tool_params")
    const broken = yield* fileRoom({
      engine: Layer.succeed(Ripgrep, {
        program: Effect.succeed(Option.some("rg")),
        run: () => new RipgrepError({ kind: "failed", detail: "It broke." })
      })
    })
    expect(yield* broken.failure(readManyFilesTool, { include: ["*"] })).toBe("read_many_files_search_error")
  })
)

it.live("people see a summary", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({
      files: Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, "x"]))
    })
    const output = yield* room.output(readManyFilesTool, { include: ["f*"], exclude: ["none"] })
    expect(output.display.text).toContain("Read **12 file(s)**.")
    expect(output.display.text).toContain("- and 2 more")
    expect(output.data).toMatchObject({ include: ["f*"], excludes: ["none"], skipped: [], targetDir: room.root })
  })
)
