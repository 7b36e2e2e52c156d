/** What a script would do with our output: parse it, and fail when there is more or less than it was promised. */
import { Schema } from "effect"
import { checkedDocument, checkedLines } from "./output-contract.ts"
import type { RunResult } from "./run-gemini.ts"

const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const decodeObject = Schema.decodeUnknownSync(Schema.parseJson(JsonObject))

export type Json = typeof JsonObject.Type

/** Standard output as exactly one JSON document that ends in a newline. */
export const documentOf = (result: RunResult): Json => {
  if (!result.stdout.endsWith("}\n")) throw new Error(`stdout is not one document: ${describe(result)}`)
  checkedDocument(result.stdout)
  return decodeObject(result.stdout)
}

/** The copy of a failure document on standard error: the only text in braces there. */
export const errorCopyOf = (result: RunResult): Json => {
  const from = result.stderr.indexOf("{")
  const to = result.stderr.lastIndexOf("}")
  if (from < 0) throw new Error(`stderr holds no document: ${describe(result)}`)
  return decodeObject(result.stderr.slice(from, to + 1))
}

/** Standard output as JSON Lines: `init` first, one `result` at the end. */
export const eventsOf = (result: RunResult): ReadonlyArray<Json> => {
  if (!result.stdout.endsWith("\n")) throw new Error(`the last line is not complete: ${describe(result)}`)
  const events = result.stdout
    .trimEnd()
    .split("\n")
    .map((line) => decodeObject(line))
  checkedLines(result.stdout)
  const results = events.filter((event) => event.type === "result")
  if (events[0]?.type !== "init") throw new Error(`the first event is not init: ${describe(result)}`)
  if (results.length !== 1 || events.at(-1)?.type !== "result") throw new Error(`not one result: ${describe(result)}`)
  return events
}

export const resultOf = (result: RunResult): Json => {
  const last = eventsOf(result).at(-1)
  if (last === undefined) throw new Error(`no result: ${describe(result)}`)
  return last
}

const describe = ({ exitCode, stderr, stdout }: RunResult): string =>
  JSON.stringify({ exitCode, stdout: stdout.slice(0, 2000), stderr: stderr.slice(0, 2000) }, null, 2)
