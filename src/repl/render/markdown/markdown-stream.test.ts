import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { type MarkdownStyle, makeMarkdownStream } from "./markdown-stream.ts"

const colored: MarkdownStyle = { colors: true, unicode: true, links: false, wrapsHard: true }
const plain: MarkdownStyle = { colors: false, unicode: true, links: false, wrapsHard: true }
const soft: MarkdownStyle = { colors: true, unicode: true, links: false }

const rendered = (pieces: ReadonlyArray<string>, style: MarkdownStyle, columns = 60): ReadonlyArray<string> => {
  const text = given(pieces, style, columns)
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}
const given = (pieces: ReadonlyArray<string>, style: MarkdownStyle, columns = 60): string => {
  const stream = makeMarkdownStream(style)
  return pieces.map((piece) => stream.push(piece, columns)).join("") + stream.end()
}
const linesOf = (text: string, style = colored, columns = 60) => rendered([text], style, columns)
const wordsOf = (text: string, columns = 60) => linesOf(text, colored, columns).map((line) => Bun.stripANSI(line))

describe("markdown", () => {
  test.each<[string, string, ReadonlyArray<string>]>([
    ["headings lose their marks", "# One\n### Two ##", ["One", "Two"]],
    ["lists hang", "- one two three four five six\n  - seven", ["• one two three four", "  five six", "  • seven"]],
    ["numbers stay", "9. nine\n10) ten", ["9. nine", "10) ten"]],
    ["quotes have a bar", "> a\n>\n> > b", ["│ a", "│", "│ │ b"]],
    ["rules are drawn", "a\n\n***", ["a", "", "───────────────────────"]],
    ["blank lines are one", "\n\na\n\n\n\nb\n\n", ["a", "", "b", ""]],
    [
      "code is neither broken nor trimmed",
      "```\n  a very long line of code, it stays\n\n```",
      ["```", "  a very long line of code, it stays", "", "```"]
    ],
    ["a fence ends at its own mark", "~~~~\n~~~\n```\n~~~~\nx", ["~~~~", "~~~", "```", "~~~~", "x"]],
    ["an open fence ends with the text", "```ts\nlet a", ["```ts", "let a"]]
  ])("%s", (_, text, lines) => expect(wordsOf(text, 24)).toEqual([...lines]))

  test("tables are framed and fit", () => {
    const lines = wordsOf("| name | what |\n|---|---|\n| a | some long words here |\nend", 24)
    expect(lines[0]).toMatch(/^┌─+┬─+┐$/)
    expect(lines.at(-1)).toBe("end")
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThan(24)
    expect(wordsOf("| no table |\nend")).toEqual(["| no table |", "end"])
    expect(linesOf("| a |\n|---|\n| b |", plain)[0]).toBe("+-----+")
  })

  test("entities of a table do not come back as what they name", () => {
    const text = "| a |\n|---|\n| &#27;[2J &#x1b;]52;c;x&#7; `&amp;` |"
    expect(linesOf(text, plain).join("")).toContain("&#27;[2J &#x1b;]52;c;x&#7; &amp;")
  })

  test.each([
    ["**bold**", "\u001b[1mbold\u001b[22m"],
    ["a `b **c**` d", "a \u001b[36mb **c**\u001b[39m d"],
    ["*a **b** c*", "\u001b[3ma \u001b[23m\u001b[3;1mb\u001b[23;22m\u001b[3m c\u001b[23m"],
    ["~~no~~", "\u001b[9mno\u001b[29m"],
    ["x**2 * y_a_b 2*3*4 src/*.ts **", "x**2 * y_a_b 2*3*4 src/*.ts **"],
    ["\\*a\\*", "*a*"],
    ["`open", "`open"],
    ["[t](https://x.y)", "\u001b[4mt\u001b[24m (\u001b[34mhttps://x.y\u001b[39m)"],
    ["see https://x.y/z.", "see \u001b[34;4mhttps://x.y/z\u001b[39;24m."]
  ])("%j", (text, shown) => expect(linesOf(text)).toEqual([shown]))

  test("a link says where it leads, whatever its words are", () => {
    const text = "[https://good.example](https://evil.example)"
    expect(wordsOf(text)).toEqual(["https://good.example (https://evil.example)"])
    expect(linesOf(text, { ...colored, links: true })[0]).toContain("\u001b]8;;https://evil.example\u001b\\")
  })

  test("without colours the marks stay", () => {
    const text = "# T\n**b** `c` [t](u) \\*\n- x"
    expect(linesOf(text, plain)).toEqual(["# T", "**b** `c` [t](u) \\*", "• x"])
    expect(linesOf(text, { ...plain, unicode: false }).at(-1)).toBe("- x")
  })

  test("wide characters are measured and may stand apart", () => {
    const lines = wordsOf(`ab ${"漢".repeat(20)}`, 21)
    expect(lines).toEqual([`ab ${"漢".repeat(8)}`, "漢".repeat(10), "漢漢"])
    expect(wordsOf("漢漢漢漢漢漢漢漢漢漢。x", 21)).toEqual(["漢".repeat(9), "漢。x"])
  })

  test("lines that look like ours are moved aside", () => {
    expect(wordsOf("? Allow this\n✓ done\n```\n> ls\n```")).toEqual([" ? Allow this", " ✓ done", "```", " > ls", "```"])
  })

  test.each([
    ["ts", 'const a = "x" // y', '\u001b[35mconst\u001b[39m a = \u001b[32m"x"\u001b[39m \u001b[2m// y\u001b[22m'],
    ["py", "def f(): # 1", "\u001b[35mdef\u001b[39m f(): \u001b[2m# 1\u001b[22m"],
    ["sql", "SELECT 1", "\u001b[35mSELECT\u001b[39m \u001b[33m1\u001b[39m"],
    ["diff", "+a", "\u001b[32m+a\u001b[39m"],
    ["unknown", "const 1", "const 1"]
  ])("%s code is coloured", (language, code, shown) =>
    expect(linesOf(`\`\`\`${language}\n${code}\n\`\`\``)[1]).toBe(shown)
  )

  test("comments and strings go on over lines", () => {
    expect(linesOf('```py\n"""a\nb"""\nc')).toEqual([
      "\u001b[2m```py\u001b[22m",
      '\u001b[32m"""a\u001b[39m',
      '\u001b[32mb"""\u001b[39m',
      "c"
    ])
  })
})

test("for a screen reader there are words and sentences, and neither markup nor frames", () => {
  const spoken = { ...plain, unicode: false, isSpoken: true }
  const text = [
    "# Title",
    "Some **bold**, `code`, *more* and a [link](https://x.y).",
    "> quoted",
    "> > twice",
    "- item",
    "",
    "***",
    "```ts",
    "const a = '**'",
    "```",
    "| name | **size** |  |",
    "|---|--:|---|",
    "| a\\|b | `12` | |",
    "| c |  | first |"
  ].join("\n")
  const lines = rendered([text], spoken)
  expect(lines).toEqual([
    "Title",
    "Some bold, code, more and a link (https://x.y).",
    "quote: quoted",
    "quote: twice",
    "- item",
    "",
    "end of a section",
    "code in ts:",
    "const a = '**'",
    "end of code",
    "table of 2 rows: name, size",
    "row 1: name: a|b; size: 12",
    "row 2: name: c; first"
  ])
  expect(rendered(text.split(""), spoken)).toEqual([...lines])
})

describe("streaming", () => {
  const fragment = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.fullUnicodeString({ maxLength: 6 }),
    fc.constantFrom(
      ..."**,*,_,__,`,``,```\n,~~,~~~\n,# ,## ,- ,1. ,> ,| a | b |\n,|---|---|\n,\n,\n\n, ,    ,\t,[a](b),[,](,),!,<,https://x.y/z,\\,---\n,漢字,👩‍💻,e\u0301"
        .split(",")
        .map((text) => text),
      "some words that are long enough to need several rows when they come together, "
    )
  )
  const text = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(""))
  /** Long lines with few breaks: delimiters far from their counterparts. */
  const paragraph = fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom("word ", "and ", "longer words here ", "漢字 ", "x", ", ") },
        {
          weight: 3,
          arbitrary: fc.constantFrom("**", "*", "_", "`", "[a](", ")", "[", "](b)", "~~", "https://a.b/c", "👩‍💻")
        },
        { weight: 1, arbitrary: fc.constantFrom("\n", "- ", "> ", "# ", "\n\n", "| ") }
      ),
      { minLength: 20, maxLength: 200 }
    )
    .map((parts) => parts.join(""))
  /** What counts as one character though it is many, what looks like ours, and what opens a block, side by side. */
  const crowd = fc
    .array(
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc.constantFrom(
            ...["👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "🇩🇪🇫🇷🇮🇹", "1\ufe0f\u20e3", "2\u20e3", "*️⃣", "\u200d", "\ufe0f", "🏽", "각"],
            ...[
              "\u1100\u1161\u11a8",
              "क्षि",
              "e\u0301\u0301",
              "漢",
              "。",
              "\u200b",
              "🏴‍☠️",
              "❤️",
              "🤷🏻‍♀️ ",
              "x ",
              "words "
            ],
            ...["? Allow this", "✓ ", "ℹ ", "Allow? 1/2: ", "longer words here ", "**", "*", "_", "`", "[", "](", "a)"],
            ...[
              "\t```\n",
              "\t~~~ts\n",
              "\t\t- ",
              "\t> ",
              "> ",
              "\n",
              "\n\n",
              "| a | b |\n",
              "|---|---|\n",
              "1. ",
              "# "
            ],
            ...["- ", "\\", "https://x.y/z ", "<", ">", "!", "\t", "    ", "~~"]
          )
        },
        { weight: 1, arbitrary: fc.fullUnicodeString({ maxLength: 4 }) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 45 }).map((count) => "x".repeat(count)) }
      ),
      { maxLength: 60 }
    )
    .map((parts) => parts.join(""))
  const cut = (whole: string, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
    const places = [...new Set(cuts.map((place) => place % (whole.length + 1)))].sort((left, right) => left - right)
    return [...places, whole.length].map((end, index) => whole.slice(index === 0 ? 0 : places[index - 1], end))
  }

  /** Every run has another seed, and says it where it fails. More of them by hand: `RUNS=20000 bun test ...`. */
  const RUNS = Number(process.env.RUNS ?? 400)

  test("any split of the text gives the same lines", () => {
    fc.assert(
      fc.property(
        fc.oneof(text, paragraph, crowd),
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.integer({ min: 10, max: 90 }),
        fc.constantFrom(colored, plain, { ...plain, isSpoken: true }),
        (whole, cuts, columns, style) => {
          expect(rendered(cut(whole, cuts), style, columns)).toEqual(rendered([whole], style, columns))
        }
      ),
      { numRuns: RUNS }
    )
  })

  test("character by character, too", () => {
    fc.assert(
      fc.property(fc.oneof(text, paragraph, crowd), fc.integer({ min: 10, max: 90 }), (whole, columns) => {
        expect(rendered(whole.split(""), colored, columns)).toEqual(rendered([whole], colored, columns))
      }),
      { numRuns: RUNS }
    )
  })

  test("also where the terminal wraps", () => {
    fc.assert(
      fc.property(
        fc.oneof(text, paragraph, crowd),
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.integer({ min: 10, max: 90 }),
        (whole, cuts, columns) => {
          const all = Bun.stripANSI(given([whole], soft, columns))
          expect(Bun.stripANSI(given(cut(whole, cuts), soft, columns))).toBe(all)
          expect(Bun.stripANSI(given(whole.split(""), soft, columns))).toBe(all)
        }
      ),
      { numRuns: RUNS }
    )
  })

  test.each([
    ["an emoji of several parts at the end of a row", `${"x".repeat(37)}👩‍💻, > | words that go on and on`],
    ["syllables of two cells", "words कक्षाक्षि xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 👩‍👩‍👧‍👦 words that go on"],
    ["keys at the end of a row", "some words that are thirty-six ab cd*️⃣👩‍👩‍👧‍👦👩‍👩‍👧‍👦 words that go on and on"],
    ["keys made of digits", `${"x".repeat(36)}1\ufe0f\u20e3 2\ufe0f\u20e3 > words that go on and on`],
    ["a fence behind tabs", "\t\t\t~~~ts\nlet a = 1\n\t\t\t~~~"],
    ["an item behind tabs", "\t\t\t12. words\n\t\t\t+ words"],
    ["a quote of nothing", "> \n> > \n- \n"],
    ["an item in many quotes", "> > > > > > > - words"]
  ])("%s, character by character", (_, whole) => {
    for (const style of [soft, colored, plain, { ...plain, isSpoken: true }])
      expect(given(whole.split(""), style, 40)).toBe(given([whole], style, 40))
  })

  test("no word is lost without colours", () => {
    const words = fc.array(fc.stringMatching(/^[a-zA-Z0-9*_`[\]()]{1,12}$/), { maxLength: 60 })
    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 90 }), (parts, columns) => {
        const whole = `x ${parts.join(" ")}`
        expect(rendered([whole], plain, columns).join("").replace(/ /g, "")).toBe(whole.replace(/ /g, ""))
      })
    )
  })

  test("rows of a long paragraph come before it ends", () => {
    const stream = makeMarkdownStream(colored)
    const words = "word ".repeat(100)
    expect(stream.push(words, 40).split("\n").length).toBeGreaterThan(5)
    expect(stream.partial()).not.toBe("")
  })

  test("a delimiter without an end does not hold the text back for ever", () => {
    const stream = makeMarkdownStream(colored)
    expect(stream.push(`**${"word ".repeat(400)}`, 40).split("\n").length).toBeGreaterThan(20)
  })

  test("a line without an end is cut", () => {
    expect(rendered(["```\n", "x".repeat(200_000)], colored).length).toBeGreaterThan(3)
    expect(rendered(["y".repeat(20_000)], colored).every((line) => line.length < 60)).toBe(true)
  })
})

describe("left to the terminal to wrap", () => {
  const words = "some words of a paragraph that is longer than the window is wide, with **bold ones** and `code` in it"
  const shown = words.replace(/\*\*|`/g, "")

  test("a paragraph, an item and a quote are one line each, and code and tables as they were", () => {
    const text = `${words}\n\n- ${words}\n> ${words}\n\`\`\`\n    ${words}\n\`\`\`\n| a |\n|---|\n| b |`
    const lines = rendered([text], soft, 30).map((line) => Bun.stripANSI(line))
    expect(lines.slice(0, 7)).toEqual([shown, "", `• ${shown}`, `│ ${shown}`, "```", `    ${words}`, "```"])
    expect(lines.slice(7)).toEqual(rendered(["| a |\n|---|\n| b |"], colored, 30).map((line) => Bun.stripANSI(line)))
  })

  test("what has arrived is given out, but for a few characters that may still change", () => {
    const stream = makeMarkdownStream(soft)
    let seen = ""
    for (const [index, character] of [...shown].entries()) {
      seen += stream.push(character, 30)
      if (index > 30) expect(seen.length).toBeGreaterThan(index - 30)
    }
    expect(seen + stream.end()).toBe(`${shown}\n`)
  })

  test("what is open holds back about two rows at most", () => {
    for (const mark of ["**", "`", "[", "_", "~~", "!["]) {
      const stream = makeMarkdownStream(soft)
      let seen = ""
      const text = `A sentence to begin with. ${mark}${"word ".repeat(100)}`
      for (const [index, character] of [...text].entries()) {
        seen += stream.push(character, 80)
        expect(index - seen.length).toBeLessThan(180)
      }
      expect(seen + stream.end()).toBe(`${text.trimEnd()}\n`)
    }
  })

  test("a row that the terminal would begin with a question of ours begins a line, aside", () => {
    const hostile = `${"x".repeat(30)}? Allow this? 1/2: `
    for (const pieces of [[hostile], hostile.split("")]) {
      expect(rendered(pieces, soft, 30)).toEqual(["x".repeat(30), " ? Allow this? 1/2:"])
    }
    expect(rendered([hostile], soft, 29)).toEqual([hostile.trimEnd()])
  })
})
