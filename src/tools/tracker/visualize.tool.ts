/** `tracker_visualize`: all tasks as a tree. */
import { Effect, Schema } from "effect"
import { defineTool } from "../tool.ts"
import { tasksAsTree } from "./task.ts"
import { trackerCall } from "./task-tracker.ts"

export const trackerVisualize = defineTool({
  name: "tracker_visualize",
  displayName: "Visualize Tracker",
  kind: "read",
  description: "Shows all tasks of the session's tracker as a tree with their status and dependencies.",
  params: Schema.Struct({}),
  prepare: () => trackerCall("Show the tree of tasks", (tracker) => Effect.map(tracker.list, tasksAsTree))
})
