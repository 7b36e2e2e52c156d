/** What a batch is made of: what its items share, and what each of them has to itself. */
import { Effect, Layer } from "effect"
import type { BatchRequest } from "../../batch/batch-request.ts"
import { isPlain, itemInstruction } from "../../batch/item-settings.ts"
import { Chat } from "../../chat/chat.ts"
import * as Chats from "../../chat/from-config.ts"
import { service, serviceOf, withLayer } from "../../kernel/layers.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import * as Model from "../../model/from-config.ts"
import { ModelClient } from "../../model/model-client.ts"
import type { SystemPrompt } from "../../prompt/system-prompt.ts"
import * as RunReaders from "../../protocol/run-readers.ts"
import * as Session from "../../session/from-config.ts"
import { SessionRecorder, none as unrecorded } from "../../session/record/session-recorder.ts"
import * as ChangeJournal from "../../session/undo/change-journal.ts"
import * as Mcp from "../../tools/mcp/from-config.ts"
import { conversing, ground, request as requestServices } from "../compose.ts"
import { type AppInput, runFacts } from "../facts.ts"
import * as Observers from "../telemetry/observers.ts"

/** A new conversation, over what all items share: without tools that is everything but the conversation. */
export const chats = Effect.fnUntraced(function* (
  input: AppInput,
  request: BatchRequest,
  share: Parameters<typeof batchLayer>[1]
) {
  const instruct = itemInstruction(request)
  if (isPlain(request)) {
    const all = yield* Layer.build(batchLayer(input, share).pipe(withLayer(itemLayer(input, instruct))))
    return (own: AppInput) => Effect.provide(serviceOf(Chat, plainItemLayer(own)), all)
  }
  const shared = yield* Layer.build(batchLayer(input, share))
  return (own: AppInput) => Effect.provide(serviceOf(Chat, itemLayer(own, instruct)), shared)
})

/** What the items of a batch share: all that is not about one conversation. */
const batchLayer = (input: AppInput, share: (client: ModelClient["Type"]) => ModelClient["Type"]) => {
  const { config } = input
  const run = runFacts(input)
  return ground(input, run).pipe(withLayer(Model.sharedClient(config, run, share)), withLayer(Mcp.hub(config, run)))
}

/** One conversation among many: everything that remembers something is its own, and nothing of it is recorded. */
const itemLayer = (input: AppInput, instruct: Layer.Layer<SystemPrompt, never, SystemPrompt>) => {
  const run = runFacts(input)
  const model = Model.selected(run).pipe(withLayer(service(ModelClient, ModelClient)))
  const asked = requestServices(input, run, model, service(McpHub, McpHub)).pipe(withLayer(instruct))
  return service(SessionRecorder, Effect.succeed(unrecorded)).pipe(
    withLayer(Session.transcriptFile),
    withLayer(conversing(input, run, asked, RunReaders.layer(Chats.reader, Observers.reader(input))))
  )
}

/**
 * Items without tools remember nothing but their conversation and what it cost: the rest is made once for all of them,
 * which takes a tenth of the time. It stands on an `itemLayer` that is never asked itself.
 */
const plainItemLayer = (input: AppInput) => {
  const { config } = input
  const run = runFacts(input)
  return Model.selected(run).pipe(
    withLayer(ChangeJournal.layerNone),
    withLayer(Chats.budget(config, run)),
    withLayer(RunReaders.layer(Chats.reader, Observers.reader(input))),
    withLayer(Chats.layer(config, run))
  )
}
