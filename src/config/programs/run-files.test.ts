/** What a hook runs, and what it only reads or writes. */
import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { runFiles } from "./run-files.ts"

describe("files that a command runs", () => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "run-files-")))
  mkdirSync(join(project, "my hooks"))
  for (const name of ["a.sh", "b.py", "my hooks/c.sh", "data.json", "log.txt", "tool"]) {
    writeFileSync(join(project, name), "")
  }
  chmodSync(join(project, "tool"), 0o755)

  test.each<readonly [command: string, files: ReadonlyArray<string>]>([
    ["./a.sh", ["a.sh"]],
    ["$GEMINI_PROJECT_DIR/a.sh --fast", ["a.sh"]],
    ["A=1 B=2 ./a.sh", ["a.sh"]],
    ["python3 b.py data.json", ["b.py", "data.json"]],
    ["timeout 5 env A=1 bash a.sh", ["a.sh"]],
    ["bash < a.sh", ["a.sh"]],
    [". a.sh", ["a.sh"]],
    ["bash -c './a.sh && python3 b.py'", ["a.sh", "b.py"]],
    ["cat data.json | python3 b.py > log.txt 2>> log.txt; true", ["b.py"]],
    ['"$GEMINI_PROJECT_DIR/my hooks/c.sh"', ["my hooks/c.sh"]],
    ["'my hooks'/c.sh", ["my hooks/c.sh"]],
    ["find . -exec ./tool {} +", ["tool"]],
    ["jq . data.json >> log.txt", []],
    ["prettier --write data.json", []],
    ["npx eslint --fix data.json", []],
    ["/bin/sh ../outside.sh", []],
    ["echo 'unfinished", []],
    ["", []]
  ])("%s", (command, files) => {
    const found = runFiles(command, { GEMINI_PROJECT_DIR: project }, project)
    expect(found.map((file) => relative(project, file))).toEqual([...files])
  })
})
