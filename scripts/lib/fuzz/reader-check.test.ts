import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Chance } from "./chance.ts"
import { canContain } from "./contained.ts"
import { checkReading, readerLine } from "./reader-check.ts"
import { type Dialect, RecordingShell } from "./recording-shell.ts"

let scratch: string
let shell: RecordingShell
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "reader-check-"))
  shell = new RecordingShell(scratch)
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const made = (seed: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => readerLine(new Chance(seed, index)))

const misreadIn = async (lines: ReadonlyArray<string>, dialect: Dialect) =>
  (await checkReading(lines, dialect, shell)).misreadings.map(({ line, what }) => ({ line, what }))

describe.skipIf(!canContain())("what is read as plain", () => {
  test("is called as bash calls it", async () => {
    expect(await misreadIn(made(1, 4000), "bash")).toEqual([])
  }, 120_000)

  test("is called as sh calls it", async () => {
    expect(await misreadIn(made(2, 2000), "sh")).toEqual([])
  }, 120_000)

  test("is compared at all", async () => {
    const { plain } = await checkReading(made(3, 300), "bash", shell)
    expect(plain).toBeGreaterThan(60)
  })

  test("is not what was once misread", async () => {
    const lines = [
      ...["sed -n 100>/dev/null 'w x'", "sed -n 007>/dev/null x", "sed {x}>/dev/null y", "cat >&-x a", "time -- ls"],
      ...[
        "cat ~_apt/x",
        "for x in $(touch a); do ls; done",
        "grep *",
        "ls ?",
        'grep -"$(cat a.txt)" b',
        "cd $IFS ~; ls"
      ],
      ...["find . -name $(pwd >/dev/null) -name -delete", "cd 'b -delete' && find . -path $(pwd)", "> -delete; find *"],
      ...[
        "echo `ls`",
        "echo `ls` b `pwd`",
        'echo "`ls a`"',
        "echo `#a\nls`",
        "command cd $IFS ~; ls",
        "ls ##a",
        "<<<\\E\n$x\nE\n pwd",
        "cat <<< E\nls\nE",
        ". 'sp ace'",
        "ls >#a"
      ]
    ]
    expect(await misreadIn(lines, "bash")).toEqual([])
    expect(
      await misreadIn(["git 00>/dev/null", "ls 10>/dev/null a", "echo `ls`", "git {a,b}", "ls x{a,b}y"], "sh")
    ).toEqual([])
  })
})
