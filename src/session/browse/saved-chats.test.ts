import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import type { Content } from "../../protocol/content.ts"
import { deleteChat, listChats, loadChat, saveChat } from "./saved-chats.ts"
import { shareChat, shareJson, shareMarkdown } from "./share.ts"

const context: Content = { role: "user", parts: [{ text: "<session_context>\nhere\n</session_context>" }] }
const question: Content = { role: "user", parts: [{ text: "hello canary-123456" }] }
const answer: Content = { role: "model", parts: [{ text: "hi" }] }
const call: Content = {
  role: "model",
  parts: [{ text: "t", thought: true }, { functionCall: { id: "1", name: "ls", args: {} } }]
}
const result: Content = {
  role: "user",
  parts: [{ functionResponse: { id: "1", name: "ls", response: { output: "```" } } }]
}
const secrets = [{ name: "KEY", value: "canary-123456" }]
const saving = { history: [context, question, answer], authType: "gemini-api-key", secrets, overwrite: false }

describe("saved conversations", () => {
  for (const tag of ["plain", "a/../b", "größe 1", "%2e", ".."]) {
    it.effect(`"${tag}" is found again under its name, and stays in its folder`, () =>
      Effect.gen(function* () {
        const tempDir = yield* tempFolder()
        const file = yield* saveChat({ ...saving, tempDir, tag })
        expect(readdirSync(tempDir)).toHaveLength(1)
        expect(file.startsWith(`${tempDir}/checkpoint-`)).toBe(true)
        expect(listChats(tempDir).map((chat) => chat.tag)).toEqual([tag])
        const { history } = yield* loadChat(tempDir, tag, "gemini-api-key")
        expect(history).toEqual([{ role: "user", parts: [{ text: "hello [REDACTED:KEY]" }] }, answer])
        expect(yield* deleteChat(tempDir, tag)).toBe(true)
        expect(yield* deleteChat(tempDir, tag)).toBe(false)
        expect(readdirSync(tempDir)).toEqual([])
      })
    )
  }

  it.effect("are refused where there is nothing to save, no name, or one that is taken", () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder()
      const kindOf = (changed: object) =>
        Effect.map(Effect.either(saveChat({ ...saving, tempDir, tag: "t", ...changed })), (saved) =>
          Either.isLeft(saved) ? saved.left.kind : "saved"
        )
      expect(yield* kindOf({ tag: " " })).toBe("no-tag")
      expect(yield* kindOf({ history: [context] })).toBe("empty")
      expect(yield* kindOf({})).toBe("saved")
      expect(yield* kindOf({})).toBe("exists")
      expect(yield* kindOf({ overwrite: true })).toBe("saved")
    })
  )

  it.effect("belong to a way of signing in; older files do not say which", () =>
    Effect.gen(function* () {
      const tempDir = yield* tempFolder()
      yield* saveChat({ ...saving, tempDir, tag: "t" })
      const other = yield* Effect.either(loadChat(tempDir, "t", "vertex-ai"))
      expect(Either.isLeft(other) ? other.left._tag : "").toBe("ChatOfOtherAccount")
      writeFileSync(join(tempDir, "checkpoint-old one.json"), JSON.stringify([question, answer]))
      expect((yield* loadChat(tempDir, "old one", "vertex-ai")).history).toEqual([question, answer])
      const missing = yield* Effect.either(loadChat(tempDir, "../x", "vertex-ai"))
      expect(Either.isLeft(missing)).toBe(true)
    })
  )
})

describe("shared conversations", () => {
  test("Markdown leaves out surroundings and thoughts, and fences what a fence could end", () => {
    expect(shareMarkdown([context, question, call, result, answer])).toBe(`## USER

hello canary-123456

---

## MODEL

### Tool call

\`\`\`json
{
  "id": "1",
  "name": "ls",
  "args": {}
}
\`\`\`

---

## USER

### Tool response

\`\`\`\`json
{
  "id": "1",
  "name": "ls",
  "response": {
    "output": "\`\`\`"
  }
}
\`\`\`\`

---

## MODEL

hi
`)
  })

  test("JSON is the bare contents", () =>
    expect(JSON.parse(shareJson([context, question, answer]))).toEqual([question, answer]))

  it.effect("are written beside the work, without credentials", () =>
    Effect.gen(function* () {
      const cwd = yield* tempFolder()
      const share = (file?: string) => shareChat({ cwd, file, history: [question], secrets })
      expect(readFileSync(yield* share("talk.md"), "utf8")).toBe("## USER\n\nhello [REDACTED:KEY]\n")
      expect(yield* share()).toMatch(/gemini-conversation-\d+\.json$/)
      const refused = yield* Effect.either(share("talk.txt"))
      expect(Either.isLeft(refused) ? refused.left.message : "").toBe("talk.txt must end in .json or .md")
    })
  )
})
