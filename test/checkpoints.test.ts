/** File checkpoints of whole runs: what is kept before an edit, and what happens where git cannot keep it. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const EDITS = inTurns(
  tool("write_file", { file_path: "a.txt", content: "two\n" }),
  tool("write_file", { file_path: "b.txt", content: "new\n" })
)

const YOLO = { args: ["--approval-mode", "yolo"] }

const prepare = async (place: Workspace) => {
  await place.write("work/a.txt", "one\n")
  await place.write("home/.gemini/settings.json", '{ "general": { "checkpointing": { "enabled": true } } }')
}

const foldersOf = (place: Workspace) => ({
  history: join(place.home, ".gemini/history/work"),
  checkpoints: join(place.home, ".gemini/tmp/work/checkpoints")
})

test("the project, the conversation and the call are kept before each edit, in the form of the reference", async () => {
  await using place = await newWorkspace()
  await prepare(place)
  const { result } = await callTools(place, EDITS, YOLO)
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("checkpoint") })
  const { checkpoints, history } = foldersOf(place)
  const names = (await readdir(checkpoints)).sort()
  expect(names.map((name) => name.replace(/^[\dT_-]+Z-/, ""))).toEqual([
    "a.txt-write_file.json",
    "b.txt-write_file.json"
  ])
  const record = JSON.parse(await readFile(join(checkpoints, names[0] ?? ""), "utf8"))
  expect(Object.keys(record).sort()).toEqual(["clientHistory", "commitHash", "history", "messageId", "toolCall"])
  expect(record.toolCall).toEqual({ name: "write_file", args: { file_path: "a.txt", content: "two\n" } })
  expect(record.clientHistory.at(-1).role).toBe("model")
  const git = (...args: ReadonlyArray<string>) =>
    Bun.spawnSync(["git", `--git-dir=${join(history, ".git")}`, ...args], {
      env: { PATH: process.env.PATH }
    }).stdout.toString()
  expect(git("show", `${record.commitHash}:a.txt`)).toBe("one\n")
  expect(git("log", "--format=%s by %an <%ae>", "main")).toBe(
    [
      "Snapshot for write_file by Gemini CLI <gemini-cli@google.com>",
      "Snapshot for write_file by Gemini CLI <gemini-cli@google.com>",
      "Initial commit by Gemini CLI <gemini-cli@google.com>",
      ""
    ].join("\n")
  )
  expect(git("fsck", "--strict")).toBe("")
})

test("without git the edits are made, and one line says that there is no checkpoint", async () => {
  await using place = await newWorkspace()
  await prepare(place)
  const { result } = await callTools(place, EDITS, { ...YOLO, env: { PATH: "/nowhere" } })
  expect(result.exitCode).toBe(0)
  const said = result.stderr.split("no checkpoint was made: git is not installed").length - 1
  expect(said).toBe(1)
  expect(await place.read("work/a.txt")).toBe("two\n")
  expect(existsSync(foldersOf(place).checkpoints)).toBe(false)
})
