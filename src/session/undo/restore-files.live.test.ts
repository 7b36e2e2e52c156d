import { expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import type { FileDiff } from "../../protocol/confirmation.ts"
import type { MessageRecord } from "../record/session-record.ts"
import { restoreFiles } from "./restore-files.live.ts"
import { editsSince, messagesBefore, rewindPoints } from "./rewind-points.ts"

const stat = (added: number, removed: number) => ({
  model_added_lines: added,
  model_removed_lines: removed,
  model_added_chars: 0,
  model_removed_chars: 0,
  user_added_lines: 0,
  user_removed_lines: 0,
  user_added_chars: 0,
  user_removed_chars: 0
})

const diff = (filePath: string, originalContent: string | null, newContent: string): FileDiff => ({
  fileDiff: "",
  fileName: filePath.split("/").at(-1) ?? "",
  filePath,
  originalContent,
  newContent,
  diffStat: stat(2, 1),
  isNewFile: originalContent === null
})

const question = (id: string, text: string): MessageRecord => ({ id, type: "user", content: [{ text }] })
const edit = (id: string, change: FileDiff, status = "success"): MessageRecord => ({
  id,
  type: "gemini",
  content: "",
  toolCalls: [{ id: `${id}-call`, name: "replace", args: {}, status, resultDisplay: change }]
})

const messages = [
  question("q1", "first"),
  edit("g1", diff("/w/a", "1", "2")),
  edit("g2", diff("/w/a", "2", "3"), "error"),
  question("q2", "/help"),
  { ...question("q3", "expanded"), displayContent: "second @a" },
  edit("g3", diff("/w/b", null, "x"))
]

test("points are the questions, with what each of them changed", () =>
  expect(rewindPoints(messages)).toEqual([
    { messageId: "q1", text: "first", timestamp: undefined, changes: { files: 1, linesAdded: 2, linesRemoved: 1 } },
    { messageId: "q3", text: "second @a", timestamp: undefined, changes: { files: 1, linesAdded: 2, linesRemoved: 1 } }
  ]))

test("going back leaves what was before the question, and the edits after it, newest first", () => {
  expect(messagesBefore(messages, "q3").map(({ id }) => id)).toEqual(["q1", "g1", "g2", "q2"])
  expect(messagesBefore(messages, "unknown")).toEqual([])
  expect(editsSince(messages, "q1").map(({ filePath }) => filePath)).toEqual(["/w/b", "/w/a"])
  expect(editsSince(messages, "unknown")).toEqual([])
})

it.effect("edits are taken back; what was changed since keeps its changes, and what cannot be is named", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const at = (name: string) => join(root, name)
    const lines = (...changed: ReadonlyArray<string>) =>
      ["one", "two", "three", "four", "five", "six", "seven", ...changed].join("\n")
    writeFileSync(at("same"), "second")
    writeFileSync(at("new"), "made")
    writeFileSync(at("changed"), lines().replace("one", "ONE").replace("seven", "mine"))
    writeFileSync(at("conflict"), "something else")
    const { restored, warnings } = yield* restoreFiles(
      [
        diff(at("same"), "first", "second"),
        diff(at("same"), "zero", "first"),
        diff(at("new"), null, "made"),
        diff(at("changed"), lines(), lines().replace("one", "ONE")),
        diff(at("conflict"), "a\nb", "a\nc"),
        diff(at("gone"), "a", "b"),
        diff("/etc/passwd", "a", "b")
      ],
      [root]
    )
    expect(restored.map((path) => path.slice(root.length + 1))).toEqual(["same", "new", "changed"])
    expect(readFileSync(at("same"), "utf8")).toBe("zero")
    expect(existsSync(at("new"))).toBe(false)
    expect(readFileSync(at("changed"), "utf8")).toBe(lines().replace("seven", "mine"))
    expect(warnings).toEqual([
      `${at("conflict")} was left as it is: it was changed since, in the same place`,
      `${at("gone")} was left as it is: it does not exist any more`,
      "/etc/passwd was left as it is: it is outside of the workspace"
    ])
  })
)
