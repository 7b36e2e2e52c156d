import { expect } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Ref } from "effect"
import { it } from "../../test/kit/it.ts"
import { withLock } from "./lock.ts"

const target = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "lock-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "file.json")
)

const identityOf = (path: string) => {
  const { ino, birthtimeNs, mtimeNs } = statSync(path, { bigint: true })
  return `${ino}:${birthtimeNs}:${mtimeNs}`
}

it.live("one at a time, and nothing is left behind", () =>
  Effect.gen(function* () {
    const file = yield* target
    const inside = yield* Ref.make(0)
    const most = yield* Ref.make(0)
    const step = Effect.gen(function* () {
      const now = yield* Ref.updateAndGet(inside, (count) => count + 1)
      yield* Ref.update(most, (count) => Math.max(count, now))
      yield* Effect.yieldNow()
      yield* Ref.update(inside, (count) => count - 1)
    })
    yield* Effect.all(
      Array.from({ length: 8 }, () => withLock(file, step)),
      { concurrency: "unbounded" }
    )
    expect(yield* Ref.get(most)).toBe(1)
    expect(readdirSync(join(file, ".."))).toEqual([])
  })
)

it.live("is released on failure and on interruption", () =>
  Effect.gen(function* () {
    const file = yield* target
    yield* Effect.flip(withLock(file, Effect.fail("no")))
    expect(existsSync(`${file}.lock`)).toBe(false)
    const fiber = yield* Effect.fork(withLock(file, Effect.never))
    while (!existsSync(`${file}.lock`)) yield* Effect.yieldNow()
    yield* Fiber.interrupt(fiber)
    expect(existsSync(`${file}.lock`)).toBe(false)
  })
)

it.live("a waiter can be interrupted", () =>
  Effect.gen(function* () {
    const file = yield* target
    mkdirSync(`${file}.lock`)
    const waiter = yield* Effect.fork(withLock(file, Effect.void))
    yield* Effect.sleep("60 millis")
    yield* Fiber.interrupt(waiter)
    expect(existsSync(`${file}.lock`)).toBe(true)
  })
)

it.live("a lock of a process that is gone is taken over at once", () =>
  Effect.gen(function* () {
    const file = yield* target
    const { pid } = Bun.spawnSync(["true"])
    mkdirSync(`${file}.lock`)
    writeFileSync(`${file}.lock.owner`, JSON.stringify({ pid, folder: identityOf(`${file}.lock`) }))
    expect(yield* withLock(file, Effect.succeed("in")).pipe(Effect.timeout("5 seconds"))).toBe("in")
  })
)

it.live("so is one whose process id now belongs to another process", () =>
  Effect.gen(function* () {
    if (process.platform !== "linux") return
    const file = yield* target
    mkdirSync(`${file}.lock`)
    writeFileSync(
      `${file}.lock.owner`,
      JSON.stringify({ pid: process.pid, started: "1", folder: identityOf(`${file}.lock`) })
    )
    expect(yield* withLock(file, Effect.succeed("in")).pipe(Effect.timeout("5 seconds"))).toBe("in")
  })
)

it.live("an old lock without an owner is taken over", () =>
  Effect.gen(function* () {
    const file = yield* target
    mkdirSync(`${file}.lock`)
    utimesSync(`${file}.lock`, new Date(0), new Date(0))
    expect(yield* withLock(file, Effect.succeed("in")).pipe(Effect.timeout("5 seconds"))).toBe("in")
  })
)

it.live("a note of an earlier lock says nothing about a fresh one", () =>
  Effect.gen(function* () {
    const file = yield* target
    const { pid } = Bun.spawnSync(["true"])
    mkdirSync(`${file}.lock`)
    writeFileSync(`${file}.lock.owner`, JSON.stringify({ pid, folder: "another" }))
    const result = yield* withLock(file, Effect.void).pipe(Effect.timeoutOption("200 millis"))
    expect(result._tag).toBe("None")
  })
)

it.live("a place that cannot be written is an error, not a wait", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(withLock("/dev/null/x", Effect.void))
    expect(error.message).toContain("/dev/null/x.lock cannot be written (ENOTDIR)")
  })
)
