/** The common end of all tracker calls: faults become the model's answer, and the person sees the list of tasks. */
import { Effect } from "effect"
import { type PreparedCall, ToolFailure, type ToolOutput } from "../tool.ts"
import { tasksAsTodos } from "./task.ts"
import { TaskTracker, type TrackerError } from "./task-tracker.ts"

/** `answer` gives the text for the model. */
export const trackerCall = (
  description: string,
  answer: (tracker: TaskTracker["Type"]) => Effect.Effect<string, TrackerError>
): Effect.Effect<PreparedCall<TaskTracker>, ToolFailure, TaskTracker> =>
  Effect.succeed({
    description,
    locations: [],
    confirmation: Effect.succeed({ type: "info", title: description, prompt: description, urls: [] }),
    run: () =>
      Effect.gen(function* () {
        const tracker = yield* TaskTracker
        const text = yield* answer(tracker)
        const todos = tasksAsTodos(yield* tracker.list)
        return { forModel: text, display: { type: "todos", text, todos } } satisfies ToolOutput
      }).pipe(Effect.mapError((error) => new ToolFailure({ type: "execution_failed", message: error.message })))
  })
