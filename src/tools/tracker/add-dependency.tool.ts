/** `tracker_add_dependency`: one task has to wait for another. */
import { Effect, Schema } from "effect"
import { defineTool } from "../tool.ts"
import { trackerCall } from "./task-tracker.ts"

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
