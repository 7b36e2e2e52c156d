/** A task of the tracker, as it stands in its file, and the rules that hold between tasks. */
import { Schema } from "effect"

export const TaskId = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{6}$/, { message: () => "a task id has six characters from 0-9 and a-f" }),
  Schema.brand("TaskId")
)
export type TaskId = typeof TaskId.Type

export const TaskType = Schema.Literal("epic", "task", "bug")
export const TaskStatus = Schema.Literal("open", "in_progress", "blocked", "closed")
export type TaskStatus = typeof TaskStatus.Type

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const TrackerTask = Schema.Struct({
  id: TaskId,
  title: Schema.String,
  description: Schema.String,
  type: TaskType,
  status: TaskStatus,
  parentId: optional(TaskId),
  dependencies: Schema.Array(TaskId),
  subagentSessionId: optional(Schema.String),
  metadata: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})
export type TrackerTask = typeof TrackerTask.Type

export type TaskMap = ReadonlyMap<TaskId, TrackerTask>

/** Why this state of a task does not fit the others; `null` when it does. */
export const taskFault = (task: TrackerTask, all: TaskMap): string | null => {
  if (task.parentId !== undefined && !all.has(task.parentId)) return `There is no parent task ${task.parentId}.`
  if (task.dependencies.includes(task.id)) return `Task ${task.id} cannot depend on itself.`
  const unknown = task.dependencies.find((id) => !all.has(id))
  if (unknown !== undefined) return `There is no task ${unknown} to depend on.`
  const open = task.dependencies.filter((id) => all.get(id)?.status !== "closed")
  if (task.status === "closed" && open.length > 0) {
    return `Task ${task.id} cannot be closed: it depends on tasks that are not closed (${open.join(", ")}).`
  }
  return reaches(task.id, task.dependencies, all) ? `These dependencies of task ${task.id} would form a circle.` : null
}

/** Whether following dependencies from `from` comes to `goal`. */
const reaches = (goal: TaskId, from: ReadonlyArray<TaskId>, all: TaskMap): boolean => {
  const seen = new Set<TaskId>()
  const pending = [...from]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (id === goal) return true
    if (seen.has(id)) continue
    seen.add(id)
    pending.push(...(all.get(id)?.dependencies ?? []))
  }
  return false
}
