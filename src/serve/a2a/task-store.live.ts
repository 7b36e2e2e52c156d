/**
 * Tasks on disk, so that a new start of the server knows them: one file each, of its user alone. What goes on in a task is
 * kept in memory and written when its state changes; the conversation itself is recorded as every session is.
 */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { TaskState as States, Task, TaskState } from "@a2a-js/sdk"
import {
  type AgentExecutionEvent,
  DefaultExecutionEventBus,
  type ExecutionEventBusManager,
  InMemoryTaskStore,
  ServerCallContext,
  type TaskStore
} from "@a2a-js/sdk/server"
import { Effect, Either, type Runtime, Runtime as Runtimes } from "effect"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { readRegularFile, statOrNone } from "../../system/regular-file.ts"

/** The oldest give way. */
const MAX_TASKS = 500
const MAX_TASK_BYTES = 16 * 1024 * 1024
/** So many more may come before the oldest go: it takes a moment. */
const SLACK = 50
/** Of what was said to callers; the conversation has all of it. */
const MAX_HISTORY = 200
/** Outputs of calls. */
const MAX_ARTIFACTS = 20
const MAX_OUTPUT = 100_000

const FILE = /^[\w-]{1,100}\.json$/

export const makeTaskStore = async (folder: string, runtime: Runtime.Runtime<never>): Promise<TaskStore> => {
  let memory = new InMemoryTaskStore()
  /** The longest untouched first. */
  const known = new Map<string, Kept>()
  const keep = async (task: Task, context: ServerCallContext) => {
    await memory.save(task, context)
    known.delete(task.id)
    known.set(task.id, { state: stateOf(task), context })
  }
  const shrink = async () => {
    if (known.size <= MAX_TASKS + SLACK) return
    const fresh = new InMemoryTaskStore()
    for (const [id, { context }] of [...known].slice(0, known.size - MAX_TASKS)) {
      // One that works would come back with its next event.
      if ((await memory.load(id, context))?.status?.state === TaskState.TASK_STATE_WORKING) continue
      known.delete(id)
      rmSync(fileOf(folder, id), { force: true })
    }
    for (const [id, { context }] of known) {
      const task = await memory.load(id, context)
      if (task !== undefined) await fresh.save(task, context)
    }
    memory = fresh
  }
  for (const task of storedTasks(folder).toReversed()) await keep(task, new ServerCallContext())
  return {
    load: (id, context) => memory.load(id, context),
    list: (params, context) => memory.list(params, context),
    save: async (task, context) => {
      const before = known.get(task.id)?.state
      const kept = bounded(task)
      await keep(kept, context)
      await shrink()
      if (before !== stateOf(task)) await Runtimes.runPromise(runtime)(write(folder, kept))
    }
  }
}

interface Kept {
  readonly state: TaskState
  readonly context: ServerCallContext
}

const bounded = (task: Task): Task => ({
  ...task,
  history: task.history.slice(-MAX_HISTORY),
  artifacts: task.artifacts.slice(-MAX_ARTIFACTS).map((artifact) => {
    const [first] = artifact.parts
    if (artifact.parts.length < 2 || first === undefined) return artifact
    // Output came in pieces; its end says more than its beginning.
    const value = artifact.parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("")
    return { ...artifact, parts: [{ ...first, content: { $case: "text", value: value.slice(-MAX_OUTPUT) } }] }
  })
})

const fileOf = (folder: string, id: string): string => join(folder, `${id}.json`)

const write = (folder: string, task: Task) =>
  writeFileAtomic({
    file: fileOf(folder, task.id),
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
  const found = Either.getOrElse(
    Either.try(() => readdirSync(folder).filter((name) => FILE.test(name))),
    (): ReadonlyArray<string> => []
  )
    .map((name) => ({
      file: join(folder, name),
      at: statOrNone(join(folder, name))?.mtimeMs ?? 0
    }))
    .sort((one, other) => other.at - one.at)
  for (const { file } of found.slice(MAX_TASKS)) rmSync(file, { force: true })
  return found.slice(0, MAX_TASKS).flatMap(({ file }) => {
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
  const isUnderWay = stateOf(task) === TaskState.TASK_STATE_WORKING
  return isUnderWay && task.status !== undefined
    ? { ...task, status: { ...task.status, state: TaskState.TASK_STATE_INPUT_REQUIRED } }
    : task
}

const FINAL: ReadonlyArray<TaskState | undefined> = [
  States.TASK_STATE_COMPLETED,
  States.TASK_STATE_FAILED,
  States.TASK_STATE_CANCELED,
  States.TASK_STATE_REJECTED
]

class CallerBus extends DefaultExecutionEventBus {
  readonly #everybody: DefaultExecutionEventBus
  constructor(everybody: DefaultExecutionEventBus) {
    super()
    this.#everybody = everybody
  }
  override publish(event: AgentExecutionEvent): void {
    super.publish(event)
    this.#everybody.publish(event)
  }
}

/**
 * The lines on which a task is told. Every message to it has one of its own, to whoever sent it; those who only listen, and
 * those who cancel, hear all of them on another.
 */
export const makeTaskBuses = (): ExecutionEventBusManager => {
  const shared = new Map<string, DefaultExecutionEventBus>()
  const forget = (taskId: string) => {
    shared.get(taskId)?.finished()
    shared.get(taskId)?.removeAllListeners()
    shared.delete(taskId)
  }
  return {
    createOrGetByTaskId: (taskId) => {
      const everybody = shared.get(taskId) ?? new DefaultExecutionEventBus()
      shared.set(taskId, everybody)
      return new CallerBus(everybody)
    },
    getByTaskId: (taskId) => shared.get(taskId),
    cleanupByTaskId: forget,
    settleByTaskId: (taskId, bus, lastState) => {
      bus.finished()
      bus.removeAllListeners()
      if (FINAL.includes(lastState)) forget(taskId)
      return true
    }
  }
}
