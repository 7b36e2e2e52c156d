/**
 * `complete_task`: the only way in which an agent hands over its result. What it hands over is checked against the form
 * that was asked for; a result that does not fit goes back to the agent with what is wrong.
 */

import { Effect, Either, Option, Ref } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import { fromJsonSchema } from "../../tools/gemini-schema.ts"
import { type Tool, ToolFailure } from "../../tools/tool.ts"
import type { AgentOutput } from "../agent.ts"

export const COMPLETE_TASK = "complete_task"

export interface Completion {
  readonly tool: Tool
  /** `None` until something was handed over that fits. */
  readonly result: Effect.Effect<Option.Option<unknown>>
}

const PLAIN: AgentOutput = {
  name: "result",
  description: "Everything that whoever gave you the task needs: what you found or did, and what is open.",
  schema: { type: "string" }
}

export const makeCompletion = Effect.fnUntraced(function* (
  wanted: AgentOutput | undefined
): Effect.fn.Return<Completion> {
  const output = wanted ?? PLAIN
  const schema = {
    type: "object",
    properties: { [output.name]: { ...output.schema, description: output.description } },
    required: [output.name]
  }
  const check = yield* compiled(schema)
  const handedOver = yield* Ref.make(Option.none<unknown>())
  const tool: Tool = {
    name: COMPLETE_TASK,
    aliases: [],
    classNames: [],
    displayName: "Complete Task",
    kind: "other",
    description: "Hands over your result and ends your work. Call it alone, once, when you are done or cannot go on.",
    params: null,
    jsonSchema: fromJsonSchema(schema),
    prepare: (args) => {
      const fault = check(args) ?? emptyFault(valueIn(args, output.name), output)
      if (fault !== null) {
        const message = `The result was not taken: ${fault}. Call ${COMPLETE_TASK} again with a result that fits.`
        return Effect.fail(new ToolFailure({ type: "invalid_tool_params", message }))
      }
      return Effect.succeed({
        description: "hands over the result",
        locations: [],
        confirmation: Effect.succeed(null),
        run: () =>
          Effect.as(Ref.set(handedOver, Option.some(valueIn(args, output.name))), {
            forModel: "The result was taken.",
            display: { type: "text", text: "The result was taken." } as const,
            data: { taskCompleted: true }
          })
      })
    }
  }
  return { tool, result: Ref.get(handedOver) }
})

/** Loaded when an agent runs. The forms are ours or were checked: one that cannot be compiled checks nothing. */
const compiled = (schema: Readonly<Record<string, unknown>>) =>
  Effect.map(
    lazy(() => import("../../tools/json-schema-check.live.ts")),
    ({ compileCheck }) => Either.getOrElse(compileCheck(schema, "params"), () => () => null)
  )

const valueIn = (args: unknown, name: string): unknown =>
  typeof args === "object" && args !== null && Object.hasOwn(args, name) ? Reflect.get(args, name) : undefined

const emptyFault = (value: unknown, { name }: AgentOutput): string | null =>
  typeof value === "string" && value.trim() === "" ? `${name} is empty` : null
