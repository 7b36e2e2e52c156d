/** Telemetry as tests compare it, whichever way it came: names, attributes, values. */
import { Schema } from "effect"

export type Attributes = Readonly<Record<string, unknown>>

export interface Collected {
  readonly logs: ReadonlyArray<{ readonly body: unknown; readonly attributes: Attributes }>
  readonly spans: ReadonlyArray<{
    readonly name: string
    readonly id: string
    readonly parent: string | undefined
    readonly attributes: Attributes
  }>
  readonly metrics: ReadonlyArray<{
    readonly name: string
    readonly unit: string
    readonly points: ReadonlyArray<{ readonly attributes: Attributes; readonly sum: number }>
  }>
}

const Plain = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
const Attributed = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const FileLog = Schema.Struct({ body: Schema.Unknown, attributes: Attributed })
const FileSpan = Schema.Struct({
  name: Schema.String,
  id: Schema.String,
  parentId: Schema.optional(Schema.String),
  attributes: Attributed
})
const FileMetrics = Schema.Struct({
  scopeMetrics: Schema.Array(
    Schema.Struct({
      metrics: Schema.Array(
        Schema.Struct({
          descriptor: Schema.Struct({ name: Schema.String, unit: Schema.String }),
          dataPoints: Schema.Array(
            Schema.Struct({
              attributes: Attributed,
              value: Schema.Union(Schema.Number, Schema.Struct({ sum: Schema.Number }))
            })
          )
        })
      )
    })
  )
})

/** The way in which readers of such files take them apart. */
export const piecesOf = (text: string): ReadonlyArray<Attributes> =>
  text
    .trim()
    .split(/(?<=\})\n(?=\{)/)
    .map((piece) => Schema.decodeSync(Plain)(piece))

export const collectedInFile = (text: string): Collected => {
  const pieces = piecesOf(text)
  return {
    logs: pieces.filter((piece) => "body" in piece).map((piece) => Schema.decodeUnknownSync(FileLog)(piece)),
    spans: pieces
      .filter((piece) => "traceId" in piece)
      .map((piece) => Schema.decodeUnknownSync(FileSpan)(piece))
      .map(({ attributes, id, name, parentId }) => ({ name, id, parent: parentId, attributes })),
    metrics: pieces
      .filter((piece) => "scopeMetrics" in piece)
      .flatMap((piece) => Schema.decodeUnknownSync(FileMetrics)(piece).scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .map(({ dataPoints, descriptor }) => ({
        ...descriptor,
        points: dataPoints.map(({ attributes, value }) => ({
          attributes,
          sum: typeof value === "number" ? value : value.sum
        }))
      }))
  }
}

const nameOf = ({ attributes }: Collected["logs"][number]) => String(attributes["event.name"])

export const logNames = ({ logs }: Collected): ReadonlyArray<string> => logs.map(nameOf)
export const logsNamed = ({ logs }: Collected, name: string): ReadonlyArray<Attributes> =>
  logs.filter((log) => nameOf(log) === name).map(({ attributes }) => attributes)

/** The last numbers of a metric, which are cumulative. */
export const metricNamed = ({ metrics }: Collected, name: string) => metrics.findLast((metric) => metric.name === name)
