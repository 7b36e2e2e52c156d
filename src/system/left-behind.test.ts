/** Programs that leave nothing, and programs whose children went where no group finds them. */
import { describe, expect, test } from "bun:test"
import { leftNothing } from "./left-behind.ts"
import { COMMAND_MARK, markedProcesses } from "./process-table.ts"

const ended = async (command: string) => {
  const mark = crypto.randomUUID()
  const child = Bun.spawn(["bash", "-c", command], {
    env: { PATH: process.env.PATH, [COMMAND_MARK]: mark },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    detached: true
  })
  await child.exited
  const isTidy = leftNothing(child.pid, mark)
  for (const { pid } of markedProcesses(mark)) endQuietly(pid)
  return isTidy
}

const endQuietly = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It ended by itself meanwhile.
  }
}

/** For a hundred programs on a machine that has other things to do. */
const PATIENCE_MS = 60_000

describe.skipIf(process.platform !== "linux")("a program that has ended", () => {
  // On a busy machine so many numbers may be given out that nothing can be told: one time in a hundred is enough.
  const isEverTidy = async (command: string) => {
    for (let attempt = 0; attempt < 100; attempt += 1) if (await ended(command)) return true
    return false
  }
  test.each(["exec true", "ls > /dev/null; (true) | cat", "sleep 0.01 & wait"])(
    "and left nothing: %s",
    async (command) => expect(await isEverTidy(command)).toBe(true),
    PATIENCE_MS
  )

  test.each(["setsid sleep 30 & sleep 0.05", "(setsid sleep 30 &) ; exit 0", "setsid bash -c '(sleep 30 &)' ; exit 0"])(
    "and left something: %s",
    async (command) => {
      for (let attempt = 0; attempt < 5; attempt += 1) expect(await ended(command)).toBe(false)
    },
    PATIENCE_MS
  )

  test("a number that was given out long ago tells nothing", () => expect(leftNothing(1, "x")).toBe(false))
})
