/** What a launcher does, by its own machine code and by our program: the same, step by step. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { handledRights, type LandlockRule } from "../landlock-rules.ts"
import { SWAPPED } from "../mount-table.ts"
import { commandFilter } from "../seccomp/command-filter.ts"
import { landlockVersion } from "./confine-self.ts"
import { FIND, launcherProgram } from "./launcher-program.ts"
import { candidatesFor, type LauncherPlan, launcherFor } from "./launcher-steps.ts"

const folder = mkdtempSync(join(tmpdir(), "launcher-"))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, "open"))
writeFileSync(join(folder, "open/file"), "readable\n")
writeFileSync(join(folder, "closed"), "not readable\n")
writeFileSync(join(folder, "no-program"), "text\n", { mode: 0o644 })

const filter = commandFilter({
  architecture: process.arch,
  internet: false,
  unixSockets: false,
  fileModes: true,
  isAmongOthers: true
})
const READ = 0b1101
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev"]
const rules: ReadonlyArray<LandlockRule> = [
  ...[...system, join(folder, "open"), join(folder, "no-program"), "/not/there"].map((path) => ({
    path,
    rights: READ
  })),
  { path: "/dev/null", rights: 0b111 }
]

const plan = (name: string, more: Partial<LauncherPlan> = {}): LauncherPlan => ({
  architecture: process.arch,
  candidates: candidatesFor(name, "/nowhere:/usr/bin:/bin"),
  hide: [],
  closedFile: join(folder, "closed"),
  settledDevices: [],
  mounts: [],
  longestTable: 256 * 1024,
  landlock: {
    version: landlockVersion(),
    handled: handledRights(landlockVersion()),
    handledNetwork: 0,
    scoped: 0,
    rules
  },
  filter: filter ?? new Uint8Array(),
  diesWithParent: true,
  isRoot: process.getuid?.() === 0,
  ...more
})

let made = 0
const launch = (how: "itself" | "our program", given: LauncherPlan, args: ReadonlyArray<string>, stdin = "") => {
  const content = launcherFor(given)
  if (content === undefined) throw new Error("there is no launcher for this machine")
  const file = join(folder, `launcher-${made++}`)
  writeFileSync(file, content, { mode: 0o700 })
  const own = [process.execPath, resolve(import.meta.dir, "../../main.ts"), "__confine"]
  const { exitCode, stderr, stdout } = Bun.spawnSync([...(how === "itself" ? [] : own), file, ...args], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", MINE: "a b" },
    stdin: Buffer.from(stdin)
  })
  return [String(stdout), String(stderr), exitCode] as const
}

describe.each(["itself", "our program"] as const)("%s", (how) => {
  const shell = (script: string, more: Partial<LauncherPlan> = {}) =>
    launch(how, plan("sh", more), ["sh", "-c", script, "zero", "one", "two words"], "from standard input\n")

  test("arguments, variables, standard input and the exit code are those of the command", () => {
    expect(shell('printf "%s|" "$0" "$@" "$MINE"; cat; exit 7')).toEqual([
      "zero|one|two words|a b|from standard input\n",
      "",
      7
    ])
  })

  test("the rules hold, and nothing is open but the standard descriptors", () => {
    const [stdout, stderr] = shell(
      `cat ${folder}/open/file ${folder}/closed; echo x >${folder}/open/made; ls /proc/self/fd | grep -v '^[0-3]$'`
    )
    expect(stdout).toBe("readable\n")
    expect(stderr).toContain(`${folder}/closed: Permission denied`)
    expect(stderr).toContain(`${folder}/open/made: Permission denied`)
  })

  test("no new rights, a filter, and no rights of root but over permissions", () => {
    const [stdout] = shell("grep -E '^(NoNewPrivs|Seccomp|CapEff|CapAmb):' /proc/self/status | tr -d '\\n\\t'")
    expect(stdout).toBe(
      `CapEff:000000000000000${process.getuid?.() === 0 ? 2 : 0}CapAmb:0000000000000000NoNewPrivs:1Seccomp:2`
    )
  })

  test.each([
    ["not-a-program", 127, "it was not found"],
    [join(folder, "no-program"), 126, "its file may not be run"],
    [join(folder, "closed"), 126, "its file may not be run"]
  ])("%s ends with %p", (name, exitCode, why) => {
    const run = launch(how, plan(name), [name])
    expect(run).toEqual(["", `gemini: the command cannot be run in the sandbox: ${why}\n`, exitCode])
  })

  test("what is not in the table of mounts keeps the command from running", () => {
    const lines = readFileSync("/proc/self/mountinfo", "utf8").trim().split("\n")
    const all = lines.map((line) => line.split(" ").slice(2, 5).join(" "))
    expect(shell("echo ran", { mounts: all })).toEqual(["ran\n", "", 0])
    const [first = ""] = all
    for (const wrong of [`${first}x`, first.slice(1), first.slice(0, -1), `${first} ${first}`]) {
      if (all.includes(wrong)) continue
      expect(shell("echo ran", { mounts: [...all, wrong] })).toEqual(["", `${SWAPPED}\n`, 44])
    }
  })

  test("a step that is needed and refused ends it before the command", () => {
    const refused = "gemini: the sandbox could not be set up: the kernel refused"
    expect(shell("echo ran", { hide: [join(folder, "open/gone")] })).toEqual(["", `${refused} to hide a file\n`, 44])
    expect(shell("echo ran", { settledDevices: ["/dev/not-there"] })).toEqual([
      "",
      `${refused} to settle a device\n`,
      44
    ])
    expect(shell("echo ran", { filter: new Uint8Array(8) })).toEqual(["", `${refused} a filter of system calls\n`, 44])
  })
})

test.each([
  ["x64", 62],
  ["arm64", 183]
])("on %s it is a program of that machine, whose parts are where its headers say", (architecture, machine) => {
  const file = launcherFor(plan("sh", { architecture })) ?? new Uint8Array()
  const view = new DataView(file.buffer)
  expect(Buffer.from(file.slice(0, 8)).toString("hex")).toBe("7f454c4602010100")
  expect([view.getUint16(16, true), view.getUint16(18, true), view.getUint16(56, true)]).toEqual([2, machine, 3])
  const [offset, length] = [view.getBigUint64(64 + 56 + 8, true), view.getBigUint64(64 + 56 + 32, true)]
  expect(offset + length).toBe(BigInt(file.length))
})

test("there is none where nobody knows the calls of a machine", () => {
  expect(launcherFor(plan("sh", { architecture: "riscv64" }))).toBeUndefined()
  expect(launcherProgram([], "ppc64")).toBeUndefined()
})

/** The other machine's code, where an emulator for it is there: calls that need no kernel of its own. */
const emulator = Bun.which(process.arch === "x64" ? "qemu-aarch64-static" : "qemu-x86_64-static")
test.skipIf(emulator === null)("the machine code for the other machine goes through its steps as well", () => {
  const other = process.arch === "x64" ? "arm64" : "x64"
  const numbers = other === "arm64" ? { getpid: 172, close: 57 } : { getpid: 39, close: 3 }
  const fatal = (text: string) => [text, 9] as const
  const texts = { bytes: Buffer.from("a ab abc") }
  const end = { within: texts, offset: 8 }
  const needle = { bytes: Buffer.from("abcd") }
  const content = launcherProgram(
    [
      { call: numbers.getpid, args: [], fatal: fatal("a call that succeeds failed"), skip: { onSuccess: 1 } },
      { call: -1, args: [], fatal: fatal("a step was not left out") },
      { call: numbers.close, args: [77], skip: { onFailure: 1 } },
      { call: -1, args: [], fatal: fatal("a failure was not seen") },
      { call: FIND, args: [texts, end, needle, 3], fatal: fatal("what is there was not found") },
      { call: FIND, args: [texts, end, needle, 4], skip: { onFailure: 1 } },
      { call: -1, args: [], fatal: fatal("what is not there was found") },
      { call: -1, args: [], fatal: fatal("the end") }
    ],
    other
  )
  const file = join(folder, "other")
  writeFileSync(file, content ?? "", { mode: 0o700 })
  const { exitCode, stderr } = Bun.spawnSync([emulator ?? "", file])
  expect([String(stderr), exitCode]).toEqual(["the end\n", 9])
  expect(readFileSync(file).length).toBeGreaterThan(512)
})
