/**
 * What it costs that everything can be taken back: a shell command and a checkpoint among 100,000 files of which one
 * changed, beside git that stages the same change, and the undo of 1,000 files beside the bare writing and renaming of as many.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { documentOf } from "../../test/kit/documents.ts"
import { call } from "../../test/kit/replies.ts"
import { CHECKPOINT, COVERED_SHELL, GIT_ADD, REPLACE, UNDO } from "./bench-rows.ts"
import type { SessionBench } from "./bench-sessions.ts"
import { type Subject, shellTurn, type Turn, timesOf } from "./bench-tools-run.ts"
import { type Measured, median, timed } from "./measure.ts"
import { runQuietly } from "./run-quietly.ts"

const FILES = 100_000
const FILES_PER_FOLDER = 100
const SAMPLES = 5

export const measureUndo = async ({ binary, env, onPart, scratch }: SessionBench): Promise<Measured> => {
  const work = join(scratch, "undo", "work")
  onPart("undo among 100,000 files")
  growTree(work)
  const subject: Subject = { binary, env, cwd: work }
  const git = gitBeside(join(scratch, "undo", "git"), work)
  await git.add()
  const shell = await timesOf(subject, [shellTurn("true"), ...rounds((n) => shellTurn(change(n)), git.timedAdd)])
  onPart("checkpoints among 100,000 files")
  mkdirSync(join(work, ".gemini"))
  writeFileSync(join(work, ".gemini/settings.json"), '{ "general": { "checkpointing": { "enabled": true } } }')
  const edit = (n: number): Turn => ({
    calls: [call("write_file", { file_path: `edited_${n}.txt`, content: `${n}\n` })]
  })
  const edits = await timesOf(subject, [edit(0), ...rounds((n) => edit(n + 1))])
  onPart("undo of 1,000 files")
  await timesOf(subject, [shellTurn("sed -i s/value/changed/ part_[0-9]/*.ts")])
  const undone = await undoTimes(subject, join(scratch, "undo", "replaced"))
  return new Map([
    [COVERED_SHELL, timed(median(shell.slice(1)))],
    [GIT_ADD, timed(median(git.times))],
    [CHECKPOINT, timed(median(edits.slice(1)))],
    [UNDO, timed(median(undone.undo))],
    [REPLACE, timed(median(undone.replace))]
  ])
}

const growTree = (root: string): void => {
  for (let index = 0; index < FILES; index++) {
    const folder = join(root, `part_${Math.floor(index / FILES_PER_FOLDER)}`)
    if (index % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `module_${index}.ts`), `export const value_${index} = ${index}\n`.repeat(10))
  }
}

const change = (n: number): string => `echo ${n} >> part_${n}/module_${n * FILES_PER_FOLDER}.ts`

const rounds = (turn: (n: number) => Turn, before?: () => Promise<unknown>): ReadonlyArray<Turn> =>
  Array.from({ length: SAMPLES }, (_, n) => (before === undefined ? turn(n) : { ...turn(n), before }))

/** A repository of its own over the same files, so that git stages what our last command changed. */
const gitBeside = (folder: string, workTree: string) => {
  const times: Array<number> = []
  const run = (...args: ReadonlyArray<string>) =>
    runQuietly(["git", `--git-dir=${folder}`, `--work-tree=${workTree}`, "-c", "gc.auto=0", ...args])
  const add = () => run("add", "-A")
  return {
    times,
    add: async () => {
      await runQuietly(["git", "init", "-q", "--bare", folder])
      await add()
    },
    timedAdd: async () => {
      const start = Bun.nanoseconds()
      await add()
      times.push((Bun.nanoseconds() - start) / 1e6)
    }
  }
}

/** An undo, the undo of that undo, and so on: each puts the same 1,000 files back. */
const undoTimes = async ({ binary, cwd, env }: Subject, folder: string) => {
  const [undo, replace]: [Array<number>, Array<number>] = [[], []]
  mkdirSync(folder)
  let id: string | undefined
  for (let sample = 0; sample <= SAMPLES; sample++) {
    const start = Bun.nanoseconds()
    const child = Bun.spawn([binary, "undo", ...(id === undefined ? [] : [id]), "--yes", "--json"], {
      cwd,
      env: { ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe"
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    const exitCode = await child.exited
    undo.push((Bun.nanoseconds() - start) / 1e6)
    const document = documentOf({ stdout, stderr, exitCode })
    const { changes, undo_id } = document
    if (exitCode !== 0 || !Array.isArray(changes) || changes.length !== 1000 || typeof undo_id !== "string")
      throw new Error(`an undo of 1,000 files ended with ${exitCode}: ${stdout.slice(0, 500)}${stderr}`)
    id = undo_id
    replace.push(replaceTime(folder))
  }
  return { undo: undo.slice(1), replace: replace.slice(1) }
}

/** What a file system takes for it, whoever asks. */
const replaceTime = (folder: string): number => {
  const start = Bun.nanoseconds()
  for (let index = 0; index < 1000; index++) {
    writeFileSync(join(folder, "new"), `export const value_${index} = ${index}\n`.repeat(10))
    renameSync(join(folder, "new"), join(folder, `module_${index}.ts`))
  }
  return (Bun.nanoseconds() - start) / 1e6
}
