/** Collected metrics as time series of Cloud Monitoring. */
import type { ValueType } from "@opentelemetry/api"
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics"
import { isoTime } from "./google-cloud-time.ts"

const PREFIX = "custom.googleapis.com/gemini_cli"

export const timeSeries = ({ scopeMetrics }: ResourceMetrics) =>
  scopeMetrics
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ dataPoints, descriptor }) =>
      dataPoints.map(({ attributes, endTime, startTime, value: point }) => ({
        metric: {
          type: `${PREFIX}/${descriptor.name}`,
          labels: Object.fromEntries(
            Object.entries(attributes).map(([name, label]) => [name.replaceAll(/\W/g, "_"), String(label)])
          )
        },
        resource: { type: "global", labels: {} },
        metricKind: "CUMULATIVE",
        ...typed(point, descriptor.valueType, (value) => [
          { interval: { startTime: isoTime(startTime), endTime: isoTime(endTime) }, value }
        ])
      }))
    )

/** `ValueType.INT`: only the exporters that need the vendor's code load it. */
const WHOLE: ValueType.INT = 0

/** The kind of a value is named beside it, and decides under which name it stands. */
const typed = (point: number | Counted, type: ValueType, points: (value: object) => ReadonlyArray<object>) => {
  if (typeof point !== "number") {
    return { valueType: "DISTRIBUTION", points: points({ distributionValue: distribution(point) }) }
  }
  return type === WHOLE
    ? { valueType: "INT64", points: points({ int64Value: String(point) }) }
    : { valueType: "DOUBLE", points: points({ doubleValue: point }) }
}

/** What is common to the histograms of the SDK. Those with exponential buckets are not made here. */
type Counted = Extract<
  ResourceMetrics["scopeMetrics"][number]["metrics"][number]["dataPoints"][number]["value"],
  { readonly count: number }
>

const distribution = (value: Counted) => ({
  count: String(value.count),
  mean: value.count === 0 ? 0 : (value.sum ?? 0) / value.count,
  sumOfSquaredDeviation: 0,
  ...("buckets" in value
    ? {
        bucketOptions: { explicitBuckets: { bounds: value.buckets.boundaries } },
        bucketCounts: value.buckets.counts.map(String)
      }
    : {})
})
