/** The tables of the program, from which its documentation is made, against what readers of telemetry count on. */
import { expect, test } from "bun:test"
import { COMMON_ATTRIBUTES, logEvents } from "../src/telemetry/event-table.ts"
import { counters, histograms } from "../src/telemetry/metric-table.ts"
import { SPAN_NAMES } from "../src/telemetry/span-table.ts"
import { COMMON, COUNTERS, EVENTS, HISTOGRAMS, LEFT_OUT_EVENTS, SPANS, wordsOf } from "./kit/telemetry-contract.ts"

const sorted = (names: ReadonlyArray<string>) => [...names].toSorted()

test("events and their attributes", () => {
  const listed = Object.fromEntries(
    Object.entries(logEvents).map(([name, { attributes, texts = [] }]) => [
      name,
      { attributes: sorted(attributes), texts: sorted(texts) }
    ])
  )
  const wanted = Object.fromEntries(
    Object.entries(EVENTS).map(([name, { attributes, texts = "" }]) => [
      name,
      {
        // How a run authenticates stands on every record already.
        attributes: sorted(wordsOf(attributes).filter((attribute) => attribute !== "auth_type")),
        texts: sorted(wordsOf(texts))
      }
    ])
  )
  expect(listed).toEqual(wanted)
  expect(sorted(COMMON_ATTRIBUTES)).toEqual(sorted(wordsOf(COMMON)))
})

test("what is left out is named in the documentation", async () => {
  const page = await Bun.file(`${import.meta.dir}/../docs/telemetry.md`).text()
  expect(LEFT_OUT_EVENTS.filter((name) => name in logEvents)).toEqual([])
  expect(LEFT_OUT_EVENTS.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test("counters", () => {
  const listed = Object.entries(counters).map(([name, { attributes }]) => [name, sorted(attributes)])
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(Object.entries(COUNTERS).map(([name, attributes]) => [name, sorted(wordsOf(attributes))]))
  )
})

test("histograms and their units", () => {
  const listed = Object.entries(histograms).map(([name, { attributes, unit }]) => [name, [unit, sorted(attributes)]])
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(
      Object.entries(HISTOGRAMS).map(([name, [unit, attributes]]) => [name, [unit, sorted(wordsOf(attributes))]])
    )
  )
})

test("spans", () => {
  expect(sorted(SPAN_NAMES)).toEqual(sorted(SPANS))
})
