import { expect, test } from "bun:test"
import { serverView } from "../../test/kit/server-view.ts"
import { findResource, resourceText } from "./resource.ts"

const server = (name: string, ...uris: ReadonlyArray<string>) =>
  serverView(name, {
    resources: uris.map((uri) => ({ server: name, uri, name: uri, description: "", mimeType: undefined }))
  })
const servers = [server("a", "file:///x", "b:doc"), server("b", "doc", "file:///x")]

test.each<[string, [string, string] | undefined]>([
  ["file:///x", ["a", "file:///x"]],
  ["b:file:///x", ["b", "file:///x"]],
  ["b:doc", ["b", "doc"]],
  ["doc", ["b", "doc"]],
  ["c:doc", undefined]
])("%s", (named, expected) => {
  const found = findResource(servers, named)
  expect(found === undefined ? undefined : [found.server, found.uri]).toEqual(expected)
})

test("texts are joined, bytes are named", () => {
  expect(resourceText({ contents: [{ text: "a" }, { blob: "AA==", mimeType: "image/png" }, { blob: "AA==" }] })).toBe(
    "a\n[Binary Data (image/png)]\n[Binary Data (application/octet-stream)]"
  )
  expect(resourceText({})).toContain("cannot be read")
})
