import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { ApprovalQuestion } from "../../approval/approval.ts"
import type { Confirmation } from "../../protocol/confirmation.ts"
import { CallId } from "../../protocol/ids.ts"
import { paintWith } from "../render/paint.ts"
import { answerFrom, choicesFor, preselected } from "./approval-at-terminal.ts"
import { MAX_ROWS, questionText } from "./question-text.ts"

const about = (confirmation: Confirmation, more: Partial<ApprovalQuestion> = {}): ApprovalQuestion => ({
  callId: CallId.make("c"),
  toolName: "t",
  confirmation,
  arguments: [],
  why: "a rule asks for it",
  standing: [],
  ...more
})
const command = (text: string): Confirmation => ({ type: "exec", title: "Run?", command: text, rootCommands: [] })
const edit = (fileDiff: string, filePath = "/w/a.ts"): Confirmation => ({
  type: "edit",
  title: "Edit",
  diff: {
    fileDiff,
    filePath,
    fileName: "a.ts",
    originalContent: null,
    newContent: "",
    isNewFile: true,
    diffStat: {
      model_added_lines: 2,
      model_removed_lines: 0,
      model_added_chars: 0,
      model_removed_chars: 0,
      user_added_lines: 0,
      user_removed_lines: 0,
      user_added_chars: 0,
      user_removed_chars: 0
    }
  }
})
const settings = { offersSession: true, offersSaving: true }
const plain = (columns = 80) => ({ columns, unicode: true, paint: paintWith({ colors: false }) })
const linesOf = (question: ApprovalQuestion, columns = 80) =>
  questionText(question, choicesFor(question, settings), plain(columns))

describe("a question", () => {
  test("to a screen reader is words: how many lines belong to others, and what a change does with each", () => {
    const spoken = (question: ApprovalQuestion) =>
      questionText(question, choicesFor(question, settings), { ...plain(), isSpoken: true })
    expect(spoken(about(command("npm test &&\n1 (y) publish"))).slice(0, 4)).toEqual([
      "? Allow this command to run?",
      "  2 lines:",
      "    npm test &&",
      "    1 (y) publish"
    ])
    expect(spoken(about(edit("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"))).slice(1, 6)).toEqual([
      "  4 lines:",
      "    from line 1, 2 lines:",
      "    unchanged: a",
      "    removed: b",
      "    added: c"
    ])
  })

  test("about a command shows all of it, why it is asked, and the answers", () => {
    const question = about(command("npm test &&\nnpm publish"), {
      standing: [{ covers: "call", what: 'commands that begin with "npm"', savedAs: "[[rule]]" }],
      draft: { text: "npm test", fileName: "command.sh" }
    })
    expect(linesOf(question)).toEqual([
      "? Allow this command to run?",
      "  │ npm test &&",
      "  │ npm publish",
      "  asked because a rule asks for it",
      "  1 (y) allow once",
      '  2 (a) allow for this session: commands that begin with "npm"',
      "  3 (e) modify with external editor",
      "  4 (n) no (add a reason for the model)",
      '  5 (s) allow for all sessions: commands that begin with "npm"'
    ])
  })

  test("about an edit shows the diff without its file names", () => {
    const diff = "Index: a.ts\n====\n--- a.ts\tCurrent\n+++ a.ts\tProposed\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    expect(linesOf(about(edit(diff))).slice(0, 4)).toEqual([
      "? Allow a change to /w/a.ts? (new file, +2 -0)",
      "  │ @@ -0,0 +1,2 @@",
      "  │ +one",
      "  │ +two"
    ])
  })

  test("about a tool of a server offers the tool and the server", () => {
    const question = about(
      {
        type: "mcp",
        title: "",
        serverName: "srv",
        toolName: "do_it",
        toolDisplayName: "do_it",
        toolArgs: { path: "/etc" }
      },
      {
        standing: [
          { covers: "call", what: "do_it of server srv" },
          { covers: "server", what: "all tools of server srv" }
        ]
      }
    )
    expect(linesOf(question)).toEqual([
      "? Allow do_it of MCP server srv?",
      "  │ {",
      '  │   "path": "/etc"',
      "  │ }",
      "  asked because a rule asks for it",
      "  1 (y) allow once",
      "  2 (a) allow for this session: do_it of server srv",
      "  4 (n) no (add a reason for the model)",
      "  5 (v) allow for this session: all tools of server srv"
    ])
  })

  test("about an address shows the host that is really asked", () => {
    const question = about({ type: "info", title: "Allow WebFetch?", prompt: "get", urls: ["https://gооgle.com/x"] })
    expect(linesOf(question)[2]).toBe("  │ https://gооgle.com/x (host xn--ggle-55da.com)")
  })

  test("a title that is a question stays one", () => {
    const question = about({ type: "info", title: "Fetch these pages?", prompt: "get", urls: [] })
    expect(linesOf(question)[0]).toBe("? Fetch these pages?")
  })

  test("says where a command runs, and that it goes on", () => {
    const confirmation = { ...command("make"), folder: "/w/vendor", isBackground: true } as const
    expect(linesOf(about(confirmation)).slice(0, 4)).toEqual([
      "? Allow this command to run in the background?",
      "  in the folder /w/vendor",
      "  │ make",
      "  asked because a rule asks for it"
    ])
  })

  test("shows every other argument that counts", () => {
    const question = about(
      { type: "info", title: "Allow Glob?", prompt: "**", urls: [] },
      {
        arguments: [
          { name: "dir_path", value: "/etc" },
          { name: "note", value: "a\n  1 (y) allow once\u001b[2J" }
        ]
      }
    )
    expect(linesOf(question).slice(0, 6)).toEqual([
      "? Allow Glob?",
      "  │ **",
      "  with these arguments:",
      "  │ dir_path: /etc",
      "  │ note: a",
      "  │       1 (y) allow once^[[2J"
    ])
  })

  test("says what it cannot show, at the place and at the end", () => {
    const text = Array.from({ length: MAX_ROWS + 5 }, (_, line) => `echo ${line}`).join("\n")
    const lines = linesOf(about(command(text)))
    expect(lines).toContain("  │ echo 0")
    expect(lines).toContain(`  │ echo ${MAX_ROWS + 4}`)
    expect(lines.filter((line) => line.includes("NOT SHOWN"))).toEqual([
      "  NOT SHOWN: rows 1001 to 1005; they would count all the same",
      "  2005 rows, and 5 of them, in the middle, are NOT SHOWN: they would count all the same"
    ])
  })

  test.each([
    ["blanks", `ls${" ".repeat(5_000)}; rm -rf ~`, ["  │ ls <5000 blanks> ; rm -rf ~"]],
    ["tabs", `ls${"\t ".repeat(100)}; rm -rf ~`, ["  │ ls <200 blanks> ; rm -rf ~"]],
    ["empty lines", `ls${"\n".repeat(901)}rm -rf ~${"\n".repeat(500)}`, ["  │ rm -rf ~"]],
    ["comments", `ls\n${"#\n".repeat(500)}rm -rf ~\n${"#\n".repeat(500)}`, ["  │ rm -rf ~"]]
  ])("cannot hide its end behind %s", (_, text, shown) => {
    const lines = linesOf(about(command(text)))
    expect(lines.length).toBeLessThan(15)
    for (const line of shown) expect(lines).toContain(line)
  })

  test("cannot hide a change among lines that are added for it", () => {
    const diff = `@@ -0,0 +1,999 @@\n+one\n${"+\n".repeat(500)}+evil\n${"+\n".repeat(500)}`
    const lines = linesOf(about(edit(diff)))
    expect(lines.length).toBeLessThan(15)
    expect(lines).toContain("  │ +evil")
  })

  test("a question that is taller than a window says so below it", () => {
    const text = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n")
    expect(linesOf(about(command(text)))).toContain("  40 rows: they begin further up")
  })

  test("a reason cannot push the question out of sight", () => {
    expect(linesOf(about(command("ls"), { why: "x".repeat(100_000) })).length).toBeLessThan(20)
  })

  test("a standing approval is offered only where it is possible", () => {
    const question = about(command("ls"), { standing: [{ covers: "call", what: "x", savedAs: "y" }] })
    const letters = (offersSession: boolean, offersSaving: boolean) =>
      choicesFor(question, { offersSession, offersSaving }).map(({ letter }) => letter)
    expect(letters(false, true)).toEqual(["y", "n"])
    expect(letters(true, false)).toEqual(["y", "a", "n"])
    expect(letters(true, true)).toEqual(["y", "a", "n", "s"])
  })
})

describe("hostile text", () => {
  test.each([
    ["\u001b[2J\u001b[Hls", "  │ ^[[2J^[[Hls"],
    ["rm -rf ~ # \u202e sl", "  │ rm -rf ~ # <U+202E> sl"],
    ["rm -rf ~\r ls      ", "  │ rm -rf ~^M ls      "],
    ["\u001b]52;c;aGk=\u0007ls", "  │ ^[]52;c;aGk=^Gls"]
  ])("%j is shown as it is", (text, shown) => expect(linesOf(about(command(text)))[1]).toBe(shown))

  const nasty = fc.stringOf(
    fc.oneof(
      fc.fullUnicode(),
      fc.constantFrom("\u001b[2J", "\r", "\n", "\n  1 (y) allow once", "\u202e", "\u0007", " ".repeat(70), "漢", "\t")
    ),
    { maxLength: 60 }
  )

  test("never leaves its gutter, acts on the terminal, or takes more than the width", () => {
    fc.assert(
      fc.property(nasty, nasty, fc.integer({ min: 20, max: 120 }), (text, path, columns) => {
        for (const confirmation of [command(text), edit(`@@ -1 +1 @@\n+${text}`, path)]) {
          const question = about(confirmation, { why: path, standing: [{ covers: "call", what: text, savedAs: text }] })
          const lines = linesOf(question, columns)
          const head = lines.findIndex((line) => line.startsWith("  asked because"))
          const isFramed = (line: string) =>
            line.startsWith("  │ ") || /^ {2}\d+ rows: they begin further up$/.test(line)
          expect(lines.slice(1, head).every(isFramed)).toBe(true)
          const options = lines.slice(head).filter((line) => /^ {2}\d/.test(line))
          expect(options.map((line) => line.slice(0, 7))).toEqual(["  1 (y)", "  2 (a)", "  4 (n)", "  5 (s)"])
          expect(lines.join("\n")).not.toMatch(/(?![\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
          const framed = lines.filter(isFramed)
          for (const line of framed) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(Math.max(columns, 48))
        }
      })
    )
  })
})

describe("an answer", () => {
  const choices = choicesFor(
    about(command("ls"), {
      standing: [{ covers: "call", what: "x", savedAs: "y" }],
      draft: { text: "ls", fileName: "x" }
    }),
    settings
  )
  test("a question mark is answered with what the answers mean", () => {
    const answer = answerFrom("?", choices)
    expect(answer).toMatchObject({ _tag: "Unclear", advice: expect.stringContaining("n and some words refuse") })
  })

  test.each([
    ["y", 1, undefined],
    ["1", 1, undefined],
    [" Yes ", 1, undefined],
    ["2", 2, undefined],
    ["a", 2, undefined],
    ["e", 3, undefined],
    ["n", 4, undefined],
    ["4", 4, undefined],
    ["no: use make instead", 4, "use make instead"],
    ["4 not now", 4, "not now"],
    ["s", 5, undefined]
  ])("%j chooses %d", (typed, number, reason) =>
    expect(answerFrom(typed, choices)).toMatchObject({ _tag: "Chosen", choice: { number }, reason })
  )

  test("Enter alone saves a rule where that is wanted and offered, and never one for a command", () => {
    const wanted = { ...settings, prefersSaving: true }
    const onEnter = preselected({ confirmation: edit("+x") }, choices, wanted)
    expect(answerFrom("", choices, onEnter)).toMatchObject({ _tag: "Chosen", choice: { letter: "s" } })
    expect(answerFrom("y", choices, onEnter)).toMatchObject({ _tag: "Chosen", choice: { letter: "y" } })
    expect(preselected({ confirmation: command("ls") }, choices, wanted)).toBeUndefined()
    expect(preselected({ confirmation: edit("+x") }, choices, settings)).toBeUndefined()
    expect(preselected({ confirmation: edit("+x") }, choices.slice(0, 2), wanted)).toBeUndefined()
  })

  test.each([["", undefined]])("Enter alone is none", (typed) =>
    expect(answerFrom(typed, choices)).toEqual({ _tag: "Unclear", advice: undefined })
  )

  test.each(["yy", "y please", "1 2", "6", "0", "11", "yes, and go on", "q", "constructor", "ok", "\u001b[A"])(
    "%j approves nothing",
    (typed) => expect(answerFrom(typed, choices)._tag).toBe("Unclear")
  )

  test("nothing but the exact words approves", () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        const answer = answerFrom(typed, choices)
        if (answer._tag === "Chosen" && answer.choice.kind._tag !== "No") {
          expect(typed.trim().toLowerCase()).toMatch(/^(?:[12345yaes]|yes|always|edit|modify|save)[\s,;:.-]*$/)
        }
      })
    )
  })
})
