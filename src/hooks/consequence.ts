/** What the agent would do after the answer of a hook, in one sentence. Pure: it asks the same functions as a run does. */
import * as Decisions from "./decisions.ts"
import { type HookEvent, isToldEvent } from "./hook-event.ts"
import type { HookOutput } from "./result.ts"
import { withToolChoice } from "./tool-choice.ts"

const NOTHING = "goes on as if there were no hook"
const UNUSED = "goes on: answers are not used at this event"

export const consequenceOf = (
  event: HookEvent,
  output: HookOutput,
  fields: Readonly<Record<string, unknown>>
): string => {
  if (isToldEvent(event)) return UNUSED
  switch (event) {
    case "SessionStart":
      return contextTold(Decisions.sessionStart(output), "at the beginning")
    case "BeforeAgent": {
      const start = Decisions.agentStart(output)
      if (start._tag === "GoOn") return contextTold(start.context, "with the prompt")
      return start.kind === "stopped"
        ? `ends the run and keeps the prompt: ${start.reason}`
        : `refuses the prompt and ends the run: ${start.reason}`
    }
    case "AfterAgent": {
      const end = Decisions.agentEnd(output)
      if (end._tag === "Accepted") return NOTHING
      const cleared = end.clearsContext ? " and forgets the conversation" : ""
      return end._tag === "Stopped"
        ? `ends the run${cleared}: ${end.reason}`
        : `refuses the answer${cleared}, and tells the model: ${end.reason}`
    }
    case "BeforeModel":
      return modelStart(output)
    case "AfterModel": {
      const end = Decisions.modelEnd(output)
      if (end._tag === "Halt") return `drops the answer and ends the run (${end.kind}): ${end.reason}`
      return end.replacement === undefined ? NOTHING : `shows instead: ${end.replacement.texts.join("")}`
    }
    case "BeforeToolSelection": {
      const before = { tools: [] }
      const wish = output.specific?.toolConfig
      return withToolChoice(before, wish) === before ? NOTHING : `chooses tools by ${JSON.stringify(wish)}`
    }
    case "BeforeTool":
      return toolStart(output, fields)
    case "AfterTool":
      return toolEnd(output)
    case "Notification":
      return UNUSED
  }
}

const contextTold = (context: string | undefined, when: string): string =>
  context === undefined ? NOTHING : `tells the model ${when}: ${context}`

const modelStart = (output: HookOutput): string => {
  const start = Decisions.modelStart(output, { model: "", contents: [], config: {} })
  switch (start._tag) {
    case "Halt":
      return `sends nothing and ends the run (${start.kind}): ${start.reason}`
    case "Answer":
      return `asks no model, and answers: ${start.answer.texts.join("")}`
    case "Ask":
      return start.change === undefined
        ? NOTHING
        : `changes the request: ${JSON.stringify(output.specific?.llm_request)}`
  }
}

const toolStart = (output: HookOutput, fields: Readonly<Record<string, unknown>>): string => {
  const given = fields.tool_input
  const start = Decisions.toolStart(output, typeof given === "object" && given !== null ? { ...given } : {})
  if (start._tag === "Halt") {
    return start.kind === "stopped" ? `ends the run: ${start.reason}` : `refuses the call: ${start.reason}`
  }
  const args = start.args === undefined ? [] : [`calls it with ${JSON.stringify(start.args)}`]
  const asks =
    start.mustAsk === undefined ? [] : [`asks you first, and refuses where nobody can be asked: ${start.mustAsk}`]
  return args.length + asks.length === 0 ? NOTHING : [...args, ...asks].join("; ")
}

const toolEnd = (output: HookOutput): string => {
  const end = Decisions.toolEnd(output)
  if (end._tag === "Halt") {
    return end.kind === "stopped"
      ? `ends the run: ${end.reason}`
      : `gives the model an error for a result: ${end.reason}`
  }
  const added = end.context === undefined ? [] : [`adds for the model: ${end.context}`]
  const tail = end.tailCall === undefined ? [] : [`calls ${end.tailCall.name} and takes its result`]
  return added.length + tail.length === 0 ? NOTHING : [...added, ...tail].join("; ")
}
