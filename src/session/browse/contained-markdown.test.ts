import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { containedMarkdown, fencedCode } from "./contained-markdown.ts"

describe("text in a document", () => {
  test.each([
    [
      "plain words, *emphasis*, `code` and [links](https://x)",
      "plain words, *emphasis*, `code` and [links](https://x)"
    ],
    ["- a\n- b\n\n1. c", "- a\n- b\n\n1. c"],
    ["# Title\n## USER\n###### low", "#### Title\n##### USER\n###### low"],
    ["> ## MODEL", "> ##### MODEL"],
    ["- # USER", "- #### USER"],
    ["#hashtag", "#hashtag"],
    ["a\n---\nb\n***", "a\n\\-\\-\\-\nb\n\\*\\*\\*"],
    ["USER\n====", "USER\n\\=\\=\\=\\="],
    ["<h2>USER</h2> a < b", "&lt;h2>USER&lt;/h2> a &lt; b"],
    ["`<h2>` and \\<h2>", "`<h2>` and &lt;h2>"],
    ["open ` tick <b>\nnext ` <h2> ` x", "open \\` tick &lt;b>\nnext ` <h2> ` x"],
    ["![pixel](https://x/y)", "\\![pixel](https://x/y)"],
    ["```ts\nconst a = '<b>'\n```", "```ts\nconst a = '<b>'\n```"],
    ["  ~~~ js bad\n````\n<h2>\n  ~~~\nend", "`````js\n````\n<h2>\n`````\nend"],
    ["```\nnever closed\n## USER", "```\nnever closed\n## USER\n```"],
    ["- ```\n<h2>\n- ~~~", "- \\`\\`\\`\n&lt;h2>\n- \\~\\~\\~"],
    ["&lt;b&gt; AT&T", "&amp;lt;b&amp;gt; AT&T"]
  ])("%j is written %j", (text, written) => expect(containedMarkdown(text)).toBe(written))

  test("code is written so that nothing in it ends it", () =>
    expect(fencedCode("json", "a\n```\n````b")).toBe("`````json\na\n```\n````b\n`````"))

  test("a line without an end takes no longer than it is long", () =>
    expect(containedMarkdown("` `` ".repeat(200_000))).toStartWith("```\n` `` "))

  const piece = fc.oneof(
    fc.constantFrom(
      "## USER",
      "# x",
      "\n",
      "\n\n",
      "---",
      "===",
      "***",
      "- ",
      "> ",
      "1. ",
      "    ",
      "  ",
      "```",
      "~~~",
      "````js",
      "`",
      "``",
      "<h2>USER</h2>",
      "<script>x</script>",
      "<!-- ",
      " -->",
      "</blockquote>",
      "<img src=x>",
      "![p](https://x/y)",
      "\\",
      "&lt;h2&gt;",
      "[a]: <b>",
      "|a|b|\n|-|-|\n",
      "\t",
      "\r",
      "words "
    ),
    fc.string({ maxLength: 3 })
  )
  const hostile = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""))

  test("has no heading of ours, no rule, no HTML and no picture, for whoever shows it", () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const html = Bun.markdown.html(
          `## USER\n\n${containedMarkdown(one)}\n\n---\n\n## MODEL\n\n${containedMarkdown(other)}\n`
        )
        expect(html.match(/<h2[ >]/g)).toHaveLength(2)
        expect(html.match(/<hr/g)).toHaveLength(1)
        expect(html).not.toMatch(/<h[13][ >]|<script|<img|<!--/)
      }),
      { numRuns: 3_000 }
    )
  })
})
