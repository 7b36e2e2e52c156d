/** `tracker_get_task`: everything about one task. */
import { Effect, Option, Schema } from "effect"
import { defineTool } from "../tool.ts"
import { trackerCall } from "./task-tracker.ts"

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
