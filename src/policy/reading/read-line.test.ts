/** Which lines are read at all, before anything is judged. */
import { expect, test } from "bun:test"
import { plainContext } from "../test-context.ts"
import { readingPlace, readLine } from "./read-line.ts"

const read = (text: string, dialect: "bash" | "sh" | "powershell") =>
  readLine(text, readingPlace("/work", plainContext, { variables: { PATH: "/usr/bin:/bin" }, dialect }))._tag

test("nothing is understood of PowerShell, whose quotes are letters to bash", () => {
  const lines = ["echo hi", "echo '\u2019; calc; \u2019'", "ls"]
  expect(lines.map((line) => read(line, "bash"))).toEqual(lines.map(() => "Understood"))
  expect(lines.map((line) => read(line, "powershell"))).toEqual(lines.map(() => "NotPlain"))
})

test("a very long line is not read", () => {
  expect(read(`echo ${"a".repeat(20_000)}`, "bash")).toBe("NotPlain")
})
