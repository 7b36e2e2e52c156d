import { expect, test } from "bun:test"
import { Effect } from "effect"
import { ask, callChunk, chatOptions, chunk } from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { MASK_TAG } from "./masking/maskable.ts"
import { withoutSignatures } from "./prompt-messages.ts"

/** Two calls, the results of which have about these numbers of tokens; what the request after the second one holds. */
const afterTwo = (first: number, second: number) =>
  Effect.gen(function* () {
    const sizes = [first, second]
    const outputDir = yield* tempFolder()
    const { requests } = yield* ask(
      {
        stream: (_, index) => (index < 2 ? [callChunk("ls", { index })] : [chunk("done", "STOP")]),
        tool: () => Effect.sync(() => ({ output: "word".repeat(sizes.shift() ?? 0) }))
      },
      { room: { ...chatOptions.room, outputDir } }
    )
    return requests[2]?.contents.flatMap(({ parts }) =>
      parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [JSON.stringify(functionResponse).includes(MASK_TAG)]
      )
    )
  })

for (const [name, first, second, masked] of [
  ["old results up to the protected amount stay", 49_000, 10, [false, false]],
  ["the one that crosses it goes, however little there is beside it", 51_000, 10, [true, false]],
  ["the latest one stays, whatever its size", 10, 90_000, [false, false]]
] as const) {
  it.effect(name, () => Effect.map(afterTwo(first, second), (found) => expect(found).toEqual([...masked])))
}

test("a conversation for another service is without signatures, and says the same", () => {
  const call = { functionCall: { name: "ls", id: "1" } }
  expect(
    withoutSignatures([{ role: "model", parts: [{ ...call, thoughtSignature: "signed" }, { text: "hm" }] }])
  ).toEqual([{ role: "model", parts: [call, { text: "hm" }] }])
})
