/**
 * Tasks on disk, so that a new start of the server knows them: one file each, of its user alone. What goes on in a task is
 * kept in memory and written when its state changes; the conversation itself is recorded as every session is.
 */
import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Task, TaskState } from "@a2a-js/sdk"
import { InMemoryTaskStore, ServerCallContext, type TaskStore } from "@a2a-js/sdk/server"
import { Effect, Either, type Runtime, Runtime as Runtimes } from "effect"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { readRegularFile } from "../../system/regular-file.ts"

/** The oldest give way. */
const MAX_TASKS = 500
const MAX_TASK_BYTES = 16 * 1024 * 1024
/** Of what was said to callers; the conversation has all of it. */
const MAX_HISTORY = 200

const FILE = /^[\w-]{1,100}\.json$/

export const makeTaskStore = async (folder: string, runtime: Runtime.Runtime<never>): Promise<TaskStore> => {
  const memory = new InMemoryTaskStore()
  const states = new Map<string, TaskState>()
  for (const task of storedTasks(folder)) {
    states.set(task.id, stateOf(task))
    await memory.save(task, new ServerCallContext())
  }
  return {
    load: (id, context) => memory.load(id, context),
    list: (params, context) => memory.list(params, context),
    save: async (task, context) => {
      const bounded = { ...task, history: task.history.slice(-MAX_HISTORY) }
      await memory.save(bounded, context)
      if (states.get(task.id) === stateOf(task)) return
      states.set(task.id, stateOf(task))
      await Runtimes.runPromise(runtime)(write(folder, bounded))
    }
  }
}

const write = (folder: string, task: Task) =>
  writeFileAtomic({
    file: join(folder, `${task.id}.json`),
    content: JSON.stringify(Task.toJSON(task)),
    mode: 0o600
  }).pipe(
    Effect.catchAll((error) =>
      Effect.annotateLogs(Effect.logWarning("a task could not be kept"), { task: task.id, reason: String(error) })
    )
  )

const stateOf = ({ status }: Task): TaskState => status?.state ?? TaskState.TASK_STATE_UNSPECIFIED

/** The newest; files beyond that are removed. */
const storedTasks = (folder: string): ReadonlyArray<Task> => {
  const files = Either.getOrElse(
    Either.try(() => readdirSync(folder).filter((name) => FILE.test(name))),
    (): ReadonlyArray<string> => []
  )
    .map((name) => ({
      file: join(folder, name),
      at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
    }))
    .sort((one, other) => other.at - one.at)
  for (const { file } of files.slice(MAX_TASKS)) rmSync(file, { force: true })
  return files.slice(0, MAX_TASKS).flatMap(({ file }) => {
    const content = readRegularFile(file, MAX_TASK_BYTES)
    if (content.kind !== "text") return []
    return Either.match(
      Either.try(() => Task.fromJSON(JSON.parse(content.text))),
      { onLeft: () => [], onRight: (task) => [resting(task)] }
    )
  })
}

/** What was under way when the server ended is not any more: the caller has the next word. */
const resting = (task: Task): Task => {
  const isUnderWay = [TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING].includes(stateOf(task))
  return isUnderWay && task.status !== undefined
    ? { ...task, status: { ...task.status, state: TaskState.TASK_STATE_INPUT_REQUIRED } }
    : task
}
