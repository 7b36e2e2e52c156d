import { expect } from "bun:test"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { type RunReader, readInTurn } from "./run-readers.ts"

const hello = { _tag: "Text", text: "hello" } as const

it.effect("everybody reads the completed event, in the order of the list", () =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const listening = (name: string): RunReader => ({
      onEvent: (event) => Effect.sync(() => void told.push(`${name} ${event._tag === "Text" ? event.text : ""}`)),
      onEnd: ({ _tag }) => Effect.sync(() => void told.push(`${name} ${_tag}`))
    })
    const completing: RunReader = { complete: (event) => Effect.succeed({ ...event, ...hello, text: "hello, all" }) }
    const readers = readInTurn([listening("first"), completing, listening("last")])
    expect(yield* readers.onEvent(hello)).toEqual({ _tag: "Text", text: "hello, all" })
    yield* readers.onHistory({ _tag: "Shortened", contents: [] })
    yield* readers.onEnd({ _tag: "Answered" })
    expect(told).toEqual(["first hello, all", "last hello, all", "first Answered", "last Answered"])
  })
)
