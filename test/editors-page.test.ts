/** The conversation that stands in docs/editors.md is held again, line by line: what it shows is what is said. */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, say, text } from "./kit/replies.ts"
import { BINARY, environmentOf, newWorkspace } from "./kit/run-gemini.ts"

const SHOWN_FOLDER = "/home/ada/engine"
const SHOWN_SESSION = "5f0c…"
/** What stands for something in the page stands for it here: a list or a part of one. */
const left = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")}$`
  )

test("the conversation of docs/editors.md", async () => {
  const page = await Bun.file(`${import.meta.dir}/../docs/editors.md`).text()
  const [, block = ""] = /## A conversation, line by line[\s\S]*?```\n([\s\S]*?)```/.exec(page) ?? []
  const shown = block.trim().split("\n")
  expect(shown.length).toBeGreaterThan(25)
  await using place = await newWorkspace()
  await using model = await startModelServer([
    ask(call("write_file", { file_path: "a.txt", content: "new\n" })),
    say("Done."),
    answer([chunk(text("The file"))], { ending: "hang" })
  ])
  const child = Bun.spawn([BINARY, "--acp", "-m", "gemini-2.5-pro"], {
    cwd: place.cwd,
    env: environmentOf(place.root, model),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore"
  })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  const nextLine = async () => {
    while (!rest.includes("\n")) {
      const { done, value } = await reader.read()
      if (done) throw new Error("it ended early")
      rest += decoder.decode(value, { stream: true })
    }
    const end = rest.indexOf("\n")
    const line = rest.slice(0, end)
    rest = rest.slice(end + 1)
    return line
  }
  let session = ""
  for (const line of shown) {
    const message = line.slice(2)
    if (line.startsWith(">")) {
      const said = message.replaceAll(SHOWN_SESSION, session).replaceAll(SHOWN_FOLDER, place.cwd)
      void child.stdin.write(`{"jsonrpc":"2.0",${said.slice(1)}\n`)
      continue
    }
    const told = await nextLine()
    session ||= Object(JSON.parse(told).result).sessionId ?? ""
    const seen = told
      .replace('"jsonrpc":"2.0",', "")
      .replaceAll("scripted-model-001", "gemini-2.5-pro")
      .replaceAll(place.cwd, SHOWN_FOLDER)
      .replaceAll(session || "no session yet", SHOWN_SESSION)
      .replace(/"write_file__[^"]*"/g, '"write_file__write_file_1"')
    expect(seen).toMatch(left(message.replaceAll(/"version":"[^"]*"/g, '"version":"…"')))
  }
  void child.stdin.end()
  expect(await child.exited).toBe(0)
})
