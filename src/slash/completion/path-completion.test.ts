import { expect } from "bun:test"
import { Deferred, Effect, Fiber, Ref, TestClock } from "effect"
import { fileRoom } from "../../../test/kit/file-room.ts"
import { it } from "../../../test/kit/it.ts"
import { makePathCompletion, makePathIndex } from "./path-completion.ts"

const FILES = {
  ".gitignore": "*.log\nout/\n",
  ".hidden/x": "",
  "README.md": "",
  "src/chat/chat.ts": "",
  "src/chat/turn.ts": "",
  "src/main.ts": "",
  "src/x.log": "",
  "out/y.ts": "",
  "a b/c.txt": ""
}

const completions = (
  options: { readonly isFuzzy?: boolean; readonly isRecursive?: boolean },
  ...typed: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { services } = yield* fileRoom({ files: FILES, isRepository: true })
    const { candidates } = yield* Effect.provide(
      makePathCompletion({ isFuzzy: true, isRecursive: true, maxPaths: 20_000, ...options }),
      services
    )
    return yield* Effect.forEach(typed, candidates)
  })

it.effect("a beginning that the folder knows is completed there, without what is ignored or hidden", () =>
  Effect.gen(function* () {
    expect(yield* completions({}, "", "s", "src/", "src/ma", ".h", "a")).toEqual([
      ["README.md", "a b/", "src/"],
      ["src/"],
      ["src/chat/", "src/main.ts"],
      ["src/main.ts"],
      [".hidden/"],
      ["a b/"]
    ])
  })
)

it.effect("other letters are looked for everywhere", () =>
  Effect.gen(function* () {
    expect(yield* completions({}, "turn", "chat", "sct", "y.ts", "x.log")).toEqual([
      ["src/chat/turn.ts"],
      ["src/chat/", "src/chat/chat.ts", "src/chat/turn.ts"],
      ["src/chat/", "src/main.ts", "src/chat/chat.ts", "src/chat/turn.ts"],
      [],
      []
    ])
  })
)

it.effect("settings turn that off", () =>
  Effect.gen(function* () {
    expect(yield* completions({ isRecursive: false }, "turn")).toEqual([[]])
    expect(yield* completions({ isFuzzy: false }, "sct", "turn")).toEqual([[], ["src/chat/turn.ts"]])
  })
)

const settle = Effect.yieldNow().pipe(Effect.repeatN(30))

it.effect("is learned once, at the first hint, and whoever asks meanwhile waits for that", () =>
  Effect.gen(function* () {
    const listings = yield* Ref.make(0)
    const gate = yield* Deferred.make<void>()
    const list = Ref.update(listings, (count) => count + 1).pipe(
      Effect.zipRight(Deferred.await(gate)),
      Effect.as(["a"])
    )
    const index = yield* makePathIndex(list)
    yield* index.prepare
    const asked = yield* Effect.fork(Effect.all([index.known, index.current], { concurrency: 2 }))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.join(asked)).toEqual([["a"], ["a"]])
    expect(yield* Ref.get(listings)).toBe(1)
  })
)

it.effect("later serves what it knows at once, and learns what is new behind that", () =>
  Effect.gen(function* () {
    const present = yield* Ref.make(["old"])
    const index = yield* makePathIndex(Ref.get(present))
    expect(yield* index.known).toEqual(["old"])
    yield* Ref.set(present, ["new"])
    expect(yield* index.current).toEqual(["old"])
    yield* TestClock.adjust("21 seconds")
    expect(yield* index.known).toEqual(["old"])
    yield* settle
    expect(yield* index.known).toEqual(["new"])
  })
)

it.effect("a listing that was given up by one is not lost for the others", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const index = yield* makePathIndex(Effect.as(Deferred.await(gate), ["a"]))
    const impatient = yield* Effect.fork(index.known)
    yield* settle
    yield* Fiber.interrupt(impatient)
    yield* Deferred.succeed(gate, undefined)
    expect(yield* index.known).toEqual(["a"])
  })
)
