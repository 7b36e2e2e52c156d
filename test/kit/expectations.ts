/** What every failure owes to the person who reads it, in one place. */
import { expect } from "bun:test"
import { documentOf, errorCopyOf, type Json, resultOf } from "./documents.ts"
import type { RunResult } from "./run-gemini.ts"

/** A run in text format that failed: this code, nothing on stdout, one `error:` line that contains these words. */
export const expectFailure = (result: RunResult, exitCode: number, ...words: ReadonlyArray<string>): void => {
  const lines = result.stderr.split("\n").filter((line) => line.startsWith("error: "))
  expect({ exitCode: result.exitCode, errorLines: lines.length, stderr: result.stderr }).toMatchObject({
    exitCode,
    errorLines: 1
  })
  for (const word of words) expect(lines[0]).toContain(word)
  expectNoTrace(result)
}

/** A run in json format that failed: one document on stdout, the same on stderr, no second error line. */
export const expectFailureDocument = (result: RunResult, exitCode: number, expected: Json): Json => {
  expect({ exitCode: result.exitCode, stderr: result.stderr }).toMatchObject({ exitCode })
  const document = documentOf(result)
  expect(document).toMatchObject({ session_id: expect.stringMatching(/^[A-Za-z0-9_-]+$/), ...expected })
  expect(errorCopyOf(result)).toEqual(document)
  expect(result.stderr).not.toContain("error: ")
  expectNoTrace(result)
  return document
}

/** A run in stream-json format that failed: `init`, perhaps more, and one `result` with the error; no copy on stderr. */
export const expectFailureEvents = (result: RunResult, exitCode: number, expected: Json): Json => {
  expect({ exitCode: result.exitCode, stderr: result.stderr }).toMatchObject({ exitCode })
  const last = resultOf(result)
  expect(last).toMatchObject({ type: "result", status: "error", stats: expect.any(Object), ...expected })
  expect(result.stderr).not.toContain("{")
  expectNoTrace(result)
  return last
}

/** No stack, no printed object, no escape sequence: neither reader is a terminal. */
export const expectNoTrace = ({ stderr }: RunResult): void => {
  expect(stderr).not.toMatch(/^\s+at .+/m)
  expect(stderr).not.toContain("[object Object]")
  expect(stderr).not.toContain("\u001b")
}
