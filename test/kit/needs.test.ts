import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const USES_WHAT_NOBODY_HAS = `import { expect } from "bun:test"
import { testWith } from "${import.meta.dir}/needs.ts"
testWith("no-such-program")("uses what nobody has", () => expect(Bun.which("no-such-program")).not.toBeNull())
`

test("a test whose program is missing is left out by its name, and fails where nothing may be left out", async () => {
  const folder = mkdtempSync(join(tmpdir(), "needs-"))
  const file = join(folder, "left-out.test.ts")
  writeFileSync(file, USES_WHAT_NOBODY_HAS)
  const ran = async (skipsNothing: string) => {
    const child = Bun.spawn([process.execPath, "test", file], {
      cwd: folder,
      env: { ...process.env, GEMINI_TESTS_SKIP_NOTHING: skipsNothing },
      stdout: "ignore",
      stderr: "pipe"
    })
    return [await new Response(child.stderr).text(), await child.exited] as const
  }
  const [left, code] = await ran("")
  expect([code, left]).toEqual([0, expect.stringContaining("(skip) uses what nobody has")])
  expect((await ran("1"))[1]).toBe(1)
  rmSync(folder, { recursive: true })
})
