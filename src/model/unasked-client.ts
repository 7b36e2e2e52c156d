/** A model that nobody asks: for what can be said of a request without sending it. */
import { Effect, Stream } from "effect"
import { service } from "../kernel/layers.ts"
import { ModelClient } from "./model-client.ts"

const unasked = Effect.dieMessage("this run asks no model")

export const layer = service(
  ModelClient,
  Effect.succeed({
    stream: () => Stream.fromEffect(unasked),
    generate: () => unasked,
    countTokens: () => unasked,
    embed: () => unasked
  })
)
