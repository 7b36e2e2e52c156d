import { describe, expect, test } from "bun:test"
import { actsInSed } from "./sed-script.ts"
import { literalWord, resolveWord } from "./word.ts"

const acts = (...args: ReadonlyArray<string>) => actsInSed(args.map(literalWord))

describe("scripts that run commands or write files", () => {
  test.each([
    ["e"],
    ["1e touch x"],
    ["w out"],
    ["$!W out"],
    ["s/a/b/e"],
    ["s/a/b/gw out"],
    ["s,a,b,2e"],
    ["/x/{s/a/b/;e touch x\n}"],
    ["y/a/b/;e"],
    ["b end;e"],
    ["a\\\ntext\ne"],
    ["\\,x,e"],
    ["s/a"],
    ["?"]
  ])("%p", (script) =>
    expect([acts(script), acts("-n", "-e", script), acts(`--expression=${script}`)]).toEqual([true, true, true])
  )

  test("a computed script, or one from standard input, is not known", () => {
    expect(actsInSed([resolveWord('"$x"')])).toBe(true)
    expect(acts("-f", "-")).toBe(true)
  })
})

describe("scripts that only print", () => {
  test.each([
    ["5p"],
    ["1,20p"],
    ["$d"],
    ["/we/d"],
    ["s/we/ew/g"],
    ["s|a/b|c|;s#x#y#I"],
    ["/a/,/b/{ s/c/d/; p }"],
    ["1~2d;$!N"],
    ["a we write"],
    ["i\\\nwe\\\nwrite"],
    [":a;N;$!ba;s/\\n/ /g"],
    ["s/\\/e/x/"],
    ["# e"]
  ])("%p", (script) => expect([acts(script), acts("-E", "-e", script)]).toEqual([false, false]))

  test("a script in a file is a program like any other", () => expect(acts("-f", "a.sed", "e")).toBe(false))
})
