/** Whole runs in which the scripted model changes files by tools and by shell, and `gemini undo` takes them back. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, scriptOf, tool } from "./kit/tool-run.ts"
import { fingerprintOf } from "./kit/undo-room.ts"

const YOLO = { args: ["--approval-mode", "yolo"] }

/** Created, edited, deleted, moved, chmodded: by tools and by shell. */
const CHANGES = inTurns(
  tool("write_file", { file_path: "made/by/tool.txt", content: "tool\n" }),
  tool("read_file", { file_path: "src/a.ts" }),
  tool("replace", { file_path: "src/a.ts", old_string: "one", new_string: "uno" }),
  tool("run_shell_command", { command: "echo shell > shell.txt; mkdir -p deep/er; echo x > deep/er/x" }),
  tool("run_shell_command", { command: "rm src/b.ts; mv src/c.ts c-moved.ts; chmod 700 run.sh; ln -s run.sh link" }),
  tool("run_shell_command", { command: "sed -i s/uno/eins/ src/a.ts; rm -r old" })
)

const prepare = async (place: Workspace, git: boolean) => {
  await place.write("work/src/a.ts", "const one = 1\n")
  await place.write("work/src/b.ts", "b\r\n")
  await place.write("work/src/c.ts", new Uint8Array([0, 159, 146, 150]))
  await place.write("work/run.sh", "#!/bin/sh\n")
  await place.write("work/old/x/y", "old\n")
  await place.write("work/.gitignore", "*.log\n")
  await place.shell("chmod 644 run.sh; chmod 600 src/b.ts; mkdir hollow")
  if (git)
    await place.shell("git init -q . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm one")
}

for (const git of [false, true]) {
  test(`a run ${git ? "in a repository" : "outside git"} is taken back, and the undo too`, async () => {
    await using place = await newWorkspace()
    await prepare(place, git)
    const before = fingerprintOf(place.cwd)
    const { result } = await callTools(place, CHANGES, YOLO)
    expect(result.exitCode).toBe(0)
    const after = fingerprintOf(place.cwd)
    expect(after).not.toEqual(before)

    const shown = await place.run(["undo"])
    expect(shown.exitCode).toBe(1)
    expect(shown.stderr).toBe("Nothing was changed: --yes carries it out.\n")
    for (const line of ["restore   src/a.ts", "recreate  src/b.ts", "remove    shell.txt", "chmod     run.sh to 644"]) {
      expect(shown.stdout).toContain(line)
    }
    expect(fingerprintOf(place.cwd)).toEqual(after)
    expect((await place.run(["undo", "--dry-run"])).exitCode).toBe(0)
    expect(fingerprintOf(place.cwd)).toEqual(after)

    const undone = await place.run(["undo", "--yes", "--json"])
    expect(undone).toMatchObject({ exitCode: 0, stderr: "" })
    const document = JSON.parse(undone.stdout)
    expect(document).toMatchObject({ applied: true, left_alone: [], failed: [] })
    expect(fingerprintOf(place.cwd)).toEqual(before)

    expect((await place.run(["undo", "--yes"])).stderr).toContain("There is nothing to take back")
    const redone = await place.run(["undo", String(document.undo_id), "--yes"])
    expect(redone).toMatchObject({ exitCode: 0, stderr: "" })
    expect(fingerprintOf(place.cwd)).toEqual(after)
    const listed = await place.run(["undo", "list"])
    expect(listed.stdout.split("\n").filter((line) => line !== "")).toHaveLength(3)
  })
}

/** What is kept for taking back, in whatever project. */
const journalOf = async ({ home }: Workspace): Promise<ReadonlyArray<string>> => {
  const history = join(home, ".gemini/history")
  const names = existsSync(history) ? await readdir(history, { recursive: true }) : []
  return names.filter((name) => name.includes("/") && !name.endsWith("/.project_root"))
}

test("a run that only answers or looks leaves no journal", async () => {
  await using place = await newWorkspace()
  await prepare(place, false)
  await callTools(
    place,
    inTurns(tool("read_file", { file_path: "src/a.ts" }), tool("write_todos", { todos: [] })),
    YOLO
  )
  expect(await journalOf(place)).toEqual([])
  await callTools(place, inTurns(tool("run_shell_command", { command: "echo 2 > src/a.ts" })), YOLO)
  expect(await journalOf(place)).not.toEqual([])
})

test("files that were changed since are left alone, and the exit code says so", async () => {
  await using place = await newWorkspace()
  await prepare(place, false)
  await callTools(place, inTurns(tool("run_shell_command", { command: "echo 2 > src/a.ts; echo 2 > src/b.ts" })), YOLO)
  await place.write("work/src/a.ts", "mine\n")
  const left = await place.run(["undo", "--yes"])
  expect(left.exitCode).toBe(1)
  expect(left.stdout).toContain("Left alone (--force overwrites them):\n  src/a.ts: it was changed since\n")
  expect(await place.read("work/src/a.ts")).toBe("mine\n")
  expect(await place.read("work/src/b.ts")).toBe("b\r\n")
  expect((await place.run(["undo", "--yes", "--force"])).exitCode).toBe(0)
  expect(await place.read("work/src/a.ts")).toBe("const one = 1\n")
})

test("a run that was taken back by hand is passed over", async () => {
  await using place = await newWorkspace()
  for (const name of ["one.txt", "two.txt"]) {
    await callTools(place, inTurns(tool("write_file", { file_path: name, content: name })), YOLO)
  }
  await place.shell("rm two.txt")
  const undone = await place.run(["undo", "--yes"])
  expect(undone).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Passed over run ") })
  expect(existsSync(join(place.cwd, "one.txt"))).toBe(false)
  // Of either nothing is left now.
  await place.write("work/three.txt", "")
  await callTools(place, inTurns(tool("write_file", { file_path: "four.txt", content: "4" })), YOLO)
  await place.shell("rm four.txt")
  expect((await place.run(["undo", "--yes"])).stdout).toContain("There is nothing to restore.")
})

test("unknown runs and bad flags are told apart from prompts", async () => {
  await using place = await newWorkspace()
  expect(await place.run(["undo", "0b6c9a52-9"])).toMatchObject({
    exitCode: 42,
    stderr:
      "error: There is no run 0b6c9a52-9 to take back in this project. See gemini undo list. [gemini help bad-input]\n"
  })
  expect((await place.run(["undo", "list"])).stdout).toBe("No run of this project has changed a file.\n")
  expect((await place.run(["undo", "--frobnicate"])).exitCode).toBe(1)
  expect(existsSync(join(place.home, ".gemini"))).toBe(false)
})

test("a command line with a secret does not stand in the journal", async () => {
  await using place = await newWorkspace()
  await prepare(place, false)
  const secret = "sk-canary-0123456789"
  await callTools(place, inTurns(tool("run_shell_command", { command: `echo ${secret} > x.log; echo 1 > y` })), {
    ...YOLO,
    env: { MY_TOKEN: secret }
  })
  const found = await place.shell(`grep -rl ${secret} "$HOME/.gemini/history" || true`)
  expect(found.stdout).toBe("")
  expect(await readFile(join(place.cwd, "x.log"), "utf8")).toBe(`${secret}\n`)
})

test("what a cancelled command did is taken back", async () => {
  await using place = await newWorkspace()
  await prepare(place, false)
  const before = fingerprintOf(place.cwd)
  await using server = await startModelServer(
    scriptOf(tool("run_shell_command", { command: "rm src/b.ts; echo 1 > started; sleep 60" }))
  )
  const run = place.start(["-p", "go", "--yolo"], { server })
  while (!existsSync(join(place.cwd, "started"))) await Bun.sleep(20)
  run.kill("SIGTERM")
  expect((await run.result).exitCode).toBe(143)
  expect((await place.run(["undo", "--yes"])).exitCode).toBe(0)
  expect(fingerprintOf(place.cwd)).toEqual(before)
})

test("what a command does in the background belongs to its run until the run ends", async () => {
  await using place = await newWorkspace()
  await prepare(place, false)
  const before = fingerprintOf(place.cwd)
  const late = "while [ ! -e go ]; do sleep 0.02; done; echo late > late.txt; echo late >> src/a.ts; sleep 60"
  const { result } = await callTools(
    place,
    inTurns(
      tool("run_shell_command", { command: late, is_background: true }),
      tool("write_file", { file_path: "go", content: "" }),
      tool("run_shell_command", { command: "until grep -q late src/a.ts; do sleep 0.02; done" })
    ),
    YOLO
  )
  expect(result.exitCode).toBe(0)
  expect((await place.run(["undo", "--yes"])).exitCode).toBe(0)
  expect(fingerprintOf(place.cwd)).toEqual(before)
})
