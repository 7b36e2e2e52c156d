/** How a command text becomes a program and its arguments. */
import { expect, test } from "bun:test"
import { invocation, parseJobs, shellProgram } from "./invocation.ts"

const bash = { path: "/bin/bash", dialect: "bash" } as const

test("the text is an argument, never part of the script", () => {
  const { argv, script } = invocation({ program: bash, command: "a'\"b", jobsFile: "/t/jobs", isTerminal: false })
  expect(argv.slice(0, 2)).toEqual(["/bin/bash", "-c"])
  expect(argv[2]).toContain("shopt -u promptvars nullglob extglob nocaseglob dotglob")
  expect(argv[2]).not.toContain("a'\"b")
  expect(argv.slice(3)).toEqual(["bash", "a'\"b"])
  expect(script).toBeUndefined()
})

test("a text that is too long becomes a file", () => {
  const command = "x".repeat(130_000)
  const { argv, script } = invocation({ program: bash, command, jobsFile: "/t/jobs", isTerminal: false })
  expect(script).toEqual({ file: "/t/jobs.sh", text: `${command}\n` })
  expect(argv.join("").length).toBeLessThan(1000)
})

test("a plain sh gets no bash options", () => {
  const program = { path: "/bin/sh", dialect: "sh" } as const
  const input = { program, command: "ls", jobsFile: "/t/jobs", isTerminal: true, unreadFile: "/t/unread" }
  expect(invocation(input).argv[2]).not.toMatch(/shopt|read /)
})

test("PowerShell", () => {
  const windows = (path: string, isTerminal: boolean) =>
    invocation({ program: { path, dialect: "powershell" }, command: "dir", jobsFile: "", isTerminal }).argv
  expect(windows("powershell.exe", false)).toEqual([
    "powershell.exe",
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    "dir"
  ])
  expect(windows("C:\\pwsh.exe", false)).toEqual(["C:\\pwsh.exe", "-NoProfile", "-Command", "dir"])
  expect(windows("C:\\pwsh.exe", true)[3]).toBe("[Console]::OutputEncoding=[Text.Encoding]::UTF8; dir")
})

test("the shell of the platform", () => {
  expect(shellProgram("linux", { PATH: "/usr/bin:/bin" }, "/work").dialect).toBe("bash")
  expect(shellProgram("linux", { PATH: "" }, "/work")).toEqual({ path: "/bin/sh", dialect: "sh" })
  const comSpec = "C:\\Program Files\\PowerShell\\pwsh.exe"
  expect(shellProgram("win32", { ComSpec: comSpec }, "/work")).toEqual({ path: comSpec, dialect: "powershell" })
  expect(shellProgram("win32", { ComSpec: "C:\\cmd.exe" }, "/work")).toEqual({
    path: "powershell.exe",
    dialect: "powershell"
  })
})

test("the list of jobs", () => {
  expect(parseJobs("12\n345\n")).toEqual([12, 345])
  expect(parseJobs("")).toEqual([])
  expect(parseJobs("x\n-1\n7")).toEqual([7])
})
