/** `write_todos`: the model's list of subtasks, shown to the person. The list lives in the conversation only. */
import { Effect, Schema } from "effect"
import { defineTool, type Todo, ToolFailure } from "./tool.ts"

const STATUSES = ["pending", "in_progress", "completed", "cancelled", "blocked"] as const

/** Unknown fields are refused: a misspelt one would be lost without a word. */
const strict = { parseOptions: { onExcessProperty: "error" } } as const

const Params = Schema.Struct({
  todos: Schema.Array(
    Schema.Struct({
      description: Schema.String.annotations({ description: "What is to be done, in one line." }),
      status: Schema.Literal(...STATUSES).annotations({
        description: "pending, in_progress (one at most), completed, cancelled (no longer needed) or blocked."
      })
    }).annotations(strict)
  ).annotations({ description: "The whole list; it replaces the one before. An empty list clears it." })
}).annotations(strict)

export const writeTodos = defineTool({
  name: "write_todos",
  classNames: ["WriteTodosTool"],
  displayName: "WriteTodos",
  kind: "other",
  description:
    "Keeps the list of subtasks of a request that takes several steps, so that the user can follow. Send the whole list " +
    "each time, with one subtask in_progress at most; mark each as completed as soon as it is done. Not for simple requests.",
  params: Params,
  prepare: Effect.fnUntraced(function* ({ todos }: typeof Params.Type) {
    const blank = todos.findIndex((todo) => todo.description.trim() === "")
    if (blank >= 0) return yield* invalid(`params/todos/${blank}/description must not be empty`)
    const active = todos.filter((todo) => todo.status === "in_progress").length
    if (active > 1) return yield* invalid(`only one todo may be in_progress at a time, but ${active} are`)

    return {
      description: todos.length === 0 ? "Cleared the todo list" : `Set ${todos.length} todo(s)`,
      locations: [],
      confirmation: Effect.succeed(null),
      run: () => {
        const list = numbered(todos)
        const text = todos.length === 0 ? "The todo list is now empty." : `The todo list is now:\n${list}`
        return Effect.succeed({ forModel: text, display: { type: "todos" as const, text: list, todos } })
      }
    }
  })
})

const numbered = (todos: ReadonlyArray<Todo>): string =>
  todos.map((todo, index) => `${index + 1}. [${todo.status}] ${todo.description}`).join("\n")

const invalid = (message: string) => new ToolFailure({ type: "invalid_tool_params", message })
