/** One-shot runs at a terminal: nothing is read from the keyboard, and Ctrl-C ends the run. */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { answer, chunk, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

test("-p answers without waiting for the keyboard", async () => {
  await using server = await startModelServer([say("at the terminal")])
  await using place = await newWorkspace()
  const session = startInTerminal(place, ["-p", "hi"], { server })
  expect(await session.exitCode).toBe(0)
  expect(session.screen()).toBe("at the terminal\r\n")
})

test("Ctrl-C cancels the run: exit 130, and the model is left alone", async () => {
  await using server = await startModelServer([answer([chunk(text("partial"))], { ending: "hang" })])
  await using place = await newWorkspace()
  const session = startInTerminal(place, ["-p", "hi"], { server })
  await session.shows("partial")
  session.type("\u0003")
  expect(await session.exitCode).toBe(130)
  await server.someoneLeft()
})
