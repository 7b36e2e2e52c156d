import { expect } from "bun:test"
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { fileRoom, runPrepared } from "../../test/kit/file-room.ts"
import { it } from "../../test/kit/it.ts"
import { Ripgrep, RipgrepError } from "../files/ripgrep.ts"
import { globTool } from "./glob.tool.ts"

const OLD = new Date("2001-01-01")
const old = (root: string, ...names: ReadonlyArray<string>) => {
  for (const name of names) utimesSync(join(root, name), OLD, OLD)
}
const paths = (text: string) => text.split("\n").slice(1)

const failing = (kind: RipgrepError["kind"]) =>
  Layer.succeed(Ripgrep, {
    program: Effect.succeed(Option.some("rg")),
    run: () => new RipgrepError({ kind, detail: "It broke." })
  })

for (const engine of ["ripgrep", "none"] as const) {
  const files = {
    "a.ts": "",
    "B.TS": "",
    "src/c.ts": "",
    "src/deep/d.tsx": "",
    ".hidden/e.ts": "",
    "node_modules/m/f.ts": "",
    "dist/g.ts": "",
    "h [1].ts": "",
    "-i.ts": ""
  }

  it.live(`${engine}: patterns start at the directory, case does not count unless asked for`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({ engine, files })
      old(room.root, ...Object.keys(files))
      const find = (args: object) => Effect.map(room.call(globTool, args), paths)
      expect((yield* find({ pattern: "*.ts" })).sort()).toEqual([
        "<root>/-i.ts",
        "<root>/B.TS",
        "<root>/a.ts",
        "<root>/h [1].ts"
      ])
      expect(yield* find({ pattern: "?.ts", case_sensitive: true })).toEqual(["<root>/a.ts"])
      expect(yield* find({ pattern: "src/**/*.{ts,tsx}" })).toEqual(["<root>/src/c.ts", "<root>/src/deep/d.tsx"])
      expect(yield* find({ pattern: `${room.root}/src/*` })).toEqual(["<root>/src/c.ts"])
      expect(yield* find({ pattern: "h [1].ts" })).toEqual(["<root>/h [1].ts"])
      expect(yield* find({ pattern: "**/f.ts", dir_path: "node_modules/m" })).toEqual(["<root>/node_modules/m/f.ts"])
      const all = yield* find({ pattern: "**/*.ts" })
      expect(all).toContain("<root>/.hidden/e.ts")
      expect(all).not.toContain("<root>/node_modules/m/f.ts")
    })
  )

  it.live(`${engine}: ignored files are left out, and counted when nothing else is found`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({
        engine,
        isRepository: true,
        files: {
          ".gitignore": "/git/\n*.log",
          ".geminiignore": "gem\n!keep.log",
          "git/a": "",
          gem: "",
          "keep.log": "",
          "x.log": ""
        }
      })
      const find = (args: object) => Effect.map(room.call(globTool, args), (text) => text.split("\n")[0])
      expect(yield* find({ pattern: "*.log" })).toContain("Found 1 file(s)")
      expect(yield* find({ pattern: "git/**" })).toBe(
        'No files found matching pattern "git/**" within <root> (1 files were ignored)'
      )
      expect(yield* find({ pattern: "*", dir_path: "git" })).toContain("(1 files were ignored)")
      expect(yield* find({ pattern: "git/**", respect_git_ignore: false })).toContain("Found 1 file(s)")
      expect(yield* find({ pattern: "gem" })).toContain("No files found")
      expect(yield* find({ pattern: "gem", respect_gemini_ignore: false })).toContain("Found 1 file(s)")
      expect(yield* find({ pattern: "nothing" })).toBe('No files found matching pattern "nothing" within <root>')
    })
  )

  it.live(`${engine}: links are not followed, loops do not trap, odd names stay on one line`, () =>
    Effect.gen(function* () {
      const room = yield* fileRoom({ engine, files: { "dir/a.ts": "" } })
      symlinkSync("..", join(room.root, "dir/up"))
      symlinkSync("/etc", join(room.root, "etc"))
      writeFileSync(join(room.root, "x\ny.ts"), "")
      writeFileSync(Buffer.from(`${room.root}/caf\xe9.ts`, "latin1"), "")
      const found = paths(yield* room.call(globTool, { pattern: "**/*" }))
      expect(found.sort()).toEqual(['"<root>/x\\ny.ts"', "<root>/caf\ufffd.ts", "<root>/dir/a.ts"])
    })
  )
}

it.live("files of the last day come first, newest first, then the others by name", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { a: "", b: "", c: "", d: "" } })
    old(room.root, "a", "b")
    const hour = new Date(Date.now() - 3_600_000)
    utimesSync(join(room.root, "c"), hour, hour)
    const text = yield* room.call(globTool, { pattern: "?" })
    expect(text).toBe(
      'Found 4 file(s) matching "?" within <root>, files modified in the last 24 hours first (newest first), then by name:\n<root>/d\n<root>/c\n<root>/a\n<root>/b'
    )
  })
)

it.live("all workspace folders are searched", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { "a.ts": "" }, include: ["other"] })
    writeFileSync(join(room.base, "other/b.ts"), "")
    const text = yield* room.call(globTool, { pattern: "*.ts" })
    expect(text).toStartWith('Found 2 file(s) matching "*.ts" across 2 workspace directories')
  })
)

it.live("many results are cut, and say by how much", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom()
    for (let index = 0; index < 2005; index++) writeFileSync(join(room.root, `f${index}`), "")
    const lines = (yield* room.call(globTool, { pattern: "*" })).split("\n")
    expect(lines).toHaveLength(2002)
    expect(lines.at(-1)).toBe("(5 more files not shown; narrow the pattern or give dir_path)")
  })
)

it.live("arguments and failures have their types", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom({ files: { file: "" } })
    expect(yield* room.failure(globTool, { pattern: " " })).toBe("invalid_tool_params")
    expect(yield* room.failure(globTool, {})).toBe("invalid_tool_params")
    expect(yield* room.failure(globTool, { pattern: "*", dir_path: "../.." })).toBe("invalid_tool_params")
    expect(yield* room.failure(globTool, { pattern: "*", dir_path: "none" })).toBe("search_path_not_found")
    expect(yield* room.failure(globTool, { pattern: "*", dir_path: "file" })).toBe("search_path_not_a_directory")
    const broken = yield* fileRoom({ engine: failing("failed") })
    expect(yield* broken.call(globTool, { pattern: "*" })).toBe(
      "glob_execution_error: The file search failed: It broke."
    )
    const slow = yield* fileRoom({ engine: failing("timeout") })
    expect(yield* slow.call(globTool, { pattern: "*" })).toBe(
      "glob_execution_error: It broke. Narrow it down with dir_path."
    )
  })
)

it.live("a directory that is gone when the call runs is reported", () =>
  Effect.gen(function* () {
    const room = yield* fileRoom()
    mkdirSync(join(room.root, "dir"))
    const call = yield* room.prepare(globTool, { pattern: "*", dir_path: "dir" })
    rmSync(join(room.root, "dir"), { recursive: true })
    const failure = yield* Effect.flip(runPrepared(call))
    expect(failure.type).toBe("search_path_not_found")
  })
)
