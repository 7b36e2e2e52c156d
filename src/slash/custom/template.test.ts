import { describe, expect, test } from "bun:test"
import { Either, FastCheck } from "effect"
import { commandWith, parseTemplate, takesArguments } from "./template.ts"

const shown = (prompt: string): string =>
  Either.match(parseTemplate(prompt), {
    onLeft: (fault) => `fault: ${fault}`,
    onRight: (pieces) =>
      pieces
        .map((piece) => {
          if (piece._tag === "Text") return piece.text
          if (piece._tag === "Arguments") return "<args>"
          return piece._tag === "File" ? `<file ${piece.path}>` : `<run ${piece.command}>`
        })
        .join("|")
  })

describe("pieces of a prompt", () => {
  test.each([
    ["plain", "plain"],
    ["fix {{args}} now", "fix |<args>| now"],
    ["see @{docs/a b.md}!", "see |<file docs/a b.md>|!"],
    ["!{git diff}", "<run git diff>"],
    ["!{ awk '{print $1}' x }", "<run awk '{print $1}' x>"],
    ["!{grep {{args}} .}", "<run grep {{args}} .>"],
    ["!{}@{}", ""],
    ["a { b } c", "a { b } c"],
    ["!{cat @{x}}", "<run cat @{x}>"],
    ["one\ntwo !{open", "fault: !{ on line 2 of the prompt has no closing brace"],
    ["@{a{b}", "fault: @{ on line 1 of the prompt has no closing brace"]
  ])("%p", (prompt, expected) => {
    expect(shown(prompt)).toBe(expected)
  })

  test("a prompt with arguments anywhere takes them", () => {
    const takes = (prompt: string) => takesArguments(Either.getOrThrow(parseTemplate(prompt)))
    expect(["{{args}}", "!{x {{args}}}", "@{{{args}}}", "!{x} @{y}"].map(takes)).toEqual([true, true, true, false])
  })
})

test("whatever the arguments are, the shell sees one word", async () => {
  const sample = FastCheck.sample(
    FastCheck.string({ minLength: 1 }).filter((text) => !text.includes("\0")),
    20
  )
  for (const args of [...sample, "it's", "'; rm -rf /; '", "$(x) `y` $HOME", "a\nb", "-n", "\\"]) {
    const command = commandWith("printf '%s' {{args}}", new Map([["args", args]]), "linux")
    const child = Bun.spawn(["bash", "-c", command], { stdout: "pipe" })
    expect(await new Response(child.stdout).text()).toBe(args)
  }
  expect(commandWith("ls {{args}}", new Map([["args", ""]]), "linux")).toBe("ls ")
  expect(commandWith("ls {{args}}", new Map([["args", "it's"]]), "win32")).toBe("ls 'it''s'")
})
