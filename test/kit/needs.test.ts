import { expect, test } from "bun:test"
import { join } from "node:path"

test("a test whose program is missing is left out by its name, and fails where nothing may be left out", async () => {
  const file = join(import.meta.dir, "fixtures/needs-nothing-there.ts")
  const ran = async (skipsNothing: string) => {
    const child = Bun.spawn([process.execPath, "test", file], {
      env: { ...process.env, GEMINI_TESTS_SKIP_NOTHING: skipsNothing },
      stdout: "ignore",
      stderr: "pipe"
    })
    return [await new Response(child.stderr).text(), await child.exited] as const
  }
  const [left, code] = await ran("")
  expect([code, left]).toEqual([0, expect.stringContaining("(skip) uses what nobody has")])
  expect((await ran("1"))[1]).toBe(1)
})
