import { expect } from "bun:test"
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { testEnvironment } from "../../test/kit/environment.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import * as Sandbox from "../sandbox/sandbox.ts"
import * as Ripgrep from "./ripgrep.ts"
import { findRipgrep, type ProgramSources } from "./ripgrep.ts"

const sources = (given: Partial<ProgramSources>): ProgramSources => ({
  cwd: "/nowhere",
  home: undefined,
  platform: "linux",
  searchPath: "",
  embedded: Effect.succeed(null),
  ...given
})

const run = (request: Partial<Ripgrep.RipgrepRequest>) =>
  Effect.flatMap(Ripgrep.Ripgrep, (ripgrep) =>
    ripgrep.run({ args: [], cwd: "/", timeout: 10_000, onOutput: () => true, ...request })
  ).pipe(
    Effect.provide(Layer.provide(Ripgrep.layer, Layer.merge(Sandbox.layerNone, testEnvironment({ cwd: "/nowhere" }))))
  )

it.live("a program on PATH is taken from system folders only, never from below the working folder", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder({ "bin/rg": "#!/bin/sh\n" })
    chmodSync(join(folder, "bin/rg"), 0o755)
    const planted = `${join(folder, "bin")}:relative`
    expect(yield* findRipgrep(sources({ searchPath: planted }))).toEqual(Option.none())
    expect(yield* findRipgrep(sources({ searchPath: `${planted}:/usr/bin` }))).toEqual(Option.some("/usr/bin/rg"))
    expect(yield* findRipgrep(sources({ searchPath: "/usr/bin", cwd: "/usr" }))).toEqual(Option.none())
    mkdirSync(join(folder, "links"))
    symlinkSync("/usr/bin/rg", join(folder, "links/rg"))
    expect(yield* findRipgrep(sources({ searchPath: join(folder, "links") }))).toEqual(Option.some("/usr/bin/rg"))
  })
)

it.live("output is cut off when the reader has enough", () =>
  Effect.gen(function* () {
    let pieces = 0
    const end = yield* run({ args: ["--files", "/usr/lib"], onOutput: () => ++pieces < 2 })
    expect(end.exitCode).toBeNull()
    expect(pieces).toBe(2)
  })
)

it.live("a search that takes too long ends, and says so", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder()
    yield* Effect.promise(() => Bun.spawn(["mkfifo", join(folder, "pipe")]).exited)
    const error = yield* Effect.flip(run({ args: ["x", "pipe"], cwd: folder, timeout: 200 }))
    expect(error).toMatchObject({ _tag: "RipgrepError", kind: "timeout" })
  })
)

it.live("the user's own ripgrep settings do not reach it", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder({ "a.txt": "x\n", rc: "--invert-match\n" })
    process.env.RIPGREP_CONFIG_PATH = join(folder, "rc")
    yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env.RIPGREP_CONFIG_PATH))
    const text: Array<string> = []
    yield* run({
      args: ["x", "a.txt"],
      cwd: folder,
      onOutput: (bytes) => text.push(new TextDecoder().decode(bytes)) > 0
    })
    expect(text.join("")).toBe("x\n")
  })
)

it.live("without a program, running one fails", () =>
  Effect.gen(function* () {
    const ripgrep = yield* Ripgrep.Ripgrep
    expect(yield* ripgrep.program).toEqual(Option.none())
    const error = yield* Effect.flip(ripgrep.run({ args: [], cwd: "/", timeout: 1000, onOutput: () => true }))
    expect(error.kind).toBe("start")
  }).pipe(Effect.provide(Ripgrep.layerNone))
)

it.live("inside a compiled binary the program is unpacked once, and again when it was changed", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder({
      "main.ts": `
        import { Effect } from "effect"
        import { findRipgrep } from ${JSON.stringify(join(import.meta.dir, "ripgrep.ts"))}
        const embedded = Effect.promise(async () => (await import(${JSON.stringify(join(import.meta.dir, "ripgrep-embedded.live.ts"))})).embeddedRipgrep())
        const found = findRipgrep({ cwd: "/nowhere", home: process.argv[2], platform: process.platform, searchPath: "", embedded })
        Effect.runPromise(found).then((program) => process.stdout.write(program._tag === "Some" ? program.value : "none"))`
    })
    const home = yield* tempFolder()
    const binary = join(folder, "binary")
    const build = [
      "build",
      "--compile",
      "--minify",
      "--bytecode",
      "--splitting",
      "--format=esm",
      "main.ts",
      "--outfile",
      binary
    ]
    symlinkSync(join(import.meta.dir, "../../node_modules"), join(folder, "node_modules"))
    expect(yield* exitCodeOf([process.execPath, ...build], folder)).toBe(0)
    const find = Effect.promise(() => new Response(Bun.spawn([binary, home]).stdout).text())
    const program = yield* find
    expect(dirname(program)).toBe(join(home, ".gemini/tmp/bin"))
    expect(yield* exitCodeOf([program, "--version"], home)).toBe(0)
    const original = readFileSync(program)
    writeFileSync(program, "#!/bin/sh\ntouch pwned\n")
    expect(yield* find).toBe(program)
    expect(readFileSync(program).equals(original)).toBe(true)
  })
)

const exitCodeOf = (command: ReadonlyArray<string>, cwd: string) =>
  Effect.promise(() => Bun.spawn([...command], { cwd, stdout: "ignore", stderr: "ignore" }).exited)
