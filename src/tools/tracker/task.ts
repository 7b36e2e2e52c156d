/** A task of the tracker, as it stands in its file, and the rules that hold between tasks. */
import { Schema } from "effect"
import type { Todo } from "../tool.ts"

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

/** Tasks as people and the model see them: a todo list, and a tree. */
const ICONS = { open: "⭕", in_progress: "🚧", blocked: "⛔", closed: "✅" } as const
const TODO_STATUS = { open: "pending", in_progress: "in_progress", blocked: "blocked", closed: "completed" } as const
const ORDER = ["in_progress", "open", "blocked", "closed"]

export const taskLine = (task: TrackerTask): string => `- [${task.id}] ${task.title} (${task.status})`

/** What is being done first, what is done last; children below their parent. */
export const tasksAsTodos = (tasks: ReadonlyArray<TrackerTask>): ReadonlyArray<Todo> =>
  inTreeOrder(tasks).map(({ depth, task }) => ({
    description: `${"  ".repeat(depth)}[${task.id}] ${task.title}`,
    status: TODO_STATUS[task.status]
  }))

export const tasksAsTree = (tasks: ReadonlyArray<TrackerTask>): string => {
  if (tasks.length === 0) return "There are no tasks."
  const titles = new Map(tasks.map((task) => [task.id, task.title]))
  const placed = inTreeOrder(tasks)
  const lines = placed.flatMap(({ depth, task }) => {
    const indent = "  ".repeat(depth)
    const needs = task.dependencies.map((id) => `${id} ${titles.get(id) ?? "(missing)"}`)
    return [
      `${indent}${ICONS[task.status]} [${task.type.toUpperCase()}] ${task.id} ${task.title}`,
      ...(needs.length === 0 ? [] : [`${indent}  Depends on: ${needs.join(", ")}`])
    ]
  })
  // A circle of parents hangs below no root and is not reached by the walk.
  const reached = new Set(placed.map(({ task }) => task.id))
  const circles = tasks
    .filter((task) => !reached.has(task.id))
    .map((task) => `[CYCLE DETECTED] ${task.id} ${task.title}`)
  return [...lines, ...circles].join("\n")
}

const inTreeOrder = (tasks: ReadonlyArray<TrackerTask>) => {
  const known = new Set(tasks.map((task) => task.id))
  const children = Map.groupBy(tasks.toSorted(byUrgency), (task) =>
    task.parentId !== undefined && known.has(task.parentId) ? task.parentId : null
  )
  const placed: Array<{ readonly task: TrackerTask; readonly depth: number }> = []
  const place = (parent: TaskId | null, depth: number): void => {
    for (const task of children.get(parent) ?? []) {
      placed.push({ task, depth })
      place(task.id, depth + 1)
    }
  }
  place(null, 0)
  return placed
}

const byUrgency = (left: TrackerTask, right: TrackerTask): number =>
  ORDER.indexOf(left.status) - ORDER.indexOf(right.status) || (left.id < right.id ? -1 : 1)
