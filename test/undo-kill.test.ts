/** Recording and undoing under kills and full disks: whatever happens, the tree can be brought back, and nothing else is touched. */
import { describe, expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, scriptOf, tool } from "./kit/tool-run.ts"
import { fingerprintOf } from "./kit/undo-room.ts"

const canTrace = Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).exitCode === 0

const CALLS = [
  tool("run_shell_command", { command: "echo one > one.txt; echo more >> a.txt" }),
  tool("write_file", { file_path: "b/b.txt", content: "tool\n" }),
  tool("run_shell_command", { command: "rm src/0.ts src/1.ts; mv src/2.ts moved.ts; chmod 700 src" })
]

const prepare = async (place: Workspace) => {
  await place.write("work/a.txt", "a\n")
  for (let count = 0; count < 6; count++) await place.write(`work/src/${count}.ts`, `export const x = ${count}\n`)
}

/** Kills the binary, not what it starts, when it enters that system call for the n-th time. */
const killedAt = (syscall: string, when: number, args: string) =>
  `strace -o /dev/null -e trace=${syscall} -e inject=${syscall}:signal=KILL:when=${when} "$GEMINI" ${args}; exit $?`

describe.skipIf(!canTrace)("a kill at any moment", () => {
  test.each(["pwrite64", "/^mkdir", "/^unlink"])(
    "%s of a run that is recorded: undo brings back the tree",
    async (syscall) => {
      const ends = new Set<number>()
      for (let when = 1; when < 40 && !ends.has(0); when++) {
        await using place = await newWorkspace()
        await using server = await startModelServer(scriptOf(...CALLS), { strict: true })
        await prepare(place)
        const before = fingerprintOf(place.cwd)
        const run = await place.shell(killedAt(syscall, when, "-p go -o json --yolo"), { server })
        ends.add(run.exitCode)
        // The shell of a killed run may still be at work.
        await Bun.sleep(50)
        const undone = await place.run(["undo", "--yes", "--force"])
        expect({
          when,
          tree: fingerprintOf(place.cwd),
          stderr: undone.stderr.replace(/^error: There is nothing.*\n/, "")
        }).toEqual({
          when,
          tree: before,
          stderr: ""
        })
      }
      expect([...ends].sort()).toEqual([0, 137])
    },
    120_000
  )

  test("of an undo: the next one does the rest", async () => {
    await using place = await newWorkspace()
    await prepare(place)
    const before = fingerprintOf(place.cwd)
    await callTools(place, inTurns(...CALLS), { args: ["--approval-mode", "yolo"] })
    await place.shell('cd "$HOME/.." && mkdir saved && cp -a work home saved/')
    let kills = 0
    for (const syscall of ["/^rename", "/^unlink", "/chmod", "pwrite64"]) {
      for (let when = 1; when < 40; when++) {
        await place.shell(
          `cd "$HOME/.." && rm -rf work/* && cp -a saved/work/. work/ && rm -rf home/.gemini && cp -a saved/home/. home/`
        )
        const first = await place.shell(killedAt(syscall, when, "undo --yes"))
        if (first.exitCode === 0) break
        expect(first.exitCode).toBe(137)
        kills += 1
        const second = await place.run(["undo", "--yes"])
        expect({ syscall, when, code: second.exitCode, tree: fingerprintOf(place.cwd) }).toEqual({
          syscall,
          when,
          code: second.stderr.includes("nothing to take back") ? 1 : 0,
          tree: before
        })
      }
    }
    expect(kills).toBeGreaterThan(8)
  }, 120_000)
})

const canMount =
  process.platform === "linux" &&
  Bun.spawnSync(["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]).exitCode === 0

describe.skipIf(!canMount)("a full disk under the home folder", () => {
  test("the run goes on and says what is not covered; an undo changes nothing that it could not save", async () => {
    await using place = await newWorkspace()
    await place.write("work/big.bin", crypto.getRandomValues(new Uint8Array(64 * 1024)))
    await place.write(
      "work/huge.bin",
      Buffer.concat(Array.from({ length: 16 }, () => crypto.getRandomValues(new Uint8Array(64 * 1024))))
    )
    const { result } = await callTools(place, inTurns(tool("run_shell_command", { command: "rm huge.bin" })), {
      args: ["--approval-mode", "yolo"],
      start: (args, options) =>
        place.shell(
          `exec unshare -rm sh -c 'mount -t tmpfs -o size=300k none "$HOME" && "$GEMINI" ${args.join(" ")}'`,
          options
        )
    })
    expect(result.exitCode).toBe(0)
    expect(result.stdout + result.stderr).toContain(
      "gemini undo cannot take back what shell commands of this run change"
    )

    await callTools(place, inTurns(tool("run_shell_command", { command: "rm big.bin; echo 1 > made.txt" })), {
      args: ["--approval-mode", "yolo"]
    })
    await place.write("work/made.txt", crypto.getRandomValues(new Uint8Array(512 * 1024)))
    const before = fingerprintOf(place.cwd)
    const full = await place.shell(
      `exec unshare -rm sh -c 'cp -a "$HOME/.gemini" "$TMPDIR/copy" && mount -t tmpfs -o size=400k none "$HOME" && cp -a "$TMPDIR/copy" "$HOME/.gemini" && "$GEMINI" undo --yes --force'`
    )
    expect(full.exitCode).toBe(1)
    expect(full.stderr).toContain("cannot be saved (ENOSPC), so nothing was changed")
    expect(fingerprintOf(place.cwd)).toEqual(before)
  })
})
