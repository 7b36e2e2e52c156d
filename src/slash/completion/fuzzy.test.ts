import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import { bestMatches } from "./fuzzy.ts"

const PATHS = [
  "src/chat/chat.ts",
  "src/chat/chat-error.ts",
  "src/chat/",
  "src/slash/command.ts",
  "docs/chat.md",
  "test/kit/chat-room.ts",
  "README.md"
]

test.each<[string, ReadonlyArray<string>]>([
  ["chat", ["src/chat/", "docs/chat.md", "src/chat/chat.ts", "test/kit/chat-room.ts", "src/chat/chat-error.ts"]],
  ["chat.ts", ["src/chat/chat.ts", "test/kit/chat-room.ts", "src/chat/chat-error.ts"]],
  ["cmd", ["docs/chat.md", "src/slash/command.ts"]],
  ["kit/ch", ["test/kit/chat-room.ts"]],
  ["read", ["README.md"]],
  ["Read", []],
  ["zzz", []]
])("%p", (query, expected) => {
  expect(bestMatches(query, PATHS, 5)).toEqual(expected)
})

test("every hit holds the letters in order, and a limit keeps the same first ones", () => {
  const path = FastCheck.stringMatching(/^[a-c/]{1,12}$/)
  FastCheck.assert(
    FastCheck.property(FastCheck.array(path), FastCheck.stringMatching(/^[a-c]{1,3}$/), (paths, query) => {
      const all = bestMatches(query, paths, Number.MAX_SAFE_INTEGER)
      for (const hit of all) expect(hit).toMatch(new RegExp([...query].join(".*")))
      expect(bestMatches(query, paths, 3)).toEqual(all.slice(0, 3))
    })
  )
})
