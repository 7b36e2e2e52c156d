/** What a write leaves behind when the process is killed in the middle of it, or the disk is full. */

import { describe, expect, test } from "bun:test"
import { expectFailureEvents } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { asNobody, testWith } from "./kit/needs.ts"
import { newWorkspace, type RunOptions, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, scriptOf, tool, withoutRights } from "./kit/tool-run.ts"

const OLD = Array.from({ length: 5000 }, (_, index) => `old line ${index}\n`).join("")
const WRITTEN = Array.from({ length: 5000 }, (_, index) => `new line ${index}\n`).join("")
const REPLACED = WRITTEN.replace("new line 2500\n", "changed line 2500\n")

const CALLS = [
  tool("write_file", { file_path: "a.txt", content: WRITTEN }),
  tool("replace", {
    file_path: "a.txt",
    instruction: "change one line",
    old_string: "new line 2500\n",
    new_string: "changed line 2500\n"
  })
]

const canTrace = Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).exitCode === 0

/** The content of the file after a run that was killed when it entered that system call for the n-th time. */
const contentAfterKill = async (syscall: string, when: number) => {
  await using place = await newWorkspace()
  await using server = await startModelServer(scriptOf(...CALLS), { strict: true })
  await place.write("work/a.txt", OLD)
  const inject = `strace -f -o /dev/null -e trace=${syscall} -e inject=${syscall}:signal=KILL:when=${when}`
  const { exitCode } = await place.shell(`${inject} "$GEMINI" -p go -o json --yolo; exit $?`, { server })
  return { exitCode, content: await place.read("work/a.txt") }
}

describe.skipIf(!canTrace)("a kill at any moment of a write", () => {
  test.each(["fsync", "/^rename"])("%s: leaves the old file or the new one", async (syscall) => {
    const seen: Array<string> = []
    for (let when = 1; ; when++) {
      const { content, exitCode } = await contentAfterKill(syscall, when)
      const state = [OLD, WRITTEN, REPLACED].indexOf(content)
      expect({ when, exitCode, state }).toEqual({ when, exitCode: exitCode === 0 ? 0 : 137, state: expect.any(Number) })
      expect(state).toBeGreaterThanOrEqual(0)
      seen.push(`${exitCode}:${state}`)
      if (exitCode === 0) break
    }
    // Killed before the first write, between the two, and not at all any more.
    expect(seen).toContain("137:0")
    expect(seen).toContain("137:1")
    expect(seen.at(-1)).toBe("0:2")
  })
})

const canMount =
  process.platform === "linux" &&
  Bun.spawnSync(["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]).exitCode === 0

/** A run whose working folder is a file system of 100 KB; afterwards what is in it stands in `after` of the home. */
const onSmallDisk = (place: Workspace, prepare: string) => (args: ReadonlyArray<string>, options: RunOptions) =>
  place.shell(
    `exec unshare -rm sh -c 'mount -t tmpfs -o size=100k none "${place.cwd}" && cd "${place.cwd}" && ${prepare}
      "$GEMINI" ${args.join(" ")}
      code=$?
      cp a.txt "$HOME/after"; ls -A > "$HOME/names"
      exit $code'`,
    options
  )

describe.skipIf(!canMount)("a full disk", () => {
  test.each([
    ["write_file", tool("write_file", { file_path: "a.txt", content: WRITTEN.repeat(3) })],
    [
      "replace",
      tool("replace", { file_path: "a.txt", instruction: "grow", old_string: "old", new_string: WRITTEN.repeat(3) })
    ]
  ])("%s: the run ends with 54, and the file is as it was", async (name, call) => {
    await using place = await newWorkspace()
    const run = await callTools(place, inTurns(call, tool("list_directory", { dir_path: "." })), {
      args: ["--approval-mode", "auto_edit"],
      start: onSmallDisk(place, "echo old > a.txt;")
    })
    expectFailureEvents(run.result, 54, {
      completion_reason: "tool",
      error: expect.objectContaining({ type: "FatalToolExecutionError", message: expect.stringContaining("a.txt") })
    })
    expect(run.answers.map(({ type }) => type)).toEqual(["no_space_left"])
    expect(run.bodies).toHaveLength(1)
    expect(await place.read("home/after")).toBe("old\n")
    expect({ name, names: await place.read("home/names") }).toEqual({ name, names: "a.txt\n" })
  })

  test("a command that fills it is only a command that failed", async () => {
    await using place = await newWorkspace()
    const run = await callTools(
      place,
      inTurns(tool("run_shell_command", { command: "head -c 200000 /dev/zero > b" })),
      {
        args: ["--yolo"],
        start: onSmallDisk(place, "echo old > a.txt;")
      }
    )
    expect(run.result.exitCode).toBe(0)
    expect(run.answers[0]?.output).toContain("Exit Code: 1")
  })
})

testWith(...asNobody)("a home that cannot be written costs nothing but what would stand there", async () => {
  await using place = await newWorkspace()
  await place.write("work/a.txt", "content")
  const calls = [
    tool("read_file", { file_path: "a.txt" }),
    tool("run_shell_command", { command: "seq 1 20000" }),
    tool("run_shell_command", { command: "sleep 60", is_background: true }),
    tool("save_memory", { fact: "x" }),
    tool("enter_plan_mode")
  ]
  const run = await callTools(place, inTurns(...calls), {
    args: ["--yolo"],
    start: withoutRights(place, 'chmod 555 "$HOME"')
  })
  const [read, long, background, memory] = run.answers
  expect(run.result.exitCode).toBe(0)
  expect(read?.output).toBe("content")
  expect(long?.output).toContain("\n20000\n")
  expect(background?.output).toContain("running in the background")
  expect(memory?.type).toBe("memory_tool_execution_error")
  expect(run.answers.filter(({ type }) => type === "unhandled_exception")).toEqual([])
})
