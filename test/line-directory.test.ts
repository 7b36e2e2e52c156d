/** `/directory add`: the new folder counts for the model, for the rules and for undo, at once. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"

test("a folder that joins the workspace is known to the model, its context file too; edits in it run and are undone", async () => {
  await using place = await newWorkspace()
  await place.write("other/GEMINI.md", "Speak softly here.\n")
  const made = join(place.root, "other/made.txt")
  await using server = await startModelServer([
    say("good morning"),
    ask(call("write_file", { file_path: made, content: "new\n" })),
    say("written")
  ])
  const session = startInTerminal(place, ["--approval-mode", "auto_edit"], { server })
  await session.shows(READY)
  session.type("hello\r")
  await session.shows("good morning")
  session.type("/directory add ../other\r")
  await session.shows("Added ")
  session.type("write there\r")
  await session.shows("written")
  expect(existsSync(made)).toBe(true)
  const told = JSON.stringify(server.generations[1]?.body)
  expect(told).toContain(`The folder ${join(place.root, "other")} belongs to the workspace from now on.`)
  expect(told).toContain("Speak softly here.")
  session.type("/undo\r")
  await session.shows("(Enter: leave it): ")
  session.type("1\r")
  await session.shows("made.txt")
  while (existsSync(made)) await Bun.sleep(20)
  session.type("/clear\r")
  await session.shows("A new session begins.")
  session.type("/directory\r")
  await session.shows(`\n${join(place.root, "other")}`)
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
})
