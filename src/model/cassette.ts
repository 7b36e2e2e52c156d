/**
 * Recorded model traffic: one JSON object a line, `{method, response}`, in the order of the calls. The format of
 * `--fake-responses` and `--record-responses`, and of the demo.
 */
import { Either, ParseResult, Schema } from "effect"
import { isJson } from "./decode-chunk.ts"
import { ModelChunk } from "./model-client.ts"

export type CassetteMethod = "generateContentStream" | "generateContent" | "countTokens" | "embedContent"

/** The file cannot be used: exit code 42. */
export class CassetteError extends Schema.TaggedError<CassetteError>()("CassetteError", {
  file: Schema.String,
  /** Counted from 1. Not `line`: the runtime gives every error a property of that name. */
  lineNumber: Schema.optional(Schema.Int),
  detail: Schema.String
}) {
  override get message() {
    return `${this.file}${this.lineNumber === undefined ? "" : `:${this.lineNumber}`}: ${this.detail}`
  }
}

const recorded = <M extends CassetteMethod, A, I>(method: M, response: Schema.Schema<A, I>) =>
  Schema.Struct({ method: Schema.Literal(method), response })

export const CassetteLine = Schema.Union(
  recorded("generateContentStream", Schema.Array(ModelChunk)),
  recorded("generateContent", ModelChunk),
  recorded("countTokens", Schema.Struct({ totalTokens: Schema.Number })),
  recorded(
    "embedContent",
    Schema.Struct({
      embeddings: Schema.Array(
        Schema.Struct({ values: Schema.optionalWith(Schema.Array(Schema.Number), { default: () => [] }) })
      )
    })
  )
)
export type CassetteLine = typeof CassetteLine.Type

/** Blank lines are skipped; an empty file is a cassette without answers. */
export const parseCassette = (
  file: string,
  text: string
): Either.Either<ReadonlyArray<CassetteLine>, CassetteError> => {
  const decode = Schema.decodeUnknownEither(Schema.parseJson(CassetteLine), { onExcessProperty: "preserve" })
  const lines: Array<CassetteLine> = []
  for (const [index, line] of text
    .replace(/^\ufeff/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue
    const decoded = decode(line)
    if (Either.isLeft(decoded)) {
      return Either.left(new CassetteError({ file, lineNumber: index + 1, detail: explain(line, decoded.left) }))
    }
    lines.push(decoded.right)
  }
  return Either.right(lines)
}

export const renderLine = (line: CassetteLine): string =>
  `${JSON.stringify(Schema.encodeSync(CassetteLine, { onExcessProperty: "preserve" })(line))}\n`

const explain = (line: string, error: ParseResult.ParseError): string => {
  if (!isJson(line)) return "not JSON"
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.map(String).join(".")}: `
  return `not a recorded response: ${where}${issue?.message.split("\n")[0] ?? "unreadable"}`
}
