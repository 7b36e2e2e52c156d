import { expect, test } from "bun:test"
import { otlpHeaders } from "./otlp-headers.ts"

test.each([
  [undefined, []],
  ["", []],
  ["api-key=abc", [["api-key", "abc"]]],
  [
    "Authorization=Basic%20eDp5, x-team = a=b ",
    [
      ["authorization", "Basic eDp5"],
      ["x-team", "a=b"]
    ]
  ],
  ["no value,=none,a%zz=b%zz", [["a%zz", "b%zz"]]],
  ["two words=x,line%0Abreak=y", []]
])("%j", (text, headers) => {
  expect(otlpHeaders({ OTEL_EXPORTER_OTLP_HEADERS: text })).toEqual(headers as never)
})
