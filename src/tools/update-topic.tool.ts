/** `update_topic`: the model says what it is about to do, for people who watch. Never asks, changes nothing else. */
import { Effect, Schema } from "effect"
import { defineTool } from "./tool.ts"
import { Topic } from "./topic.ts"

const optional = (description: string) =>
  Schema.optionalWith(Schema.String.annotations({ description }), { exact: true })

const Params = Schema.Struct({
  strategic_intent: Schema.String.annotations({ description: "What you are about to do and why, in one sentence." }),
  title: optional("A short title for the topic, when the work moves to a new one."),
  summary: optional("What was found or decided so far, in a few sentences.")
})

export const updateTopic = defineTool({
  name: "update_topic",
  classNames: ["UpdateTopicTool"],
  displayName: "Update Topic Context",
  kind: "think",
  description:
    "Tells the user which part of the work begins now. Call it when you start on a new part or change your approach, " +
    "before the other tool calls of that turn.",
  params: Params,
  prepare: Effect.fnUntraced(function* (params: typeof Params.Type) {
    const topic = yield* Topic
    const title = params.title?.trim() ?? ""
    const summary = params.summary?.trim() ?? ""
    const intent = params.strategic_intent.trim()
    return {
      description: title === "" ? intent : title,
      locations: [],
      confirmation: Effect.succeed(null),
      run: Effect.fnUntraced(function* () {
        const before = yield* topic.current
        const isNew = title !== "" && title !== before.title
        yield* topic.set({
          title: isNew ? title : before.title,
          summary: summary === "" ? (isNew ? "" : before.summary) : summary,
          intent
        })
        const text = isNew
          ? [`Topic: ${title}`, ...(summary === "" ? [] : [`Summary: ${summary}`]), `Intent: ${intent}`].join("\n")
          : `Intent: ${intent}`
        return { forModel: text, display: { type: "text" as const, text } }
      })
    }
  })
})
