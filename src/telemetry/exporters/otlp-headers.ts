/** `OTEL_EXPORTER_OTLP_HEADERS`: what a collector wants to see, such as a key; `name=value`, separated by commas. Pure. */
import type { ExporterVariables } from "./post-json.ts"

export const otlpHeaders = (variables: ExporterVariables): ReadonlyArray<readonly [name: string, value: string]> =>
  (variables.OTEL_EXPORTER_OTLP_HEADERS ?? "").split(",").flatMap((pair) => {
    const at = pair.indexOf("=")
    const name = decoded(pair.slice(0, at))
    return at > 0 && /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? [[name.toLowerCase(), decoded(pair.slice(at + 1))]] : []
  })

/** What is not written as it should be is taken as it stands. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return text.trim()
  }
}
