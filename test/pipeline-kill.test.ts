/**
 * Files that several runs share, killed at their writes: the kept answers, the budget and the cassette are whole after
 * each kill, and the next run goes on with them.
 */
import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { canTrace } from "./kit/kill-run.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

interface Shared {
  readonly options: string
  readonly env?: Readonly<Record<string, string>>
  readonly prepare?: string
  /** Fails where a file is no more what it has to be. */
  readonly check: (place: Workspace) => Promise<void>
}

const ended = async (place: Workspace, args: ReadonlyArray<string>) => {
  const { exitCode, stderr } = await place.run(args)
  expect([args, exitCode, stderr]).toEqual([args, 0, ""])
}

const SHARED: Readonly<Record<string, Shared>> = {
  cache: {
    options: "--cache=kept",
    check: async (place) => {
      const folder = join(place.cwd, "kept")
      const kept = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(".json"))
      // Damaged ones are told of on standard error.
      for (const name of kept) await ended(place, ["cache", "show", name.slice(0, -".json".length), "--dir", "kept"])
    }
  },
  budget: {
    options: "",
    env: { GEMINI_BUDGET: "shared.json" },
    prepare: '"$GEMINI" budget init shared.json --requests 1000',
    check: (place) => ended(place, ["budget", "show", "shared.json"])
  },
  cassette: {
    options: "--record tape.jsonl",
    check: async (place) => {
      if (existsSync(join(place.cwd, "tape.jsonl"))) await ended(place, ["cassette", "show", "tape.jsonl", "--json"])
    }
  }
}

const POINTS = [
  ...[1, 2, 4].map((when) => ["fsync", when] as const),
  ...[1, 2].map((when) => ["/^rename", when] as const),
  ...[1, 2, 3, 5, 8].map((when) => ["/^p?write(64)?$", when] as const)
]

describe.skipIf(!canTrace)("a run that is killed at a sync, a rename or a write", () => {
  test.each(Object.entries(SHARED))(
    "leaves the %s whole",
    async (_, { check, env = {}, options, prepare = "true" }) => {
      await using place = await newWorkspace()
      await place.write("work/notes.txt", "remember the milk")
      expect((await place.shell(prepare)).exitCode).toBe(0)
      let kills = 0
      for (const [syscall, when] of POINTS) {
        await using server = await startModelServer((_request, index) =>
          index === 0 ? ask(call("read_file", { file_path: "notes.txt" })) : say("done")
        )
        const strace = `strace -f -o /dev/null -e trace='${syscall}' -e inject='${syscall}':signal=KILL:when=${when}`
        const run = `"$GEMINI" -p "read the notes" -m gemini-2.5-flash ${options}`
        // An answer that is kept already leaves nothing to write.
        const { exitCode } = await place.shell(`rm -rf kept; ${strace} ${run}; exit $?`, { server, env })
        if (exitCode === 137) kills += 1
        await check(place)
      }
      expect(kills).toBeGreaterThan(4)
      await using server = await startModelServer((_request, index) =>
        index === 0 ? ask(call("read_file", { file_path: "notes.txt" })) : say("done")
      )
      const last = await place.shell(`"$GEMINI" -p "read the notes" -m gemini-2.5-flash ${options}`, { server, env })
      expect(last).toMatchObject({ stdout: "done\n", exitCode: 0 })
    },
    5 * 60_000
  )
})
