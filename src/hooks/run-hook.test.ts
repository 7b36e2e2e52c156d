/** Programs that behave, and programs that do not. */
import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { it } from "../../test/kit/it.ts"
import { childVariables } from "../system/child-variables.ts"
import { isAlive } from "../system/process-table.ts"
import { MAX_OUTPUT_BYTES, type RunRequest, runHook } from "./run-hook.ts"

const request = (command: string, more: Partial<RunRequest> = {}): RunRequest => ({
  command,
  input: '{"a":1}',
  cwd: "/tmp",
  env: childVariables({ inherits: { PATH: process.env.PATH ?? "", X: "y" } }),
  platform: process.platform,
  timeoutMs: 20_000,
  mark: crypto.randomUUID(),
  ...more
})
const endOf = (command: string, more: Partial<RunRequest> = {}) =>
  Effect.map(runHook(request(command, more)), ({ end }) => end)
const isGone = (pid: string) => !isAlive({ pid: Number(pid), startedAt: 0 })

describe("a program", () => {
  it.live("reads its input, has its variables and folder, and is understood by both outputs and its code", () =>
    Effect.gen(function* () {
      const end = yield* endOf("cat; echo $X $PWD >&2; exit 3")
      expect(end).toEqual({ _tag: "Exited", code: 3, stdout: '{"a":1}', stderr: "y /tmp\n" })
    })
  )
  it.live("need not read its input, however long that is", () =>
    Effect.gen(function* () {
      const end = yield* endOf("exec true", { input: "x".repeat(4_000_000) })
      expect(end).toEqual({ _tag: "Exited", code: 0, stdout: "", stderr: "" })
    })
  )
  it.live("that cannot be started says why", () =>
    Effect.gen(function* () {
      expect((yield* endOf("true", { cwd: "/does/not/exist" }))._tag).toBe("NotStarted")
    })
  )
  it.live("that crashes is known by its signal", () =>
    Effect.gen(function* () {
      expect(yield* endOf("kill -SEGV $$")).toMatchObject({ _tag: "Signalled", signal: "SIGSEGV" })
    })
  )
})

describe("a program that does not behave", () => {
  it.live("prints a hundred megabytes: what is kept is bounded, and its exit code counts", () =>
    Effect.gen(function* () {
      const end = yield* endOf("head -c 100000000 /dev/zero | tr '\\0' x; exit 4")
      expect(end).toMatchObject({ _tag: "Exited", code: 4 })
      expect("stdout" in end && end.stdout.length).toBe(MAX_OUTPUT_BYTES)
    })
  )
  it.live("hangs: it is ended at its limit, with its children", () =>
    Effect.gen(function* () {
      const file = `/tmp/hook-pid-${crypto.randomUUID()}`
      const end = yield* endOf(`sleep 1000 & echo $! > ${file}; sleep 1000`, { timeoutMs: 400 })
      expect(end).toEqual({ _tag: "TimedOut", limitMs: 400 })
      expect(isGone(yield* Effect.promise(() => Bun.file(file).text()))).toBe(true)
    })
  )
  it.live("ignores the request to end: it is killed", () =>
    Effect.gen(function* () {
      const file = `/tmp/hook-pid-${crypto.randomUUID()}`
      const end = yield* endOf(`trap '' TERM; echo $$ > ${file}; while :; do sleep 0.1; done`, {
        timeoutMs: 400,
        grace: "300 millis"
      })
      expect(end._tag).toBe("TimedOut")
      expect(isGone(yield* Effect.promise(() => Bun.file(file).text()))).toBe(true)
    })
  )
  it.live("leaves a child that holds its output: nobody waits for it, and it is ended", () =>
    Effect.gen(function* () {
      const end = yield* endOf("sleep 1000 & echo $!", { grace: "300 millis" })
      expect(end).toMatchObject({ _tag: "Exited", code: 0 })
      expect("stdout" in end && isGone(end.stdout)).toBe(true)
    })
  )
  it.live("runs in a turn that is cancelled: it is ended at once", () =>
    Effect.gen(function* () {
      const file = `/tmp/hook-pid-${crypto.randomUUID()}`
      const fiber = yield* Effect.fork(endOf(`echo $$ > ${file}; exec sleep 1000`))
      const pid = yield* Effect.promise(async () => {
        for (;;) {
          const text = (await Bun.file(file).exists()) ? await Bun.file(file).text() : ""
          if (text.endsWith("\n")) return text
          await Bun.sleep(5)
        }
      })
      yield* Fiber.interrupt(fiber)
      expect(isGone(pid)).toBe(true)
    })
  )
})
