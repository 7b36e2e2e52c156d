/** From the value of `--output-schema` to the contract: read, parsed and compiled before anything is sent. */

import { resolve } from "node:path"
import { Effect, Either, Option, Predicate, Schema } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import type { OutputContract } from "./output-contract.ts"
import { BadOutputSchema } from "./schema-error.ts"

const MAX_BYTES = 1024 * 1024

/** `given`: a path, or the schema itself where it begins with a brace. */
export const loadContract = Effect.fn("OutputContract.load")(function* (given: string, cwd: string) {
  const { source, text } = yield* read(given, cwd)
  const schema = Option.getOrUndefined(parseJson(text))
  if (!Predicate.isRecord(schema)) {
    return yield* new BadOutputSchema({ source, detail: `is not a JSON object${yield* placeOfFault(text)}` })
  }
  const { compileCheck } = yield* lazy(() => import("../../tools/json-schema-check.live.ts"))
  const check = compileCheck(schema, "answer")
  if (Either.isLeft(check)) {
    return yield* new BadOutputSchema({ source, detail: `is not a usable JSON Schema: ${check.left}` })
  }
  return {
    schema: JSON.stringify(schema),
    instruction: instructionFor(schema),
    faultOf: check.right
  } satisfies OutputContract
})

/** Empty where the text is JSON, but no object. */
const placeOfFault = Effect.fnUntraced(function* (text: string) {
  const { parseJsonc } = yield* lazy(() => import("../../config/jsonc-node.ts"))
  const parsed = parseJsonc(text)
  const [first] = parsed.kind === "broken" ? parsed.faults : []
  return first === undefined ? "" : `: line ${first.line}, column ${first.column}: ${first.message}`
})

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

const read = (
  given: string,
  cwd: string
): Effect.Effect<{ readonly source: string; readonly text: string }, BadOutputSchema> => {
  if (given.trim() === "") return new BadOutputSchema({ source: "the value", detail: "is empty" })
  if (given.trimStart().startsWith("{")) return Effect.succeed({ source: "the given text", text: given })
  const file = resolve(cwd, given)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "text") return Effect.succeed({ source: file, text: content.text })
  return new BadOutputSchema({
    source: file,
    detail: content.kind === "missing" ? "does not exist" : content.reason
  })
}

const instructionFor = (schema: Readonly<Record<string, unknown>>): string =>
  [
    "# Form of the final answer",
    "Use tools as you need them. When you are done, your last message must be one JSON value that fits the JSON Schema below: no prose before or after it, no code fence.",
    JSON.stringify(schema)
  ].join("\n")
