/** Processes that a run left behind, or should not have. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"

/** A process that has ended but was not collected by its parent does not count. */
export const isAlive = (pid: number): boolean => {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
  const state = stdout.toString().trim()
  return state !== "" && !state.startsWith("Z")
}

/** Resolves when the file is there: a command that a run started has come so far. */
export const untilExists = async (path: string): Promise<void> => {
  while (!existsSync(path)) await Bun.sleep(10)
}

/** Resolves when the file is there and holds the text: a program has written down what it was to write. */
export const untilHolds = async (path: string, text: string): Promise<void> => {
  await untilExists(path)
  while (!(await readFile(path, "latin1")).includes(text)) await Bun.sleep(10)
}

/** Resolves when none of them is alive; a caller's own time limit says when that is too late. */
export const untilGone = async (pids: ReadonlyArray<number>): Promise<void> => {
  while (pids.some(isAlive)) await Bun.sleep(20)
}

/** The process ids in a file, one a line. */
export const pidsIn = async (path: string): Promise<ReadonlyArray<number>> =>
  (await readFile(path, "utf8")).trim().split("\n").map(Number)
