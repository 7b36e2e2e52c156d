import { describe, expect, test } from "bun:test"
import { Either } from "effect"
import { FAILURE_HELP } from "../protocol/failure-help.ts"
import { readCommandLine } from "./command-line.ts"
import { subcommands, topics } from "./generated/subcommands.ts"
import { pageOf } from "./manual.ts"

const AROUND = {
  env: {},
  stdinIsTerminal: true,
  stdoutIsTerminal: true,
  stderrIsTerminal: true,
  platform: "linux"
} as const

describe.each(Object.entries(FAILURE_HELP))("the failure %s", (code, { todo, why }) => {
  test("has a short code, and no other page has its name", () => {
    expect(code).toMatch(/^[a-z]+(?:-[a-z]+){0,2}$/)
    expect(code.length).toBeLessThanOrEqual(18)
    expect([...topics, ...subcommands.flatMap(({ aliases, name }) => [name, ...aliases])]).not.toContain(code)
    expect(readCommandLine(["help", code], AROUND)).toEqual(Either.right({ _tag: "Manual", topic: code }))
  })

  test("has its paragraph in the program", () => {
    expect(pageOf(code)).toBe(`${[code, why, ...todo].join("\n\n")}\n`)
  })

  test("advises commands that there are", () => {
    for (const [, line = ""] of [why, ...todo].join("\n").matchAll(/`gemini ([^`]*)`/g)) {
      const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""))
      const argv = words.filter((word) => word !== "COMMAND")
      expect([line, Either.isRight(readCommandLine(argv, AROUND))]).toEqual([line, true])
    }
  })
})
