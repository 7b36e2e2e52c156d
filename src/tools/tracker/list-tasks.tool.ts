/** `tracker_list_tasks`: one line for each task that fits. */
import { Effect, Schema } from "effect"
import { defineTool } from "../tool.ts"
import { TaskId, TaskStatus, TaskType, taskLine } from "./task.ts"
import { trackerCall } from "./task-tracker.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Params = Schema.Struct({
  status: optional(TaskStatus.annotations({ description: "Only tasks with this status." })),
  type: optional(TaskType.annotations({ description: "Only tasks of this type." })),
  parentId: optional(TaskId.annotations({ description: "Only parts of this task." }))
})

export const trackerListTasks = defineTool({
  name: "tracker_list_tasks",
  displayName: "List Tasks",
  kind: "search",
  description: "Lists the tasks of the session's tracker, all or those that fit a status, a type or a parent.",
  params: Params,
  prepare: ({ parentId, status, type }) =>
    trackerCall("List the tasks", (tracker) =>
      tracker.list.pipe(
        Effect.map((tasks) => {
          const fitting = tasks.filter(
            (task) =>
              (status === undefined || task.status === status) &&
              (type === undefined || task.type === type) &&
              (parentId === undefined || task.parentId === parentId)
          )
          return fitting.length === 0 ? "There are no such tasks." : fitting.map(taskLine).join("\n")
        })
      )
    )
})
