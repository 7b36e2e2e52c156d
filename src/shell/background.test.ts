/** Background processes: history, logs, notices, and their end with the session. */
import { afterAll, expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duration, Effect, Exit, Layer, Scope } from "effect"
import { it, itWith } from "../../test/kit/it.ts"
import { backgroundLayer } from "../../test/kit/shell-room.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { rowOf } from "../system/process-table.ts"
import { BackgroundProcesses } from "./background.ts"
import { BackgroundLog, cleanLog, logFileOf } from "./background-log.ts"
import type { BackgroundOptions } from "./background-tracking.ts"
import { Shell } from "./shell.ts"

const SECRETS = [{ name: "TOKEN", value: "secret-value-123" }]

const base = mkdtempSync(join(tmpdir(), "background-test-"))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const options = (more: Partial<BackgroundOptions> = {}): BackgroundOptions => ({
  logFolder: join(base, "logs"),
  keep: false,
  completion: "silent",
  ...more
})

const quiet = options()
const itSilent = itWith(backgroundLayer(quiet))

const start = (command: string, delayMs = 200) =>
  Effect.gen(function* () {
    const background = yield* BackgroundProcesses
    return yield* background.start({ command, cwd: "/" }, Duration.millis(delayMs))
  })

const running = (command: string, delayMs?: number) =>
  start(command, delayMs).pipe(
    Effect.flatMap((started) =>
      started._tag === "Running" ? Effect.succeed(started) : Effect.die(`ended early: ${started.run.result.output}`)
    )
  )

const untilExited = (pid: number) =>
  Effect.gen(function* () {
    const background = yield* BackgroundProcesses
    for (let round = 0; round < 200; round += 1) {
      const entry = (yield* background.list).find((candidate) => candidate.pid === pid)
      if (entry?.status === "exited") return entry
      yield* Effect.sleep("20 millis")
    }
    return yield* Effect.die("still running")
  })

itSilent.live("a command that goes on is listed with its first output, and its log grows", () =>
  Effect.gen(function* () {
    const background = yield* BackgroundProcesses
    const { entry, initialOutput } = yield* running("printf '\\033[32mready\\033[0m\\n'; sleep 0.4; echo more; exit 3")
    expect(initialOutput).toBe("ready\n")
    expect(entry).toMatchObject({ status: "running", exitCode: null, endTime: null })
    expect(statSync(quiet.logFolder).mode & 0o777).toBe(0o700)
    expect(statSync(entry.logFile).mode & 0o777).toBe(0o600)
    expect(yield* untilExited(entry.pid)).toMatchObject({ status: "exited", exitCode: 3, signal: null })
    expect(readFileSync(entry.logFile, "utf8")).toBe("ready\nmore\n")
    expect(yield* background.readOutput(entry.pid, 1)).toEqual({ lines: ["more"], available: 2, isCut: false })
    expect(yield* background.drainNotices).toEqual([])
  })
)

itSilent.live("a command that ends within the delay is no background process", () =>
  Effect.gen(function* () {
    const background = yield* BackgroundProcesses
    const started = yield* start("echo quick; exit 2", 5000)
    expect(started).toMatchObject({ _tag: "Finished", run: { result: { output: "quick", exitCode: 2 } } })
    expect(yield* background.list).toEqual([])
  })
)

itSilent.live("jobs that a command leaves behind are adopted with what they print", () =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const background = yield* BackgroundProcesses
    const text = "(sleep 0.6; echo from the job; sleep 300) & echo started"
    const run = yield* shell.run({ command: text, cwd: "/" }, () => Effect.void)
    yield* background.adoptJobs(run)
    const [entry] = yield* background.list
    expect(entry).toMatchObject({ pid: run.result.backgroundPids[0] ?? 0, command: text, status: "running" })
    yield* Effect.sleep("800 millis")
    const tail = yield* background.readOutput(entry?.pid ?? 0, 100)
    expect(tail.lines).toEqual(["started", "from the job"])
    expect((yield* background.endAll).map((process) => process.pid)).toEqual([entry?.pid ?? 0])
    expect(rowOf(entry?.pid ?? 0)).toBeUndefined()
    expect(yield* background.endAll).toEqual([])
  })
)

itSilent.live("only processes of the session can be read", () =>
  Effect.gen(function* () {
    const background = yield* BackgroundProcesses
    const error = yield* Effect.flip(background.readOutput(1, 10))
    expect(error).toMatchObject({ kind: "unknown-pid", pid: 1 })
    expect(error.message).toContain("Access denied")
  })
)

itSilent.live("a log that was replaced by a link is refused, a missing one is named", () =>
  Effect.gen(function* () {
    const background = yield* BackgroundProcesses
    const { entry } = yield* running("echo x; sleep 300", 100)
    rmSync(entry.logFile)
    expect(yield* Effect.flip(background.readOutput(entry.pid, 10))).toMatchObject({ kind: "no-log" })
    symlinkSync("/etc/passwd", entry.logFile)
    expect(yield* Effect.flip(background.readOutput(entry.pid, 10))).toMatchObject({ kind: "link" })
  })
)

it.live("a stale log, or a link in its place, is replaced and never followed", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder()
    const victim = join(folder, "victim")
    writeFileSync(victim, "precious")
    const file = logFileOf(folder, 7)
    symlinkSync(victim, file)
    const log = new BackgroundLog(file, { folder, secrets: SECRETS })
    log.write(Buffer.from("new"))
    log.close()
    expect(readFileSync(victim, "utf8")).toBe("precious")
    expect(readFileSync(file, "utf8")).toBe("new")
  })
)

it.live("escapes and characters that come in pieces are put together before they are cleaned", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder()
    const file = logFileOf(folder, 8)
    const log = new BackgroundLog(file, { folder, secrets: SECRETS })
    for (const byte of Buffer.from("a\x1b[31mré€d\x1b[0m\x1b]0;t\x07 end")) log.write(Uint8Array.of(byte))
    log.close()
    expect(readFileSync(file, "utf8")).toBe("aré€d end")
  })
)

it.live(
  "credentials do not stand in a log, also where they come in pieces; what only looks like one is there at once",
  () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder()
      const file = logFileOf(folder, 9)
      const log = new BackgroundLog(file, { folder, secrets: SECRETS })
      log.write(Buffer.from("token: secret"))
      expect(readFileSync(file, "utf8")).toBe("token: secret")
      log.write(Buffer.from("-value-1"))
      expect(readFileSync(file, "utf8")).not.toContain("secret-value")
      log.write(Buffer.from("23, sec"))
      expect(readFileSync(file, "utf8")).toBe("token: [REDACTED:TOKEN], sec")
      log.close()
      expect(readFileSync(file, "utf8")).toBe("token: [REDACTED:TOKEN], sec")

      writeFileSync(file, "written by itself: secret-value-123\n")
      cleanLog(file, SECRETS)
      expect(readFileSync(file, "utf8")).toBe("written by itself: [REDACTED:TOKEN]\n")
    })
)

it.live("the end of the session ends them; kept ones live on and still write their log", () =>
  Effect.gen(function* () {
    const lifeOf = (settings: BackgroundOptions, command: string) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(backgroundLayer(settings), scope)
        const { entry, initialOutput } = yield* Effect.provide(running(command), context)
        yield* Scope.close(scope, Exit.void)
        return { entry, initialOutput }
      })
    const ended = yield* lifeOf(options(), "trap '' TERM; sleep 300")
    expect(rowOf(ended.entry.pid)).toBeUndefined()

    const kept = yield* lifeOf(options({ keep: true }), "echo one; sleep 0.5; echo two; sleep 300")
    yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(-kept.entry.pid, "SIGKILL")))
    expect(kept.initialOutput).toBe("one\n")
    expect(rowOf(kept.entry.pid)).toBeDefined()
    yield* Effect.sleep("700 millis")
    expect(readFileSync(kept.entry.logFile, "utf8")).toBe("one\ntwo\n")
    expect(kept.entry.logFile).toEndWith(`background-${kept.entry.pid}.log`)
  })
)

itWith(backgroundLayer(options({ completion: "notify" }))).live("a notice says how it ended and where the log is", () =>
  Effect.gen(function* () {
    const background = yield* BackgroundProcesses
    const { entry } = yield* running("sleep 0.3; exit 4", 50)
    yield* untilExited(entry.pid)
    yield* Effect.sleep("20 millis")
    expect(yield* background.drainNotices).toEqual([
      `[Background process ${entry.pid} (sleep 0.3; exit 4) ended with exit code 4. Log: ${entry.logFile}]`
    ])
    expect(yield* background.drainNotices).toEqual([])
  })
)

itWith(backgroundLayer(options({ completion: "inject" }))).live(
  "an injected notice carries the end of the output",
  () =>
    Effect.gen(function* () {
      const background = yield* BackgroundProcesses
      const { entry } = yield* running("sleep 0.2; seq 1 3000; kill -TERM $$", 50)
      yield* untilExited(entry.pid)
      yield* Effect.sleep("50 millis")
      const [notice] = yield* background.drainNotices
      expect(notice).toStartWith(`[Background process ${entry.pid} `)
      expect(notice).toContain("ended with signal 15")
      expect(notice).toEndWith("2999\n3000\n</output>")
      expect(notice?.length).toBeLessThan(5300)
    })
)
