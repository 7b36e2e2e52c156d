import { expect, test } from "bun:test"
import { serverView } from "../../../test/kit/server-view.ts"
import { resourcesLike } from "./resources.ts"

const resource = (server: string, uri: string) => ({
  server,
  uri,
  name: `the ${uri}`,
  description: "",
  mimeType: undefined
})

const view = (name: string, ...uris: ReadonlyArray<string>) =>
  serverView(name, { resources: uris.map((uri) => resource(name, uri)) })

const servers = [view("docs", "file:///a b.md", "file:///c.md"), view("db", "table://users")]

test.each<[string, ReadonlyArray<string>]>([
  ["do", ["docs:file:///a\\ b.md", "docs:file:///c.md"]],
  ["d", ["docs:file:///a\\ b.md", "docs:file:///c.md", "db:table://users"]],
  ["docs:file:///c", ["docs:file:///c.md"]],
  ["users", ["db:table://users"]],
  ["nothing", []]
])("%p could be %p", (typed, expected) => {
  expect(resourcesLike(typed, servers).map(({ value }) => value)).toEqual([...expected])
})
