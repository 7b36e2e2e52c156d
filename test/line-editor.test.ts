/** Every key of the line editor, pressed at a pseudo-terminal; what counts is the prompt that the model gets. */
import { describe, expect, test } from "bun:test"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { answer, chunk, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { screenModel } from "./kit/screen-model.ts"
import { startInTerminal, type TerminalSession } from "./kit/terminal.ts"

const READY = "Type your message or @path/to/file"

type KeyRow = readonly [name: string, typed: string, sent: string]

const C = (letter: string) => String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 0x40)
const M = (key: string) => `\u001b${key}`
const [UP, DOWN, RIGHT, LEFT] = ["\u001b[A", "\u001b[B", "\u001b[C", "\u001b[D"]
/** Typed after a moment, so that Esc is not taken for the start of a sequence. */
const LATER = "\u0000later"

/** The text of the last message of each prompt, in order. */
const promptsOf = (server: ModelServer): ReadonlyArray<string> =>
  server.generations.map(({ body }) => {
    const { contents } = body as { contents: ReadonlyArray<{ parts: ReadonlyArray<{ text?: string }> }> }
    return contents.at(-1)?.parts.at(-1)?.text ?? ""
  })

const typeSlowly = async (session: TerminalSession, keys: string) => {
  const [first = "", ...others] = keys.split(LATER)
  session.type(first)
  for (const piece of others) {
    await Bun.sleep(300)
    session.type(piece)
  }
}

/** Types each row and sends it, in one session; the rows see each other as history. */
const pressAll = async (rows: ReadonlyArray<KeyRow>, settings: unknown = {}) => {
  await using server = await startModelServer((_, index) => say(`answer-${index}.`))
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  const session = startInTerminal(place, ["-m", "gemini-2.5-flash"], { server })
  await session.shows(READY)
  for (const [index, [, typed]] of rows.entries()) {
    await typeSlowly(session, `${typed}\r`)
    await session.shows(`answer-${index}.`)
  }
  session.type(C("d"))
  expect(await session.exitCode).toBe(0)
  // Throws at anything that reaches beyond the bottom line.
  screenModel(80).write(session.screen())
  expect(promptsOf(server).map((sent, index) => [rows[index]?.[0], sent])).toEqual(
    rows.map(([name, , sent]) => [name, sent])
  )
}

describe("keys", () => {
  test("moving", () =>
    pressAll([
      ["Ctrl-A", `world${C("a")}hello `, "hello world"],
      ["Home", "world\u001b[Hhello ", "hello world"],
      ["Home of the console", "world\u001b[1~hello ", "hello world"],
      ["Ctrl-E", `hello${C("a")}${C("e")} world`, "hello world"],
      ["End", `hello${C("a")}\u001bOF world`, "hello world"],
      ["Ctrl-B, Ctrl-F", `ac${C("b")}${C("b")}${C("f")}b`, "abc"],
      ["Left, Right", `ac${LEFT}${LEFT}${RIGHT}b`, "abc"],
      ["Alt-B", `one two${M("b")}and `, "one and two"],
      ["Ctrl-Left", "one two\u001b[1;5Dand ", "one and two"],
      ["Alt-F", `one two${C("a")}${M("f")} and`, "one and two"],
      ["Ctrl-Right", `one two${C("a")}\u001b[1;5C and`, "one and two"],
      ["over wide characters", `漢字${LEFT}と`, "漢と字"],
      ["over combined ones", `e\u0301👨‍👩‍👧${LEFT}${LEFT}x`, "xe\u0301👨‍👩‍👧"]
    ]))

  test("erasing, killing, yanking, undoing", () =>
    pressAll([
      ["Backspace", "abx\u007fc", "abc"],
      ["Ctrl-H", `abx${C("h")}c`, "abc"],
      ["Delete", `abxc${LEFT}${LEFT}\u001b[3~`, "abc"],
      ["Ctrl-D", `abxc${LEFT}${LEFT}${C("d")}`, "abc"],
      ["Ctrl-K", `one two${M("b")}${C("k")}three`, "one three"],
      ["Ctrl-U", `wrong${C("u")}right`, "right"],
      ["Ctrl-W", `keep --drop=x${C("w")}this`, "keep this"],
      ["Alt-Backspace", `keep a-b${M("\u007f")}c`, "keep a-c"],
      ["Alt-D", `one two${C("a")}${M("d")}1`, "1 two"],
      ["Ctrl-T", `ba${C("t")}`, "ab"],
      ["Alt-T", `two one${M("t")}`, "one two"],
      ["Alt-U, Alt-L, Alt-C", `a B c${C("a")}${M("u")}${M("l")}${M("c")}`, "A b C"],
      ["Ctrl-_", `kept${C("u")}${C("_")}`, "kept"],
      ["Ctrl-X Ctrl-U", `kept${C("u")}${C("x")}${C("u")}`, "kept"],
      ["Esc Esc", `gone\u001b${LATER}\u001b${LATER}here`, "here"],
      ["Ctrl-Q", `a${C("q")}\tb`, "a\tb"]
    ]))

  test("several lines", () =>
    pressAll([
      ["backslash", "one\\\rtwo", "one\ntwo"],
      ["Ctrl-J", "one\ntwo", "one\ntwo"],
      ["Alt-Enter", "one\u001b\rtwo", "one\ntwo"],
      ["Shift-Enter", "one\u001b[13;2utwo", "one\ntwo"],
      ["fence", "```\rcode\r```", "```\ncode\n```"],
      ["paste", "see \u001b[200~one\r\ntwo\rthree\u001b[201~", "see one\ntwo\nthree"],
      ["Up into a finished line", `one\ntwo${UP}!`, "one!\ntwo"]
    ]))

  test("history and search", () =>
    pressAll([
      ["first", "alpha beta", "alpha beta"],
      ["second", "gamma", "gamma"],
      ["Up", UP, "gamma"],
      ["Up Up", `${UP}${UP}`, "alpha beta"],
      ["Ctrl-P, Ctrl-N", `draft${C("p")}${C("n")} kept`, "draft kept"],
      ["Down", `draft${UP}${DOWN} too`, "draft too"],
      ["Ctrl-R", `${C("r")}mm`, "gamma"],
      ["Ctrl-R Ctrl-R", `${C("r")}a${C("r")}${C("r")}`, "draft kept"],
      ["Ctrl-R Ctrl-G", `mine${C("r")}gamma${C("g")}!`, "mine!"],
      ["Alt-.", `again ${M(".")}`, "again mine!"]
    ]))

  test("vi", () =>
    pressAll(
      [
        ["insert", "plain", "plain"],
        ["0, i", `world\u001b${LATER}0ihello `, "hello world"],
        ["b, cw", `one two\u001b${LATER}bcw2`, "one 2"],
        ["dw", `x one\u001b${LATER}0dw`, "one"],
        ["A", `one\u001b${LATER}0A two`, "one two"],
        ["x, p", `ab\u001b${LATER}0xp`, "ba"],
        ["u", `ab\u001b${LATER}xu`, "ab"],
        ["f, D", `one two\u001b${LATER}0f D`, "one"],
        ["ci(", `f(old)\u001b${LATER}0f(ci(new`, "f(new)"],
        ["k", `\u001b${LATER}x\u007fy\u001b${LATER}k`, "f(new)"]
      ],
      { general: { vimMode: true } }
    ))
})

describe("around the line", () => {
  test("Tab completes a command, lists what is possible, and runs nothing by itself", async () => {
    await using server = await startModelServer([])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("/abo\t")
    await session.shows("/about ")
    session.type(`${C("u")}/me\t`)
    await session.shows("/memory ")
    session.type(`${C("u")}/\t\t`)
    await session.shows(" more")
    session.type(C("u"))
    session.type(C("d"))
    expect(await session.exitCode).toBe(0)
  })

  test.each([
    ["Ctrl-X Ctrl-E", `${C("x")}${C("e")}`],
    ["Ctrl-G", C("g")]
  ])("%s opens the editor of the user, which has the terminal to itself", async (_, keys) => {
    await using server = await startModelServer([say("done.")])
    await using place = await newWorkspace()
    const editor = await place.write("editor", '#!/bin/sh\nprintf "editing: "; read word; echo "$word" >> "$1"\n')
    await chmod(editor, 0o755)
    const session = startInTerminal(place, [], { server, env: { VISUAL: editor } })
    await session.shows(READY)
    session.type(`before${keys}`)
    await session.shows("editing: ")
    session.type("after\n")
    await session.shows("> beforeafter")
    session.type("\r")
    await session.shows("done.")
    session.type(C("d"))
    expect(await session.exitCode).toBe(0)
    expect(promptsOf(server)).toEqual(["beforeafter"])
  })

  test("the history of a project is there in the next session, also that of the reference", async () => {
    await using server = await startModelServer([say("one."), say("two.")])
    await using place = await newWorkspace()
    const first = startInTerminal(place, [], { server })
    await first.shows(READY)
    first.type("remember me\r")
    await first.shows("one.")
    first.type(C("d"))
    await first.exitCode
    const [log] = await Array.fromAsync(
      new Bun.Glob("home/.gemini/tmp/*/logs.json").scan({ cwd: place.root, dot: true })
    )
    const entries = JSON.parse(await place.read(join(place.root, log ?? "")))
    expect(entries).toMatchObject([{ type: "user", messageId: 0, message: "remember me" }])

    const second = startInTerminal(place, [], { server })
    await second.shows(READY)
    second.type(`${UP}\r`)
    await second.shows("two.")
    second.type(C("d"))
    await second.exitCode
    expect(promptsOf(server)).toEqual(["remember me", "remember me"])
  })

  test("a narrower window shows the part around the cursor", async () => {
    await using server = await startModelServer([say("fine.")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server, columns: 40, rows: 10 })
    await session.shows(READY)
    const long = "a line of words that does not fit into the forty columns of this window"
    session.type(long)
    await session.shows("> <")
    session.resize(30, 10)
    await session.showsNext("> <")
    session.type("\r")
    await session.shows("fine.")
    session.type(C("d"))
    await session.exitCode
    expect(session.plain().replaceAll("\r\n", "")).toContain(`> ${long}`)
    expect(promptsOf(server)).toEqual([long])
  })

  test("a key is echoed while a long answer streams in, not behind it", async () => {
    const lines = Array.from({ length: 300_000 }, (_, index) => `Line ${index} of ${(index * 7919) % 10_007} words.\n`)
    const chunks = Array.from({ length: 3_000 }, (_, part) =>
      chunk(text(lines.slice(part * 100, part * 100 + 100).join("")))
    )
    await using server = await startModelServer([answer([...chunks, chunk(text("\nTHE END."))])])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type("go\r")
    await session.shows("Line 50 of")
    session.type("quick")
    await session.shows("> quick")
    expect(session.screen()).not.toContain("THE END.")
    session.type(C("c"))
    await session.shows("cancelled")
    session.type(C("d"))
    expect(await session.exitCode).toBe(0)
  })

  test("Ctrl-Z where no shell could continue the program changes nothing", async () => {
    await using server = await startModelServer([say("fine.")])
    await using place = await newWorkspace()
    const session = startInTerminal(place, [], { server })
    await session.shows(READY)
    session.type(`still ${C("z")}here\r`)
    await session.shows("fine.")
    session.type(C("d"))
    expect(await session.exitCode).toBe(0)
    expect(promptsOf(server)).toEqual(["still here"])
  })
})
