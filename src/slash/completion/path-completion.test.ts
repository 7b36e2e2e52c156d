import { expect } from "bun:test"
import { Effect } from "effect"
import { fileRoom } from "../../../test/kit/file-room.ts"
import { it } from "../../../test/kit/it.ts"
import { makePathCompletion } from "./path-completion.ts"

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
      makePathCompletion({ isFuzzy: true, isRecursive: true, ...options }),
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
