/** The table of mounts, against which it is checked that no link was put in a folder's place. */
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CHECK_AND_RUN, expectedMounts, parseMounts, SWAPPED } from "./mount-table.ts"

const OUTSIDE = parseMounts(
  [
    "21 1 254:0 / / rw - ext4 /dev/vda rw",
    "22 21 0:30 /@home /home rw - btrfs /dev/sda rw",
    "23 22 8:1 / /home/u/w\\040x rw - ext4 /dev/sdb rw",
    "24 21 0:31 / /tmp rw - tmpfs tmpfs rw"
  ].join("\n")
)

test.each([
  ["/work/a", "254:0 /work/a /work/a"],
  ["/home/u/p/.git", "0:30 /@home/u/p/.git /home/u/p/.git"],
  ["/home/u/w x/.env", "8:1 /.env /home/u/w\\040x/.env"],
  ["/home/u/w x", "8:1 / /home/u/w\\040x"],
  ["/home/u/w xy", "0:30 /@home/u/w\\040xy /home/u/w\\040xy"],
  ["/tmp/new\nline", "0:31 /new\\012line /tmp/new\\012line"]
])("%p is expected as %p", (path, line) => {
  expect(expectedMounts([{ source: path, point: path }], OUTSIDE)).toEqual([line])
})

test("what is missing keeps the command from running, in a shell as here", () => {
  const table = "1 2 254:0 /a /a ro\n3 4 254:0 /a*b /a*b ro\n"
  const folder = mkdtempSync(join(tmpdir(), "mounts-"))
  // The table of this test is what the reader prints.
  writeFileSync(join(folder, "cat"), `#!/bin/sh\nprintf '%s' '${table}'\n`, { mode: 0o755 })
  const shell = (...expected: ReadonlyArray<string>) => {
    const argv = ["/bin/sh", "-c", CHECK_AND_RUN, "sh", join(folder, "cat"), `${expected.length}`, ...expected]
    const { exitCode, stderr, stdout } = Bun.spawnSync([...argv, "echo", "a  b", "*"])
    return [String(stdout), String(stderr), exitCode]
  }
  for (const expected of [[], ["254:0 /a /a"], ["254:0 /a*b /a*b", "254:0 /a /a"]]) {
    expect(shell(...expected)).toEqual(["a  b *\n", "", 0])
  }
  for (const expected of [["254:0 /b /b"], ["254:0 /a /a", "254:0 /other /a"], ["254:0 /a* /a*"]]) {
    expect(shell(...expected)).toEqual(["", `${SWAPPED}\n`, 44])
  }
  rmSync(folder, { recursive: true })
})
