import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { faultsIn } from "./faults.ts"
import { canFuzz } from "./fuzz-session.ts"
import { growTree, type HostileTree } from "./hostile-tree.ts"
import { minimised } from "./minimise.ts"
import { SURROUNDINGS, type Surroundings, variablesFor } from "./surroundings.ts"
import { TracedShell } from "./traced-shell.ts"

let scratch: string
let tree: HostileTree
let shell: TracedShell

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "traced-shell-"))
  for (const folder of ["root", "runs"]) mkdirSync(join(scratch, folder))
  tree = await growTree(join(scratch, "root"))
  shell = new TracedShell(tree, join(scratch, "runs"))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const surroundingsNamed = (name: string): Surroundings => {
  const found = SURROUNDINGS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no surroundings ${name}`)
  return found
}

/** The first word of each fault of each line. */
const faultsOf = async (lines: ReadonlyArray<string>, name: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const traces = await shell.run(lines, variablesFor(tree, name === "default"))
  return traces.map((trace) => [
    ...new Set(
      faultsIn(trace, surroundingsNamed(name).permitted, tree).map(({ what }) => what.replaceAll(tree.root, ""))
    )
  ])
}

const HARMLESS = [
  ...[
    "ls -la",
    "cat a.txt src/b.ts",
    "git status",
    "git log -p",
    "git diff --stat",
    "grep -rn needle src",
    "find . -name '*.ts'"
  ],
  ...[
    "rg needle src",
    "whoami",
    "id",
    "date",
    "sort a.txt | uniq -c",
    "sed -n 1,2p a.txt",
    "jq . data.json",
    "stat src",
    "tree -L 1"
  ],
  ...[
    "echo hello > /dev/null",
    "ls missing 2>&1",
    "cd src && ls",
    'for f in src/*.ts; do wc -l "$f"; done',
    "ls &",
    "du -sh ."
  ],
  ...[
    "diff <(ls src) <(ls tidy)",
    "cat <<< hello",
    "bash -c 'ls | head -1'",
    "timeout 5 ls",
    "xargs echo < a.txt",
    "tail -n 1 a.txt"
  ]
]

/** What must be seen, whatever else is seen beside it. */
const HARMFUL: ReadonlyArray<readonly [string, string]> = [
  ["touch MARK", "starts /usr/bin/touch"],
  ["echo x > MARK", "changes /work/MARK"],
  ["mv README.md c", "changes /work/README.md"],
  ["rm b.txt", "changes /work/b.txt"],
  ["mkdir d", "changes d"],
  ["ln -s a d", "changes a"],
  ["chmod 700 a.txt", "changes /work/a.txt"],
  ["sort -o MARK a.txt", "changes /work/MARK"],
  ["ls & echo x > MARK &", "changes /work/MARK"],
  ["cat ../secret", "reads /secret"],
  ["cat l/../secret", "reads /secret"],
  ["cat private", "reads /secret"],
  ["cat /etc/hostname", "reads /etc/hostname"],
  ["cat /etc/passwd", "reads /etc/passwd"],
  ["cat .env", "reads /work/.env, which is closed"],
  ["cat .env", "prints a closed file"],
  ["grep -r KEY app", "reads /work/app/.env, which is closed"],
  ["ls ..", "reads "],
  ["echo $TOKEN", "prints a variable"],
  ["cat ../missing", "reads /work/../missing"],
  ["./ls", "starts ./ls"],
  ["env only-here", "starts /work/bin/only-here"],
  ["cd sub && git diff", "changes /work/sub/MARK"],
  ["mkfifo x", "starts /usr/bin/mkfifo"],
  ["exec 3<>/dev/tcp/127.0.0.1/9", "connects to "]
]

describe.skipIf(!canFuzz())("a traced line", () => {
  test("that only looks has no faults", async () => {
    const faults = await faultsOf(HARMLESS, "default")
    expect(HARMLESS.map((line, index) => ({ line, faults: faults[index] }))).toEqual(
      HARMLESS.map((line) => ({ line, faults: [] }))
    )
  })

  test("that does more is found out", async () => {
    const faults = await faultsOf(
      HARMFUL.map(([line]) => line),
      "default"
    )
    const missed = HARMFUL.filter(([, fault], index) => !faults[index]?.some((found) => found.startsWith(fault)))
    expect(
      missed.map(([line, fault]) => ({ line, fault, found: faults[HARMFUL.findIndex(([one]) => one === line)] }))
    ).toEqual([])
  })

  test("may write inside the workspace where that is permitted, and not what gives power", async () => {
    const lines = ["echo x > new.ts", "echo x > .gemini/settings.json", "echo x > out/MARK", "echo x > .git/config"]
    expect(await faultsOf(lines, "auto_edit")).toEqual([
      [],
      ["changes /work/.gemini/settings.json, which gives power"],
      ["changes /elsewhere/MARK"],
      ["changes /work/.git/config"]
    ])
  })

  test("leaves the machine's devices as they are", async () => {
    const modes = () => ["null", "zero", "full"].map((name) => statSync(join("/dev", name)).mode)
    const before = modes()
    // Whoever owns a device may set the mode that it has already, so nothing is lost where this fails.
    const line = "for d in null zero full; do chmod $(stat -c %a /dev/$d) /dev/$d && echo changed; done; ls > /dev/null"
    const [trace] = await shell.run([line], variablesFor(tree, false))
    expect([modes(), trace?.output]).toEqual([before, expect.not.stringContaining("changed")])
  })

  test("that runs what is denied is found out, also behind a wrapper", async () => {
    const lines = ["ls", "touch a.txt", "env touch a.txt", "find a.txt -exec touch {} +", "sh -c 'touch a.txt'"]
    const denied = ["starts /usr/bin/touch, which is denied"]
    expect(await faultsOf(lines, "guarded")).toEqual([[], denied, denied, denied, denied])
  })

  test("that never ends is ended, and the others run", async () => {
    const lines = ["ls", "sleep 100", "sleep 100 & sleep 100", "setsid sleep 100 &", "cat a.txt"]
    const traces = await shell.run(lines, variablesFor(tree, true), 1)
    expect(traces.map(({ isEndless }) => isEndless)).toEqual([false, true, true, false, false])
    expect(traces.at(-1)?.output).toContain("needle")
  })
})

test("a text is made short as long as it fails", async () => {
  expect(await minimised("ls; echo a; touch MARK | wc", async (text) => text.includes("touch MARK"))).toBe("touch MARK")
})
