/** Programs that behave, and programs that do not: each comes to an end that is told, and leaves nothing. */
import { expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Fiber } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { childVariables } from "./child-variables.ts"
import { rowOf } from "./process-table.ts"
import { type ProgramRequest, runAside, runAtTerminal, runProgram } from "./programs.ts"

const env = childVariables({ inherits: { PATH: process.env.PATH ?? "" } })

const sh = (script: string, more: Partial<ProgramRequest> = {}): ProgramRequest => ({
  argv: ["sh", "-c", script],
  cwd: "/",
  env,
  timeout: "20 seconds",
  maxOutputBytes: 1000,
  reach: "group",
  leftovers: "end",
  grace: "1 second",
  ...more
})

const failure = (request: ProgramRequest) => Effect.flip(runProgram(request))

it.live("what it reads and writes, and how it ends, arrives", () =>
  Effect.gen(function* () {
    expect(yield* runProgram(sh("cat; echo no >&2; exit 3", { stdin: "häh" }))).toEqual({
      exitCode: 3,
      signal: null,
      stdout: "häh",
      stderr: "no\n"
    })
    expect(yield* runProgram(sh("read x || exit 7"))).toMatchObject({ exitCode: 7 })
    expect(yield* runProgram(sh("kill -TERM $$"))).toMatchObject({ exitCode: null, signal: "SIGTERM" })
  })
)

it.live("it sees its own variables and none of ours", () =>
  Effect.gen(function* () {
    const { stdout } = yield* runProgram({
      ...sh(""),
      argv: ["env"],
      env: childVariables({ inherits: { PATH: process.env.PATH ?? "", GEMINI_API_KEY: "k", BUN_OPTIONS: "x" } })
    })
    expect(stdout).toBe(`PATH=${process.env.PATH}\n`)
  })
)

it.live("one that cannot be started says why", () =>
  Effect.gen(function* () {
    expect(yield* failure({ ...sh(""), argv: ["no-such-program-here"] })).toMatchObject({
      kind: "start",
      code: "ENOENT",
      program: "no-such-program-here"
    })
    expect(yield* runAside({ argv: ["no-such-program-here"], cwd: "/", env }, { within: "5 seconds" })).toBe(false)
    expect(
      yield* Effect.flip(runAtTerminal({ argv: ["no-such-program-here"], cwd: "/", env }, "ignore"))
    ).toMatchObject({
      kind: "start"
    })
  })
)

for (const reach of ["group", "tree"] as const) {
  it.live(`too slow, too much or not wanted any more: it ends with what it started (${reach})`, () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder({})
      const file = join(folder, "pids")
      // One that ignores the polite request has a child that does so too.
      const stubborn = `trap '' TERM; sleep 100 & echo $$ $! > ${file}.new; mv ${file}.new ${file};`
      const isGone = Effect.sync(() =>
        readFileSync(file, "utf8")
          .trim()
          .split(" ")
          .every((pid) => rowOf(Number(pid)) === undefined)
      )
      const request = (rest: string) => sh(`${stubborn} ${rest}`, { reach, grace: "50 millis" })

      let limit = 150
      // On a busy machine it may be ended before it could tell who it is: then it gets more time.
      while (!existsSync(file)) {
        limit *= 2
        expect(
          yield* failure({ ...request("while :; do sleep 1; done"), timeout: Duration.millis(limit) })
        ).toMatchObject({
          kind: "timeout",
          message: `sh was ended: it took longer than ${Duration.format(Duration.millis(limit))}`
        })
      }
      expect(yield* isGone).toBe(true)

      expect(yield* failure(request("while :; do echo 123456789; done"))).toMatchObject({ kind: "output" })
      expect(yield* isGone).toBe(true)

      yield* Effect.promise(() => Bun.file(file).delete())
      const waiting = yield* Effect.fork(runProgram(request("while :; do sleep 1; done")))
      yield* Effect.repeat(Effect.sleep("5 millis"), {
        until: () => Effect.promise(() => Bun.file(file).exists())
      })
      yield* Fiber.interrupt(waiting)
      expect(yield* isGone).toBe(true)
    })
  )
}

it.live("a limit holds where nothing can be interrupted", () =>
  Effect.gen(function* () {
    const slow = failure(sh("sleep 100", { timeout: "100 millis" }))
    expect(yield* Effect.uninterruptible(slow)).toMatchObject({ kind: "timeout" })
    expect(yield* Effect.uninterruptible(failure(sh("cat /dev/zero")))).toMatchObject({ kind: "output" })
    expect(yield* Effect.uninterruptible(runProgram(sh("echo 1")))).toMatchObject({ stdout: "1\n" })
  })
)

it.live("what is beyond the bound can be dropped: the program goes on, and its exit code counts", () =>
  Effect.gen(function* () {
    const end = yield* runProgram(sh("head -c 5000 /dev/zero; exit 4", { onTooMuch: "drop" }))
    expect({ code: end.exitCode, length: end.stdout.length }).toEqual({ code: 4, length: 1000 })
  })
)

it.live("a reader that has had enough ends it", () =>
  Effect.gen(function* () {
    let taken = 0
    const end = yield* runProgram(
      sh("while :; do echo 123456789; done", {
        onStdout: (bytes) => {
          taken += bytes.length
          return taken < 5000
        }
      })
    )
    expect(end).toMatchObject({ exitCode: null, stdout: "" })
    expect(taken).toBeGreaterThanOrEqual(5000)
  })
)

it.live("processes that are left behind end with it, unless they are meant to stay", () =>
  Effect.gen(function* () {
    const leave = "sleep 100 >/dev/null 2>&1 & echo $!"
    const ended = yield* runProgram(sh(leave))
    expect(rowOf(Number(ended.stdout))).toBeUndefined()

    const away = yield* runProgram(sh(`setsid ${leave}`, { reach: "tree" }))
    expect(rowOf(Number(away.stdout))).toBeUndefined()

    const kept = yield* runProgram(sh(leave, { leftovers: "keep" }))
    expect(rowOf(Number(kept.stdout))).toBeDefined()
    yield* Effect.sync(() => process.kill(Number(kept.stdout), "SIGKILL"))
  })
)

it.live("an output that somebody else holds open is not waited for", () =>
  Effect.gen(function* () {
    const end = yield* runProgram(sh("setsid sleep 100 & echo $!", { leftovers: "keep", timeout: "15 seconds" }))
    expect(end).toMatchObject({ exitCode: 0 })
    yield* Effect.sync(() => process.kill(Number(end.stdout), "SIGKILL"))
  })
)

it.live("a program of the desktop is waited for, and left alone when it stays", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder({})
    const file = join(folder, "got")
    const program = (script: string) => ({ argv: ["sh", "-c", script], cwd: folder, env })
    expect(yield* runAside(program("cat > got"), { stdin: "copied", within: "10 seconds" })).toBe(true)
    expect(readFileSync(file, "utf8")).toBe("copied")
    expect(yield* runAside(program("exit 1"), { within: "10 seconds" })).toBe(false)
    expect(yield* runAside(program("echo $$ > pid.new; mv pid.new pid; exec sleep 100"), { within: 0 })).toBe(false)
    yield* Effect.repeat(Effect.sleep("5 millis"), {
      until: () => Effect.promise(() => Bun.file(join(folder, "pid")).exists())
    })
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"))
    expect(rowOf(pid)).toBeDefined()
    yield* Effect.sync(() => process.kill(pid, "SIGKILL"))
  })
)
