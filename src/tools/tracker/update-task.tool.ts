/** `tracker_update_task`: changes of a task. Closing one needs its dependencies closed. */
import { Effect, Schema } from "effect"
import { defineTool } from "../tool.ts"
import { TaskId, TaskStatus, taskLine } from "./task.ts"
import { trackerCall } from "./task-tracker.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Params = Schema.Struct({
  id: Schema.String.annotations({ description: "Id of the task: six characters from 0-9 and a-f." }),
  title: optional(Schema.NonEmptyString.annotations({ description: "The new title." })),
  description: optional(Schema.String.annotations({ description: "The new description." })),
  status: optional(TaskStatus.annotations({ description: "The new status." })),
  dependencies: optional(
    Schema.Array(TaskId.annotations({ description: "Id of a task." })).annotations({
      description: "All tasks that this one depends on; replaces the list before."
    })
  )
})

export const trackerUpdateTask = defineTool({
  name: "tracker_update_task",
  displayName: "Update Task",
  kind: "edit",
  description:
    "Changes title, description, status or dependencies of a task. A task can be closed when all tasks that it depends on are.",
  params: Params,
  prepare: ({ id, ...change }) =>
    trackerCall(`Update the task ${id}`, (tracker) =>
      tracker.update(id, change).pipe(Effect.map((task) => `Updated the task ${task.id}.\n${taskLine(task)}`))
    )
})
