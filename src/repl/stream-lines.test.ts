import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeReplRoom } from "../../test/kit/repl-room.ts"
import { printStream } from "./stream-lines.ts"
import { Screen } from "./terminal/screen.ts"

const streamed = (...pieces: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    const screen = yield* Effect.provide(Screen, room.layer)
    yield* printStream(screen, (onOutput) => Effect.forEach(pieces, onOutput, { discard: true }))
    return room
  })

describe("output of a running command", () => {
  it.effect("stays line by line, however it is cut", () =>
    Effect.gen(function* () {
      expect((yield* streamed("a\nb", "c\n", "d\n")).printed).toEqual(["a", "bc", "d"])
      expect((yield* streamed("one\ntwo\nrest")).printed).toEqual(["one\ntwo", "rest"])
    })
  )

  it.effect("shows the unfinished line, and takes it away at the end", () =>
    Effect.map(streamed("50%"), ({ printed, shown }) => {
      expect(shown).toEqual(["50%", "50%", ""])
      expect(printed).toEqual(["50%"])
    })
  )

  it.effect("cannot move the cursor or overwrite a line", () =>
    Effect.map(streamed("safe\u001b[2J\r", "evil\n"), ({ printed }) => expect(printed).toEqual(["safe\nevil"]))
  )
})
