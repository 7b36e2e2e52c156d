/** `tracker_create_task`: a new open task. */
import { Effect, Schema } from "effect"
import { defineTool } from "../tool.ts"
import { TaskId, TaskType, taskLine } from "./task.ts"
import { trackerCall } from "./task-tracker.ts"

const Params = Schema.Struct({
  title: Schema.NonEmptyString.annotations({ description: "A short title." }),
  description: Schema.String.annotations({ description: "What is to be done, and when it counts as done." }),
  type: TaskType.annotations({
    description: "epic: a large goal with child tasks; task: a step; bug: a fault to fix."
  }),
  parentId: Schema.optionalWith(TaskId.annotations({ description: "Id of the task that this one is a part of." }), {
    exact: true
  }),
  dependencies: Schema.optionalWith(
    Schema.Array(TaskId.annotations({ description: "Id of a task." })).annotations({
      description: "Ids of tasks that must be closed before this one can be."
    }),
    { exact: true }
  )
})

export const trackerCreateTask = defineTool({
  name: "tracker_create_task",
  displayName: "Create Task",
  kind: "edit",
  description: "Creates a task in the session's tracker and gives its id. New tasks are open.",
  params: Params,
  prepare: ({ dependencies, ...task }) =>
    trackerCall(`Create the task "${task.title}"`, (tracker) =>
      tracker
        .create({ ...task, dependencies: dependencies ?? [] })
        .pipe(Effect.map((created) => `Created the task ${created.id}.\n${taskLine(created)}`))
    )
})
