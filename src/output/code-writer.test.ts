import { expect, test } from "bun:test"
import { codeBlocks } from "./code-writer.ts"

test.each([
  ["none", "just text `x` and ``` in it", []],
  ["several", "a\n```ts\nlet x = 1\n```\nb\n~~~\ny\n~~~\n", ["let x = 1", "y"]],
  ["a longer fence holds a shorter one", "````md\n```js\nz\n```\n````", ["```js\nz\n```"]],
  ["not closed", "```\nrest\nof it", ["rest\nof it"]],
  ["indented, as in a list", "1. do\n   ```sh\n   ls\n     -l\n   ```", ["ls\n  -l"]],
  ["empty ones do not count", "```\n\n```\n```\nx\n```", ["x"]],
  ["another kind does not close", "```\n~~~\n```", ["~~~"]]
])("%s", (_, text, blocks) => {
  expect(codeBlocks(text)).toEqual(blocks)
})
