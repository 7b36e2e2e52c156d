/**
 * The promise that nothing is lost: the binary is killed at every write and every sync of a long run, and each time the
 * session goes on from all that was said and done. What the model was told before the kill, it is told again, word for
 * word.
 */
import { describe, expect, test } from "bun:test"
import { appendFile, readdir, truncate } from "node:fs/promises"
import { join } from "node:path"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

/** About four kills for each; `KILL_TURNS=100` for a longer look. */
const TURNS = Number(process.env.KILL_TURNS ?? 20)
const SESSION = "kill-test"

const canTrace = Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).exitCode === 0

type Part = Readonly<Record<string, unknown>>
interface Body {
  readonly contents: ReadonlyArray<{ readonly role: string; readonly parts: ReadonlyArray<Part> }>
}
interface Said {
  readonly role: string
  readonly part: Part
}

/** Part by part, without the description of the surroundings, which has the time in it. */
const saidIn = (server: ModelServer, index: number): ReadonlyArray<Said> => {
  const contents = (server.generations.at(index)?.body as Body | undefined)?.contents ?? []
  return contents.flatMap(({ parts, role }) =>
    parts.filter(({ text }) => !String(text ?? "").startsWith("<session_context>")).map((part) => ({ role, part }))
  )
}

/** Another line each time, and ids and signatures as the API gives them. */
const script = (limit: number) => (_: unknown, index: number) =>
  index >= limit
    ? say("done")
    : ask(
        call(
          "read_file",
          { file_path: "lines.txt", start_line: index + 1, end_line: index + 1 },
          { id: `id-${index}`, signature: `sig-${index}` }
        )
      )

const prepared = async () => {
  const place = await newWorkspace()
  // A long run is asked now and then whether it makes progress; here every request belongs to the conversation.
  await place.write("home/.gemini/settings.json", '{ "model": { "disableLoopDetection": true } }')
  await place.write("work/lines.txt", Array.from({ length: TURNS + 1 }, (_, index) => `line ${index}\n`).join(""))
  return place
}

const RUN = `"$GEMINI" -p go -o json --session-id ${SESSION}`

interface Killed {
  readonly isKilled: boolean
  /** Requests that the killed run had sent. */
  readonly sent: number
  readonly resumed: ReadonlyArray<Said> | undefined
  readonly exitCode: number
}

const killAt = async (syscall: string, when: number): Promise<Killed> => {
  await using place = await prepared()
  await using server = await startModelServer(script(TURNS), { strict: true })
  const inject = `strace -f -o /dev/null -e trace=${syscall} -e inject=${syscall}:signal=KILL:when=${when}`
  const killed = await place.shell(`${inject} ${RUN}; exit $?`, { server })
  const sent = server.generations.length
  await using next = await startModelServer([say("on we go")], { strict: true })
  const { exitCode } = await place.run(["-r", SESSION, "-p", "next"], { server: next })
  return {
    isKilled: killed.exitCode !== 0,
    sent,
    resumed: next.generations.length === 0 ? undefined : saidIn(next, 0),
    exitCode
  }
}

const undisturbed = async () => {
  await using place = await prepared()
  await using server = await startModelServer(script(TURNS), { strict: true })
  expect((await place.shell(RUN, { server })).exitCode).toBe(0)
  return server.generations.map((_, index) => saidIn(server, index))
}

/** Two at a time, until a run was not killed any more. The number of kills. */
const killEverywhere = async (syscall: string, told: ReadonlyArray<ReadonlyArray<Said>>): Promise<number> => {
  let next = 1
  let end = Number.POSITIVE_INFINITY
  const work = async () => {
    while (next < end) {
      const when = next++
      const { exitCode, isKilled, resumed, sent } = await killAt(syscall, when)
      if (!isKilled) end = Math.min(end, when)
      const before = told[sent - 1] ?? []
      // Killed before there was anything to record: then nobody was told anything, or is still waiting for the answer.
      if (resumed === undefined) {
        expect({ syscall, when, exitCode, sent: sent <= 1 }).toEqual({ syscall, when, exitCode: 42, sent: true })
        continue
      }
      expect({ syscall, when, exitCode }).toEqual({ syscall, when, exitCode: 0 })
      expect({ when, told: resumed.slice(0, before.length) }).toEqual({ when, told: [...before] })
      expect(resumed.at(-1)).toEqual({ role: "user", part: { text: "next" } })
    }
  }
  await Promise.all([work(), work()])
  return end - 1
}

describe.skipIf(!canTrace)("a kill at any moment", () => {
  test(
    "loses no turn that was completed, and what goes on is what would have gone on",
    async () => {
      const told = await undisturbed()
      expect(told).toHaveLength(TURNS + 1)
      const points = (await killEverywhere("write", told)) + (await killEverywhere("fsync", told))
      expect(points).toBeGreaterThan(3 * TURNS)
    },
    20 * 60_000
  )
})

const fileOf = async (place: Workspace) => {
  const folder = join(place.home, ".gemini/tmp/work/chats")
  const [name = ""] = (await readdir(folder)).filter((entry) => entry.endsWith(".jsonl"))
  return join(folder, name)
}

test("a session whose last record is cut at any byte goes on", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([say("first answer")])
  await place.run(["-p", "one", "--session-id", SESSION], { server })
  const file = await fileOf(place)
  const whole = await place.read(file)
  const lines = whole.trimEnd().split("\n")
  const answerAt = whole.lastIndexOf(lines.at(-2) ?? "")
  const bytes = Buffer.byteLength(whole.slice(0, answerAt))
  // Every byte is tried where files are read; here a few, through the whole program.
  for (const cut of [1, 40, 120, Buffer.byteLength(lines.at(-2) ?? "") - 1]) {
    await place.write(file, whole)
    await truncate(file, bytes + cut)
    await using next = await startModelServer([say("on")], { strict: true })
    const result = await place.run(["-r", SESSION, "-p", "two"], { server: next })
    expect(result.stdout).toBe("on\n")
    expect(result.stderr).toMatch(/^\[WARNING\] .*: line [45] was cut off while it was written; the rest was read\n$/)
    expect(saidIn(next, 0).map(({ part }) => part.text)).toEqual(["one", "two"])
    expect((await place.run(["sessions", "verify", SESSION])).stdout).toMatch(/line [45] is damaged/)
  }
})

test("files that nobody meant for us are passed over", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([say("ok"), say("more")])
  await place.run(["-p", "one", "--session-id", SESSION], { server })
  const file = await fileOf(place)
  const folder = join(file, "..")
  await place.write(join(folder, "session-1-binary.jsonl"), crypto.getRandomValues(new Uint8Array(50_000)))
  await place.write(join(folder, "session-1-deep.json"), "[".repeat(100_000))
  await place.write(
    join(folder, "session-1-hostile.jsonl"),
    '{"sessionId":"../../../etc","projectHash":"__proto__","__proto__":{"x":1}}\n{"id":"1","type":"user","content":"hi \\u001b]0;title\\u0007"}\n'
  )
  await place.shell(
    `mkfifo "${folder}/session-1-pipe.jsonl"; ln -s /dev/zero "${folder}/session-1-zero.jsonl"; mkdir "${folder}/session-1-folder.jsonl"`
  )
  await appendFile(file, '{"id":"\n\n\0\0\0\n{"$set":null}\n')
  const list = await place.run(["--list-sessions"])
  expect(list.exitCode).toBe(0)
  expect(list.stdout).toContain("(2)")
  expect(list.stdout).not.toContain("\u001b")
  expect((await place.run(["-r", SESSION, "-p", "two"], { server })).stdout).toBe("more\n")
  expect((await place.run(["sessions", "verify"])).exitCode).toBe(1)
})

test("64 processes in one folder have a session each", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => say("ok"))
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      place.shell('for i in 1 2 3 4 5 6 7 8; do "$GEMINI" -p "hi $i" & done; wait', { server })
    )
  )
  expect(results.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(results.map(() => [0, ""]))
  expect(JSON.parse((await place.run(["--list-sessions", "-o", "json"])).stdout)).toHaveLength(64)
  expect((await place.run(["sessions", "verify"])).stdout).toBe("64 of 64 sessions are sound.\n")
})

const canMount =
  process.platform === "linux" &&
  Bun.spawnSync(["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]).exitCode === 0

describe.skipIf(!canMount)("a full disk", () => {
  test("ends the recording with one warning, and not the run", async () => {
    await using place = await newWorkspace()
    await place.write(
      "work/lines.txt",
      Array.from({ length: 20 }, (_, index) => `${index} ${"x".repeat(1500)}\n`).join("")
    )
    await using server = await startModelServer(script(20), { strict: true })
    const result = await place.shell(
      `exec unshare -rm sh -c 'mkdir -p "$HOME/.gemini/tmp" && mount -t tmpfs -o size=48k none "$HOME/.gemini/tmp" && exec "$GEMINI" -p go'`,
      { server }
    )
    expect(result.stdout).toBe("done\n")
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toMatch(
      /^\[WARNING\] this session is not recorded from here on: there is no space left for \S+\.jsonl\n$/
    )
  })
})

test("a home that cannot be written costs the recording, and a line that says so", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([say("ok")])
  const result = await place.shell(place.unprivileged('chmod 555 "$HOME"', '"$GEMINI" -p hi'), { server })
  expect(result.stdout).toBe("ok\n")
  expect(result.exitCode).toBe(0)
  expect(result.stderr).toMatch(/^\[WARNING\] this session is not recorded from here on: .*\.gemini/)
  expect(result.stderr.trimEnd().split("\n")).toHaveLength(1)
})
