/** Real commands: what they print, how they end, and that nothing of them stays behind. */
import { afterAll, expect } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Duration, Effect, Fiber, Schedule } from "effect"
import { itWith } from "../../test/kit/it.ts"
import { shellLayer } from "../../test/kit/shell-room.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { isAlive, rowOf } from "../system/process-table.ts"
import { Shell } from "./shell.ts"
import type { ShellCommand, ShellRequest } from "./shell-command.ts"

const it = itWith(shellLayer())
const terminal = { columns: 80, rows: 30 }
const itImpatient = itWith(shellLayer({ inactivityTimeout: "400 millis" }))

const run = (command: string, cwd = "/", more: Partial<ShellRequest> = {}) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const { result } = yield* shell.run({ command, cwd, ...more }, () => Effect.void)
    return result
  })

/** Waits for what another process brings about; the time limit of the test is the bound. */
const waitFor = (condition: () => boolean) =>
  Effect.suspend(() => (condition() ? Effect.void : Effect.sleep("10 millis"))).pipe(
    Effect.repeat({ until: condition })
  )

const linesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []

const gone = (pid: number) => rowOf(pid) === undefined

it.live("gives the text of both outputs in the order it was written, and the exit code", () =>
  Effect.gen(function* () {
    const result = yield* run("echo one; echo two >&2; echo three; exit 7")
    expect(result).toMatchObject({ output: "one\ntwo\nthree", exitCode: 7, signal: null, backgroundPids: [] })
    expect(result.isOutputHeld).toBe(false)
  })
)

it.live("runs in the folder that was asked for", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder()
    expect((yield* run("pwd", folder)).output).toBe(folder)
  })
)

it.live("says that the folder is missing, not the shell", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(run("pwd", "/no/such/folder"))
    expect(error.message).toBe("the command could not be started in /no/such/folder: no such folder")
  })
)

it.live("the outputs can be opened by name", () =>
  Effect.gen(function* () {
    const result = yield* run("echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr")
    expect(result.output.split("\n").sort()).toEqual(["one", "three", "three", "two"])
  })
)

it.live("keeps here-documents, comments, trailing backslashes and quotes as they were written", () =>
  Effect.gen(function* () {
    expect((yield* run("cat <<'EOF'\n$HOME `x` \"q\"\nEOF")).output).toBe('$HOME `x` "q"')
    expect((yield* run("echo a # comment")).output).toBe("a")
    expect((yield* run("echo a \\")).output).toStartWith("a")
    expect((yield* run('echo "$# $*"')).output).toBe("0")
  })
)

it.live("a text cannot step out of the frame it runs in", () =>
  Effect.gen(function* () {
    const result = yield* run(") ; echo escaped ; (")
    expect(result.output).toContain("syntax error")
    expect(result.output).not.toMatch(/^escaped/m)
    expect(result.exitCode).toBe(2)
  })
)

it.live("runs a text that is longer than an argument may be", () =>
  Effect.gen(function* () {
    const long = "x".repeat(300_000)
    const result = yield* run(`cat <<'EOF' | wc -c\n${long}\nEOF`)
    expect(result.output).toBe("300001")
  })
)

it.live("names the signal of a shell that was killed", () =>
  Effect.gen(function* () {
    expect(yield* run("kill -KILL $$")).toMatchObject({ exitCode: null, signal: 9 })
  })
)

it.live("a program that reads finds the end at once, and one that wants a password finds no terminal", () =>
  Effect.gen(function* () {
    const result = yield* run("cat; read -r line; echo $?; (read -r line </dev/tty) 2>&1; echo done")
    expect(result.output).toContain("1\n")
    expect(result.output).toContain("/dev/tty: No such device or address")
    expect(result.output).toEndWith("done")
  })
)

it.live("a job that keeps the output open does not keep us waiting, and is named", () =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const { command, result } = yield* shell.run(
      { command: "sleep 300 & echo started", cwd: "/", terminal },
      () => Effect.void
    )
    expect(result).toMatchObject({ output: "started", exitCode: 0, isOutputHeld: true })
    expect(result.backgroundPids).toHaveLength(1)
    expect(gone(result.backgroundPids[0] ?? 0)).toBe(false)
    yield* command.end
    expect(gone(result.backgroundPids[0] ?? 0)).toBe(true)
  })
)

it.live("a daemon that left the session is found by its mark, and ended", () =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const text = "setsid bash -c 'setsid sleep 300 & disown; exit' & wait; echo up"
    const { command, result } = yield* shell.run({ command: text, cwd: "/" }, () => Effect.void)
    expect(result).toMatchObject({ output: "up", isOutputHeld: true })
    expect(result.backgroundPids.length).toBeGreaterThan(0)
    expect(yield* command.end).toEqual({ killed: [], survivors: [] })
    expect(result.backgroundPids.every(gone)).toBe(true)
  })
)

it.live("a job survives the shell and can still write", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder()
    const result = yield* run("(sleep 0.5; echo late; echo still here > marker) & echo first", folder)
    expect(result.output).toBe("first")
    yield* waitFor(() => linesOf(join(folder, "marker")).length > 0)
    expect(linesOf(join(folder, "marker"))).toEqual(["still here"])
  })
)

it.live("interruption ends the whole tree, also what ignores SIGTERM and what left the group", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder()
    const text = `trap '' TERM; echo $$ > pids; sleep 300 & echo $! >> pids; setsid sleep 300 & echo $! >> pids; while :; do sleep 1; done`
    const fiber = yield* Effect.fork(run(text, folder))
    yield* waitFor(() => linesOf(join(folder, "pids")).length === 3)
    const pids = linesOf(join(folder, "pids")).map(Number)
    expect(pids.map(gone)).toEqual([false, false, false])
    yield* Fiber.interrupt(fiber)
    expect(pids.map(gone)).toEqual([true, true, true])
  })
)

it.live("interruption lets a well-behaved command clean up", () =>
  Effect.gen(function* () {
    const folder = yield* tempFolder()
    const fiber = yield* Effect.fork(
      run("trap 'echo bye > marker; exit 0' TERM; echo > ready; sleep 300 & wait", folder)
    )
    yield* waitFor(() => linesOf(join(folder, "ready")).length > 0)
    yield* Fiber.interrupt(fiber)
    expect(readFileSync(join(folder, "marker"), "utf8")).toBe("bye\n")
  })
)

itImpatient.live("a silent command is ended, with what it had printed and what had to be killed", () =>
  Effect.gen(function* () {
    const result = yield* run("echo before; trap '' TERM; sleep 300")
    expect(result.output).toBe("before")
    expect(Duration.toMillis(result.timedOut?.silence ?? 0)).toBe(400)
    expect(result.timedOut?.tree.killed.length).toBeGreaterThan(0)
    expect(result.timedOut?.tree.survivors).toEqual([])
    expect(gone(result.pid)).toBe(true)
  })
)

/** Somebody sets the clock on the wall back by an hour at each look. */
const setBack = (): Clock.Clock => {
  const clock = Clock.make()
  let hours = 0
  const backwards = () => clock.unsafeCurrentTimeMillis() - ++hours * 3_600_000
  return Object.assign(Object.create(clock), {
    unsafeCurrentTimeMillis: backwards,
    currentTimeMillis: Effect.sync(backwards)
  })
}

it.live("a clock that is set back does not prolong the limit of silence", () =>
  Effect.gen(function* () {
    const result = yield* run("echo before; sleep 300")
    expect(result.output).toBe("before")
    expect(Duration.toMillis(result.timedOut?.silence ?? 0)).toBe(400)
  }).pipe(Effect.provide(shellLayer({ inactivityTimeout: "400 millis" })), Effect.withClock(setBack()))
)

itImpatient.live("output resets the limit of silence", () =>
  Effect.gen(function* () {
    const result = yield* run("for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo $i; done")
    expect(result).toMatchObject({ output: "1\n2\n3\n4\n5\n6\n7\n8", exitCode: 0, timedOut: undefined })
  })
)

itWith(shellLayer({ inactivityTimeout: 0 })).live("zero is no limit", () =>
  Effect.gen(function* () {
    expect(yield* run("sleep 0.3; echo end")).toMatchObject({ output: "end", timedOut: undefined })
  })
)

it.live("live output comes at once, then at most once a second", () =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const seen: Array<string> = []
    const command = "echo first; for i in $(seq 20); do sleep 0.06; echo $i; done"
    const [elapsed] = yield* Effect.timed(
      shell.run({ command, cwd: "/" }, (text) => Effect.sync(() => void seen.push(text)))
    )
    // On a busy machine the next line may come along.
    expect(seen[0]).toStartWith("first\n")
    expect(seen.length).toBeGreaterThanOrEqual(2)
    expect(seen.length).toBeLessThanOrEqual(1 + Math.ceil(Duration.toSeconds(elapsed)))
  })
)

it.live("binary output is counted, not shown", () =>
  Effect.gen(function* () {
    const result = yield* run("printf 'a\\0b'; head -c 5000 /dev/zero")
    expect(result).toMatchObject({ output: "(binary output, 4.9 KB, not shown)", outputBytes: 5003 })
  })
)

it.live("escapes are taken out", () =>
  Effect.gen(function* () {
    expect((yield* run("printf '\\033[31mred\\033[0m \\033]0;title\\007end\\n'")).output).toBe("red end")
  })
)

it.live("of a long output the end is kept in memory and the beginning in a private file", () =>
  Effect.gen(function* () {
    const result = yield* run("seq 1 7000000")
    const file = result.spillFile ?? ""
    expect(existsSync(file)).toBe(true)
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(file)))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(file).size).toBe(result.outputBytes)
    expect(readFileSync(file, "utf8").slice(0, 8)).toBe("1\n2\n3\n4\n")
    expect(result.output.length).toBeLessThan(17 * 1024 * 1024)
    expect(result.output).toMatch(/\n7000000\n\[GEMINI_CLI_WARNING: .*16MB.*run_shell_command_.*\]$/)
  })
)

it.live("a terminal is a terminal: size, order, overwritten lines", () =>
  Effect.gen(function* () {
    const result = yield* run(
      "test -t 1 && echo tty; stty size </dev/tty; printf 'one\\rtwo\\n'; echo err >&2; exit 3",
      "/",
      { terminal }
    )
    expect(result).toMatchObject({ output: "tty\n30 80\ntwo\nerr", exitCode: 3 })
  })
)

it.live("what is typed at a terminal reaches the command, and Ctrl-C ends what runs there", () =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const command = yield* shell.start({ command: "read -r line; echo got $line; sleep 300", cwd: "/", terminal })
    const type = (text: string) => Effect.sync(() => command.terminal?.write(Buffer.from(text)))
    yield* type("hello\r")
    while (!(yield* command.liveText).includes("got hello")) yield* Effect.sleep("10 millis")
    yield* type("\u0003")
    expect(yield* command.wait).toMatchObject({ output: "hello\ngot hello\n^C", exitCode: null, signal: 2 })
  })
)

it.live("a command may be left running", () =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const request = { command: "echo one; sleep 300", cwd: "/", terminal }
    const seen = (command: ShellCommand) =>
      Effect.repeat(command.liveText, { until: (text) => text.includes("one"), schedule: Schedule.spaced("10 millis") })
    const { command, isAside, result } = yield* shell.run(
      request,
      () => Effect.void,
      (one) => Effect.asVoid(seen(one))
    )
    expect([isAside, result.output, gone(command.pid)]).toEqual([true, "one", false])
    yield* command.end
    expect(gone(command.pid)).toBe(true)
  })
)

it.live("a job of a terminal keeps it", () =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const { command, result } = yield* shell.run(
      { command: "sleep 300 & echo started", cwd: "/", terminal },
      () => Effect.void
    )
    expect(result).toMatchObject({ output: "started", isOutputHeld: true })
    expect(result.backgroundPids.map(gone)).toEqual([false])
    yield* command.end
    expect(result.backgroundPids.map(gone)).toEqual([true])
  })
)

it.live("commands run beside each other", () =>
  Effect.gen(function* () {
    const results = yield* Effect.forEach([1, 2, 3, 4], (n) => run(`sleep 0.1; echo ${n}`), { concurrency: 4 })
    expect(results.map((result) => result.output)).toEqual(["1", "2", "3", "4"])
  })
)

it.live("leaves no temporary folder behind", () =>
  Effect.gen(function* () {
    const result = yield* run('trap -p EXIT | grep -o "[^\\"]*gemini-shell-[^/]*"')
    const folder = result.output
    expect(folder).toContain("gemini-shell-")
    expect(existsSync(folder)).toBe(false)
    expect(isAlive({ pid: result.pid, startedAt: 0 })).toBe(false)
  })
)

const GIT_HOME = mkdtempSync(join(tmpdir(), "git-home-"))
afterAll(() => rmSync(GIT_HOME, { recursive: true, force: true }))
writeFileSync(
  join(GIT_HOME, ".gitconfig"),
  "[user]\n\tname = Ann\n\temail = ann@example.org\n[alias]\n\tmine = status\n"
)

const gitVariables = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: GIT_HOME }
const GIT_FACTS =
  "git config user.name; git config user.email; git config alias.mine || echo no alias; git config core.hooksPath"

itWith(shellLayer({}, gitVariables)).live("in a trusted folder git is the user's own, without editors", () =>
  Effect.gen(function* () {
    expect((yield* run(GIT_FACTS)).output).toBe("Ann\nann@example.org\nstatus")
    const folder = yield* tempFolder()
    const result = yield* run("git init -q . && echo x > x && git add x && git commit", folder)
    expect(result.output).toContain("-m or -F")
    expect(result.exitCode).toBe(1)
  })
)

itWith(shellLayer({ isTrusted: false }, gitVariables)).live(
  "in an untrusted folder only the identity is left of it",
  () =>
    Effect.gen(function* () {
      expect((yield* run(GIT_FACTS)).output).toBe("Ann\nann@example.org\nno alias")
    })
)

itWith(shellLayer({}, { ...gitVariables, GEMINI_API_KEY: "secret", BUN_OPTIONS: "--smol", OTHER: "1" })).live(
  "the agent's own credentials and switches stay out of the command's environment",
  () =>
    Effect.gen(function* () {
      const { output } = yield* run("env")
      expect(output).toContain("OTHER=1")
      expect(output).toContain("GEMINI_CLI=1")
      expect(output).not.toContain("secret")
      expect(output).not.toContain("BUN_OPTIONS")
    })
)
