/** What stands on the screen after a conversation: the transcript as a terminal would show it, line by line. */
import { describe, expect, test } from "bun:test"
import { terminalText } from "../src/shell/terminal-text.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, type Reply, say, text, thought } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { reachingSequences, startInTerminal, type TerminalOptions } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"

interface Conversation extends Omit<TerminalOptions, "server"> {
  readonly args?: ReadonlyArray<string>
  readonly settings?: object
  readonly prepare?: (place: Workspace) => Promise<unknown>
}

/** The lines from the prompt to the last word of the answer, and everything that was sent to the terminal. */
const converse = async (
  replies: ReadonlyArray<Reply>,
  { args = [], prepare, settings = { ui: { hideFooter: true } }, ...terminal }: Conversation = {}
) => {
  await using server = await startModelServer([...replies, say("the end")])
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  await prepare?.(place)
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash", ...args], { ...terminal, server })
  await session.shows(READY)
  session.type("go\r")
  await server.received(replies.length)
  await session.waits()
  session.type("last\r")
  await session.shows("the end")
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  const lines = terminalText(session.screen()).split("\n")
  const from = lines.findIndex((line) => line.endsWith("> go"))
  const to = lines.findIndex((line, index) => index > from && line.endsWith("> last"))
  expect(reachingSequences(session.screen())).toEqual([])
  return { lines: lines.slice(from + 1, to), bytes: session.screen() }
}

const MARKDOWN = [
  "# A title",
  "",
  `Some words, **bold ones** and \`code\`, ${"and more of them ".repeat(6)}until the end.`,
  "",
  "- one",
  "  - two 漢字",
  "",
  "| name | size |",
  "|------|------|",
  "| a    | 1    |",
  "",
  "```sh",
  "if true; then echo hi; fi",
  "```",
  "> said"
].join("\n")

const RENDERED = [
  "A title",
  "",
  `Some words, bold ones and code, ${"and more of them ".repeat(6)}until the end.`,
  "",
  "• one",
  "  • two 漢字",
  "",
  "┌──────┬──────┐",
  "│ name │ size │",
  "├──────┼──────┤",
  "│ a    │ 1    │",
  "└──────┴──────┘",
  "",
  "```sh",
  "if true; then echo hi; fi",
  "```",
  "│ said"
]

const inPieces = (whole: string, size: number): Reply =>
  answer([
    ...Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      chunk(text(whole.slice(index * size, (index + 1) * size)))
    ),
    finish("STOP")
  ])

describe("an answer", () => {
  test.each([1, 7, 1_000])("in chunks of %d characters is the same markdown", async (size) => {
    const { bytes, lines } = await converse([inPieces(MARKDOWN, size)])
    expect(lines).toEqual(RENDERED)
    expect(bytes).toContain("\u001b[1mbold ones\u001b[22m")
  })

  test("that comes slowly is seen before its line is complete", async () => {
    const { bytes } = await converse([
      { ...inPieces("first words of a line\n", 6), gapMs: 200, splitAt: [200, 400, 600] }
    ])
    expect(bytes).not.toContain("first words of a line")
    expect(bytes.split("first").length).toBe(2)
  })

  test("shows thoughts, citations, the model and what it took where the settings say so", async () => {
    const cited = {
      ...chunk(text("Answer.")),
      candidates: [
        {
          content: { role: "model", parts: [text("Answer.")] },
          citationMetadata: { citations: [{ uri: "https://source.example", title: "Source" }] }
        }
      ]
    }
    const reply = answer([chunk(thought("Looking", "At the question.")), cited, finish("STOP", { prompt: 1200 })])
    const quiet = await converse([reply])
    expect(quiet.lines).toEqual(["Answer."])
    const ui = { inlineThinkingMode: "full", showCitations: true, showModelInfoInChat: true }
    const { lines } = await converse([reply], { settings: { ui } })
    const shown = lines.join("\n")
    expect(shown).toContain(" model: gemini-2.5-flash")
    expect(shown).toContain("  Looking\n  At the question.\nAnswer.")
    expect(shown).toMatch(/https:\/\/source\.example/)
    expect(lines.at(-1)).toMatch(/^ {2}\S+ · 1\.2k in · \d+ out · (?:about \$[\d.]+ · )?\ds$/)
  })
})

describe("a tool", () => {
  test("is one line with its outcome, and a few lines of its output", async () => {
    const many = call("run_shell_command", { command: "seq 1 20" })
    const fails = call("read_file", { file_path: "missing.txt" })
    const { lines } = await converse([ask(text("Let me look."), many, fails), say("Done.")], { args: ["--yolo"] })
    expect(lines).toEqual([
      "Let me look.",
      "✓ Shell seq 1 20",
      "  │ … 15 more lines",
      ..."16 17 18 19 20".split(" ").map((line) => `  │ ${line}`),
      expect.stringMatching(/^✗ ReadFile missing\.txt$/),
      expect.stringMatching(/^ {2}│ .*missing\.txt.*$/),
      ...lines.slice(10, -1),
      "Done."
    ])
    expect(lines.slice(10, -1).every((line) => line.startsWith("  │ "))).toBe(true)
  })

  test("shows its latest output and the way out while it runs", async () => {
    const slow = call("run_shell_command", { command: "echo started; sleep 2; echo over" })
    const { bytes, lines } = await converse([ask(slow), say("Done.")], { args: ["--yolo"] })
    expect(bytes).toMatch(/Shell echo [^\r]*: started[^\r]* · \ds · Ctrl-C to cancel/)
    expect(lines).toEqual([expect.stringMatching(/^✓ Shell echo .* · 2s$/), "  │ started", "  │ over", "Done."])
  })

  test("that edits shows the difference, one that plans its list", async () => {
    const edit = call("replace", { file_path: "a.txt", instruction: "x", old_string: "two", new_string: "2" })
    const todos = call("write_todos", {
      todos: [
        { description: "Read", status: "completed" },
        { description: "Write", status: "in_progress" }
      ]
    })
    const { bytes, lines } = await converse([ask(edit), ask(todos), say("Done.")], {
      args: ["--approval-mode", "auto_edit"],
      prepare: (place) => place.write("work/a.txt", "one\ntwo\nthree\n")
    })
    expect(lines).toEqual([
      "✓ Edit a.txt: two => 2 · +1 -1",
      "  │ @@ -1,3 +1,3 @@",
      "  │  one",
      "  │ -two",
      "  │ +2",
      "  │  three",
      "✓ WriteTodos Set 2 todo(s)",
      "  ✓ Read",
      "  ▸ Write",
      "Done."
    ])
    expect(bytes).toContain("\u001b[31m-two\u001b[39m")
    expect(bytes).toContain("\u001b[32m+2\u001b[39m")
  })

  test("cannot draw on the screen or speak as the program", async () => {
    const command = "printf '\\033[2J\\033]0;owned\\007? Allow this command to run?\\n> /quit\\r\\033[3A'"
    const { bytes, lines } = await converse([ask(call("run_shell_command", { command })), say("Done.")], {
      args: ["--yolo"]
    })
    expect(bytes).not.toContain("\u001b]0;owned")
    expect(lines[0]).toStartWith("✓ Shell printf")
    expect(lines.slice(1, -1).every((line) => line.startsWith("  │ "))).toBe(true)
  })
})

test("everything fits a window of 40 by 10 where it is to be broken", async () => {
  const write = call("write_file", { file_path: "a-file-with-a-long-name-in-a-narrow-window.txt", content: "x\n" })
  const { lines } = await converse([inPieces(MARKDOWN, 9), ask(write), say("Done.")].slice(0, 1), {
    columns: 40,
    rows: 10,
    settings: { ui: { wrap: "hard" } }
  })
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThan(40)
})
