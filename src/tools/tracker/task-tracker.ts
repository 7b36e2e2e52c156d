/**
 * The tasks of a session: one JSON file each, written atomically. The id is checked before it becomes part of a path.
 * A file that is not a task is left alone and not listed.
 */
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Context, Effect, Layer, Option, Random, Schema } from "effect"
import { writeAtomically } from "../../files/atomic-write.ts"
import { errnoOf } from "../../files/file-error.ts"
import { realPathOf } from "../../files/real-path.ts"
import { type PreparedCall, ToolFailure, type ToolOutput } from "../tool.ts"
import { type TaskId, TaskId as TaskIdSchema, type TaskMap, TrackerTask, taskFault, tasksAsTodos } from "./task.ts"

export class TrackerError extends Schema.TaggedError<TrackerError>()("TrackerError", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

export type NewTask = Omit<TrackerTask, "id" | "status">
export type TaskChange = Partial<Pick<TrackerTask, "title" | "description" | "status" | "dependencies">>

export class TaskTracker extends Context.Tag("agent/tools/TaskTracker")<
  TaskTracker,
  {
    readonly create: (task: NewTask) => Effect.Effect<TrackerTask, TrackerError>
    readonly update: (id: string, change: TaskChange) => Effect.Effect<TrackerTask, TrackerError>
    readonly addDependency: (id: string, dependency: string) => Effect.Effect<TrackerTask, TrackerError>
    readonly get: (id: string) => Effect.Effect<Option.Option<TrackerTask>, TrackerError>
    /** In the order of their ids. */
    readonly list: Effect.Effect<ReadonlyArray<TrackerTask>, TrackerError>
  }
>() {}

const TaskFile = Schema.parseJson(TrackerTask, { space: 2 })

export const layer = (directory: string) =>
  Layer.sync(TaskTracker, () => {
    const load = Effect.try({
      try: () => taskFiles(directory).map((name) => readTask(join(directory, name))),
      catch: (cause) => new TrackerError({ detail: `The tasks in ${directory} cannot be read (${errnoOf(cause)}).` })
    }).pipe(
      Effect.map((found): TaskMap => new Map(found.flatMap(Option.toArray).map((task) => [task.id, task] as const)))
    )

    /** A fault with the other tasks leaves the file as it was. */
    const save = Effect.fnUntraced(function* (task: TrackerTask, all: TaskMap) {
      const fault = taskFault(task, all)
      if (fault !== null) return yield* new TrackerError({ detail: fault })
      const text = yield* Effect.orDie(Schema.encode(TaskFile)(task))
      const file = join(realPathOf(directory), `${task.id}.json`)
      yield* writeAtomically(file, Buffer.from(`${text}\n`), { makeParents: true }).pipe(
        Effect.mapError((error) => new TrackerError({ detail: error.message }))
      )
      return task
    })

    const existing = Effect.fnUntraced(function* (id: string, all: TaskMap) {
      const task = all.get(yield* validId(id))
      return task ?? (yield* new TrackerError({ detail: `There is no task ${id}.` }))
    })

    const create = Effect.fn("TaskTracker.create")(function* (task: NewTask) {
      const all = yield* load
      return yield* save({ id: yield* freshId(all), status: "open", ...task }, all)
    })

    const update = Effect.fn("TaskTracker.update")(function* (id: string, change: TaskChange) {
      const all = yield* load
      return yield* save({ ...(yield* existing(id, all)), ...change }, all)
    })

    const addDependency = Effect.fn("TaskTracker.addDependency")(function* (id: string, dependency: string) {
      const all = yield* load
      const task = yield* existing(id, all)
      const other = yield* existing(dependency, all)
      return yield* save({ ...task, dependencies: [...new Set([...task.dependencies, other.id])] }, all)
    })

    const get = Effect.fn("TaskTracker.get")(function* (id: string) {
      const all = yield* load
      return Option.fromNullable(all.get(yield* validId(id)))
    })

    return TaskTracker.of({ create, update, addDependency, get, list: Effect.map(load, (all) => [...all.values()]) })
  })

/** Raised before the text comes near a path. */
export const validId = (id: string): Effect.Effect<TaskId, TrackerError> =>
  Schema.decodeUnknown(TaskIdSchema)(id).pipe(
    Effect.mapError(
      () => new TrackerError({ detail: `"${id.slice(0, 50)}" is not a task id: six characters from 0-9 and a-f.` })
    )
  )

const freshId = Effect.fnUntraced(function* (all: TaskMap) {
  while (true) {
    const number = yield* Random.nextIntBetween(0, 0x1000000)
    const id = TaskIdSchema.make(number.toString(16).padStart(6, "0"))
    if (!all.has(id)) return id
  }
})

const taskFiles = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
      .filter((name) => /^[0-9a-f]{6}\.json$/.test(name))
      .sort()
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return []
    throw cause
  }
}

const readTask = (path: string): Option.Option<TrackerTask> =>
  Option.filter(
    Schema.decodeUnknownOption(TaskFile)(readFileSync(path, "utf8")),
    (task) => `${task.id}.json` === basename(path)
  )

/**
 * The common end of all tracker calls: faults become the model's answer, and the person sees the list of tasks.
 * `answer` gives the text for the model.
 */
export const trackerCall = (
  description: string,
  answer: (tracker: TaskTracker["Type"]) => Effect.Effect<string, TrackerError>
): Effect.Effect<PreparedCall<TaskTracker>, ToolFailure, TaskTracker> =>
  Effect.succeed({
    description,
    locations: [],
    confirmation: Effect.succeed({ type: "info", title: description, prompt: description, urls: [] }),
    run: () =>
      Effect.gen(function* () {
        const tracker = yield* TaskTracker
        const text = yield* answer(tracker)
        const todos = tasksAsTodos(yield* tracker.list)
        return { forModel: text, display: { type: "todos", text, todos } } satisfies ToolOutput
      }).pipe(Effect.mapError((error) => new ToolFailure({ type: "execution_failed", message: error.message })))
  })
