import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { broken, callChunk, chatRoom, chunk, inTurn, type Script, send } from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import * as Flow from "../kernel/flow.ts"
import { ModelClient } from "../model/model-client.ts"
import type { Content } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { Chat } from "./chat.ts"
import { checkFit } from "./context-window.ts"

const counting = (count: Script["countTokens"]) =>
  Layer.succeed(ModelClient, {
    stream: () => Flow.empty,
    generate: () => Effect.die("not used"),
    countTokens: () => count ?? Effect.die("not used"),
    embed: () => Effect.die("not used")
  })

const text: Content = { role: "user", parts: [{ text: "x".repeat(4000) }] }
const image: Content = { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "" } }] }

describe("whether a message fits", () => {
  const rows: ReadonlyArray<[string, Content, number, Script["countTokens"], number | undefined]> = [
    ["just", text, 1_048_576 - 1000, undefined, undefined],
    ["just not", text, 1_048_576 - 999, undefined, 1000],
    ["media is counted by the service", image, 1_048_576 - 500, Effect.succeed(400), undefined],
    ["which may find that it is too much", image, 0, Effect.succeed(2_000_000), 2_000_000],
    ["where it cannot count, the estimate decides", image, 1_048_576 - 2999, Effect.fail(broken("open")), 3000],
    ["a window that is over full has nothing left", text, 2_000_000, undefined, 1000]
  ]
  for (const [name, message, usedTokens, count, estimatedTokens] of rows) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const result = yield* checkFit(message, { model: "m", usedTokens }).pipe(
          Effect.provide(counting(count)),
          Effect.either
        )
        if (estimatedTokens === undefined) expect(result._tag).toBe("Right")
        else
          expect(result).toMatchObject({
            left: { _tag: "ContextOverflow", estimatedTokens, remainingTokens: Math.max(0, 1_048_576 - usedTokens) }
          })
      })
    )
  }
  it.effect("a smaller window is a smaller window", () =>
    Effect.gen(function* () {
      const result = yield* checkFit(text, { model: "gemma-4-31b-it", usedTokens: 255_500 }).pipe(
        Effect.provide(counting(undefined)),
        Effect.either
      )
      expect(result).toMatchObject({ left: { remainingTokens: 500 } })
    })
  )
})

describe("a message that does not fit", () => {
  it.effect("is not sent, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const room = chatRoom({ stream: inTurn([[chunk("ok", "STOP")]]) })
      const events: Array<ProtocolEvent> = []
      const [first] = yield* Effect.gen(function* () {
        yield* Chat
        return [yield* Effect.either(send("x".repeat(5_000_000), events)), yield* send("short", events)]
      }).pipe(Effect.provide(room.layer))
      expect(first).toMatchObject({ _tag: "Left", left: { _tag: "ContextOverflow" } })
      expect(room.requests).toHaveLength(1)
      expect(room.requests[0]?.contents).toEqual([{ role: "user", parts: [{ text: "context" }, { text: "short" }] }])
    })
  )

  it.effect("when it is the result of a tool, the model is told that the call was made", () =>
    Effect.gen(function* () {
      const room = chatRoom({
        stream: inTurn([[callChunk("dump")], [chunk("ok", "STOP")]]),
        tool: () => Effect.succeed({ output: "x".repeat(5_000_000) })
      })
      const events: Array<ProtocolEvent> = []
      yield* Effect.gen(function* () {
        expect(yield* Effect.either(send("dump it", events))).toMatchObject({ left: { _tag: "ContextOverflow" } })
        yield* send("and now?", events)
      }).pipe(Effect.provide(room.layer))
      const contents = room.requests[1]?.contents
      expect(contents?.map(({ role }) => role)).toEqual(["user", "model", "user", "model", "user"])
      expect(contents?.[2]?.parts[0]?.functionResponse?.response).toEqual({
        error: "The call was made, but its result did not fit into the context window and was left out."
      })
    })
  )
})
