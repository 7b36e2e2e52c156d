/** The `tracker_*` tools: tasks of a session with what they wait for, made, changed, looked at. */
import { Effect, Option, Schema } from "effect"
import { optional } from "../../kernel/optional-field.ts"
import { defineTool } from "../tool.ts"
import { TaskId, TaskStatus, TaskType, taskLine, tasksAsTree } from "./task.ts"
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

/** `tracker_get_task`: everything about one task. */
export const trackerGetTask = defineTool({
  name: "tracker_get_task",
  displayName: "Get Task",
  kind: "read",
  description: "Gives all fields of a task as JSON.",
  params: Schema.Struct({
    id: Schema.String.annotations({ description: "Id of the task: six characters from 0-9 and a-f." })
  }),
  prepare: ({ id }) =>
    trackerCall(`Look at the task ${id}`, (tracker) =>
      tracker.get(id).pipe(
        Effect.map(
          Option.match({
            onNone: () => `There is no task ${id}.`,
            onSome: (task) => JSON.stringify(task, null, 2)
          })
        )
      )
    )
})

/** `tracker_add_dependency`: one task has to wait for another. */
export const trackerAddDependency = defineTool({
  name: "tracker_add_dependency",
  displayName: "Add Dependency",
  kind: "edit",
  description: "Says that a task cannot be closed before another one is.",
  params: Schema.Struct({
    taskId: Schema.String.annotations({ description: "Id of the task that has to wait." }),
    dependencyId: Schema.String.annotations({ description: "Id of the task that it waits for." })
  }),
  prepare: ({ dependencyId, taskId }) =>
    trackerCall(`Make the task ${taskId} depend on ${dependencyId}`, (tracker) =>
      tracker
        .addDependency(taskId, dependencyId)
        .pipe(Effect.map(() => `The task ${taskId} now depends on ${dependencyId}.`))
    )
})

/** `tracker_visualize`: all tasks as a tree. */
export const trackerVisualize = defineTool({
  name: "tracker_visualize",
  displayName: "Visualize Tracker",
  kind: "read",
  description: "Shows all tasks of the session's tracker as a tree with their status and dependencies.",
  params: Schema.Struct({}),
  prepare: () => trackerCall("Show the tree of tasks", (tracker) => Effect.map(tracker.list, tasksAsTree))
})

const UpdateParams = Schema.Struct({
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

/** `tracker_update_task`: changes of a task. Closing one needs its dependencies closed. */
export const trackerUpdateTask = defineTool({
  name: "tracker_update_task",
  displayName: "Update Task",
  kind: "edit",
  description:
    "Changes title, description, status or dependencies of a task. A task can be closed when all tasks that it depends on are.",
  params: UpdateParams,
  prepare: ({ id, ...change }) =>
    trackerCall(`Update the task ${id}`, (tracker) =>
      tracker.update(id, change).pipe(Effect.map((task) => `Updated the task ${task.id}.\n${taskLine(task)}`))
    )
})

const ListParams = Schema.Struct({
  status: optional(TaskStatus.annotations({ description: "Only tasks with this status." })),
  type: optional(TaskType.annotations({ description: "Only tasks of this type." })),
  parentId: optional(TaskId.annotations({ description: "Only parts of this task." }))
})

/** `tracker_list_tasks`: one line for each task that fits. */
export const trackerListTasks = defineTool({
  name: "tracker_list_tasks",
  displayName: "List Tasks",
  kind: "search",
  description: "Lists the tasks of the session's tracker, all or those that fit a status, a type or a parent.",
  params: ListParams,
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
