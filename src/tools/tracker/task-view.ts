/** Tasks as people and the model see them: a todo list, and a tree. */
import type { Todo } from "../tool.ts"
import type { TaskId, TrackerTask } from "./task.ts"

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
