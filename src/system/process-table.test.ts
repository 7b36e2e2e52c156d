/** Which processes count as part of a command. */
import { expect, test } from "bun:test"
import { isAlive, type ProcessRow, parseStat, rowOf, selectMembers } from "./process-table.ts"

const row = (pid: number, parent: number, group: number, session: number): ProcessRow => ({
  pid,
  parent,
  group,
  session,
  startedAt: 1
})

test("group, session, descendants and marked processes, and nothing else", () => {
  const rows = [
    row(1, 0, 1, 1),
    row(10, 1, 10, 10),
    row(11, 10, 10, 10),
    row(12, 11, 12, 12),
    row(13, 12, 13, 13),
    row(20, 1, 20, 10),
    row(30, 1, 30, 30),
    row(40, 1, 40, 40)
  ]
  const found = selectMembers(rows, 10, (candidate) => candidate.pid === 30)
  expect(found.map((member) => member.pid).sort()).toEqual([10, 11, 12, 13, 20, 30])
})

test("descendants are found although their root is gone", () => {
  expect(selectMembers([row(11, 1, 10, 10), row(12, 11, 12, 12)], 10, () => false).map((member) => member.pid)).toEqual(
    [11, 12]
  )
})

test("a program's name cannot confuse the table", () => {
  const rest = "7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 1000 2"
  expect(parseStat(5, `5 (a) Z 1 (b) S ${rest}`)).toEqual({ pid: 5, parent: 7, group: 8, session: 9, startedAt: 4242 })
  expect(parseStat(5, `5 (gone) Z ${rest}`)).toBeUndefined()
})

test("a later process with the same number is another process", () => {
  const self = rowOf(process.pid)
  expect(self).toBeDefined()
  if (self === undefined) return
  expect(isAlive(self)).toBe(true)
  expect(isAlive({ ...self, startedAt: self.startedAt - 1 })).toBe(process.platform !== "linux")
})
