import { expect, test } from "bun:test"
import { readPrompts, readResources, readTools } from "./listing.ts"

const named = (listed: ReadonlyArray<unknown>, filter = {}) =>
  readTools("s", listed, filter).entries.map(({ name }) => name)

test.each<[object, Array<string>]>([
  [{}, ["a", "b", "c"]],
  [{ includeTools: ["a", "b(x)"] }, ["a", "b"]],
  [{ includeTools: [] }, []],
  [{ excludeTools: ["a"] }, ["b", "c"]],
  [{ includeTools: ["a", "b"], excludeTools: ["a"] }, ["b"]]
])("%j leaves %j", (filter, names) =>
  expect(named([{ name: "a" }, { name: "b" }, { name: "c" }], filter)).toEqual(names)
)

test("a tool without a schema takes no arguments", () => {
  expect(readTools("s", [{ name: "a", description: null }], {}).entries).toEqual([
    { server: "s", name: "a", description: "", inputSchema: { type: "object", properties: {} }, annotations: {} }
  ])
})

test("a schema of five megabytes drops its tool alone, with the reason", () => {
  const huge = { name: "huge", inputSchema: { type: "object", description: "x".repeat(5_000_000) } }
  const { entries, leftOut } = readTools("s", [huge, { name: "small" }], {})
  expect(entries.map(({ name }) => name)).toEqual(["small"])
  expect(leftOut).toEqual([{ name: "huge", because: expect.stringContaining("more than the 262144") }])
})

test("descriptions are cut and cleaned", () => {
  const [tool] = readTools("s", [{ name: "a", description: `red\u001b[31m\u0007${"x".repeat(20_000)}` }], {}).entries
  expect(tool?.description).toStartWith("red[31mxxx")
  expect(tool?.description).toEndWith("... [4007 characters cut]")
})

test("entries of a strange form are left out, the others stay", () => {
  expect(readTools("s", [7, null, { name: 5 }, { name: " " }, { name: "ok" }], {}).entries).toHaveLength(1)
  expect(readPrompts("s", [{ name: "p", arguments: [{ name: "x", required: true }] }, {}]).entries).toEqual([
    { server: "s", name: "p", description: "", arguments: [{ name: "x", description: "", required: true }] }
  ])
  expect(readResources("s", [{ uri: "a://b", name: "B" }, { name: "no uri" }]).entries).toEqual([
    { server: "s", uri: "a://b", name: "B", description: "", mimeType: undefined }
  ])
})
