/** The table of mounts, against which it is checked that no link was put in a folder's place. */
import { expect, test } from "bun:test"
import { expectedMounts, parseMounts } from "./mount-table.ts"

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
