/**
 * The promise that nothing is lost: the binary is killed at every write and every sync of a long conversation, and each
 * time the session goes on from all that was said and done. What the model was told before the kill, it is told again,
 * word for word. `scripts/soak-kill.ts` kills one long run at each of its writes instead, which takes minutes.
 */

import { describe, expect, test } from "bun:test"
import { appendFile, readdir, truncate } from "node:fs/promises"
import { join } from "node:path"
import {
  canTrace,
  chainLines,
  killAt,
  killChain,
  readingLines,
  type Said,
  SESSION,
  saidIn,
  undisturbed
} from "./kit/kill-run.ts"
import { startModelServer } from "./kit/model-server.ts"
import { asNobody, testWith } from "./kit/needs.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

/** How the first run of a project writes: its folder, its name in the registry, who writes, and the records. */
const FIRST_WRITES = [["write"], ["fsync", "/^mkdir", "/^rename", "/^link", "/^unlink"]]
const TURNS = 3

const LINKS = 100

const isPrompt = ({ part }: Said): boolean => String(part.text ?? "").startsWith("go on ")

/** What a run had told the model and got an answer to. */
const answered = (told: ReadonlyArray<Said>): ReadonlyArray<Said> => {
  const last = told.at(-1)
  return last !== undefined && isPrompt(last) ? told.slice(0, -1) : told
}

const callsAndResults = (told: ReadonlyArray<Said>): ReadonlyArray<Said> =>
  told.filter(({ part }) => part.functionCall !== undefined || part.functionResponse !== undefined)

const checkChain = async (): Promise<void> => {
  const chain = await killChain(LINKS)
  expect(chain.map(({ exitCode }) => exitCode)).toEqual(chain.map(() => 137))
  let before: ReadonlyArray<Said> = []
  for (const [link, { told }] of chain.entries()) {
    const [first] = told
    if (first === undefined) continue
    expect({ link, told: first.slice(0, before.length) }).toEqual({ link, told: [...before] })
    expect(first.at(-1)).toEqual({ role: "user", part: { text: `go on ${link}` } })
    before = answered(told.at(-1) ?? first)
  }
  // Beside the questions, and the calls that a kill interrupted, it is the conversation of one run without kills.
  const seen = callsAndResults(before)
  const whole = callsAndResults((await undisturbed(seen.length / 2, chainLines(LINKS))).at(-1) ?? [])
  const expected = whole.map((said, index) => {
    const told = seen[index]
    return told !== undefined && isInterrupted(told) ? told : said
  })
  expect(seen).toEqual(expected)
  expect(seen.filter((said) => !isInterrupted(said)).length).toBeGreaterThan(LINKS)
}

const checkFirstRun = async (syscall: string): Promise<void> => {
  const told = await undisturbed(TURNS)
  expect(told).toHaveLength(TURNS + 1)
  for (let when = 1, isKilled = true; isKilled; when++) {
    const killed = await killAt(syscall, when, TURNS)
    isKilled = killed.isKilled
    const { exitCode, resumed, sent } = killed
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

describe.skipIf(!canTrace)("a kill at any moment", () => {
  test(
    "of a conversation, two hundred times over: every process tells all that the ones before it told",
    async () => {
      await Promise.all([checkChain(), checkChain()])
    },
    20 * 60_000
  )

  test(
    "of the first run of a project: what was completed is there, and what goes on is what would have gone on",
    async () => {
      await Promise.all(
        FIRST_WRITES.map(async (syscalls) => {
          for (const syscall of syscalls) await checkFirstRun(syscall)
        })
      )
    },
    20 * 60_000
  )
})

const isInterrupted = ({ part }: Said): boolean =>
  JSON.stringify(part.functionResponse ?? "").includes("[Operation Cancelled] The turn was interrupted")

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
    await using server = await startModelServer(readingLines(20), { strict: true })
    const result = await place.shell(
      `exec unshare -rm sh -c 'umask 077 && mkdir -p "$HOME/.gemini/tmp" && mount -t tmpfs -o size=48k,mode=700 none "$HOME/.gemini/tmp" && exec "$GEMINI" -p go'`,
      { server }
    )
    expect(result.stdout).toBe("done\n")
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toMatch(
      /^\[WARNING\] this session is not recorded from here on: there is no space left for \S+\.jsonl\n$/
    )
  })
})

testWith(...asNobody)("a home that cannot be written costs the recording, and a line that says so", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([say("ok")])
  const result = await place.shell(place.unprivileged('chmod 555 "$HOME"', '"$GEMINI" -p hi'), { server })
  expect(result.stdout).toBe("ok\n")
  expect(result.exitCode).toBe(0)
  expect(result.stderr).toMatch(/^\[WARNING\] this session is not recorded from here on: .*\.gemini/)
  expect(result.stderr.trimEnd().split("\n")).toHaveLength(1)
})
