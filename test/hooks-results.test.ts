/** How a hook's program ended and what it wrote, and what comes of it; also of programs that do not behave. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { rowOf } from "../src/system/process-table.ts"
import { runHooked } from "./kit/hook-run.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const write = (name: string) => call("write_file", { file_path: name, content: "x" })

/** `runs`: the call is made. `refused`: it is not, and the model is told this. `warns`: the person is told this. */
interface Ending {
  readonly command: string
  readonly runs?: true
  readonly refused?: string
  readonly warns?: string
  readonly says?: string
}

const DENY = `echo '{"decision":"deny","reason":"by the answer"}'`
const ALLOW = `echo '{"decision":"allow","reason":"by the answer"}'`

const ENDINGS: Readonly<Record<string, Ending>> = {
  "0, an answer": { command: DENY, refused: "by the answer" },
  "0, an answer in a string": {
    command: `echo '"{\\"decision\\":\\"deny\\",\\"reason\\":\\"inside\\"}"'`,
    refused: "inside"
  },
  "0, an answer on stderr": { command: `${DENY} >&2`, refused: "by the answer" },
  "0, words": { command: "echo zero words", runs: true, says: "zero words" },
  "0, nothing": { command: "true", runs: true },
  "0, half an answer": { command: `echo '{"decision":"deny"'`, runs: true, warns: "begins like JSON" },
  "1, an answer": { command: `${DENY}; exit 1`, refused: "by the answer", warns: "exit code 1" },
  "1, words": { command: "echo one word; exit 1", runs: true, warns: "exit code 1: one word" },
  "1, nothing": { command: "exit 1", runs: true, warns: "exit code 1" },
  "2, an answer": { command: `${DENY}; exit 2`, refused: "by the answer" },
  "2, an answer that allows": { command: `${ALLOW}; exit 2`, refused: "by the answer" },
  "2, words on both": { command: "echo out; echo err >&2; exit 2", refused: "err" },
  "2, words": { command: "echo out; exit 2", refused: "out" },
  "2, nothing": { command: "exit 2", refused: "the hook gave no reason" },
  "3, words": { command: "echo three words; exit 3", runs: true, warns: "exit code 3: three words" },
  "3, an answer": { command: `${DENY}; exit 3`, refused: "by the answer", warns: "exit code 3" },
  "signal, an answer": { command: `${DENY}; kill -KILL $$`, refused: "by the answer", warns: "ended by SIGKILL" },
  "signal, words": { command: "echo last words; kill -KILL $$", runs: true, warns: "ended by SIGKILL: last words" },
  "signal, nothing": { command: "kill -KILL $$", runs: true, warns: "ended by SIGKILL" }
}

test("exit code by output: what becomes of a call, what the model reads, what the person is told", async () => {
  await using place = await newWorkspace()
  const rows = Object.values(ENDINGS)
  // Each call names a file, and the file has the command: one run goes through the table.
  for (const [index, { command }] of rows.entries()) await place.write(`cases/${index}.txt`, command)
  const hook = `eval "$(cat "../cases/$(sed 's/.*"file_path":"\\([^"]*\\)".*/\\1/')")"`
  const run = await runHooked(place, { BeforeTool: [{ name: "judge", command: hook }] }, [
    ask(...rows.map((_, index) => write(`${index}.txt`))),
    say("fine")
  ])
  expect(run.document).toMatchObject({ response: "fine", completion_reason: "success" })
  const { contents } = JSON.parse(run.bodies[1] ?? "{}")
  const results: ReadonlyArray<string> = contents.at(-1).parts.map((part: object) => JSON.stringify(part))
  const notices = run.result.stderr.split("\n")
  const warnings = notices.filter((line) => line.includes("BeforeTool hook failed"))
  const found = rows.map((_, index) => ({
    runs: existsSync(join(place.cwd, `${index}.txt`)),
    refused: /a hook refused it: ([^"]*?)[."]/.exec(results[index] ?? "")?.[1]
  }))
  expect(found).toEqual(rows.map(({ refused, runs = false }) => ({ runs, refused })))
  // The same words are not told twice.
  const expected = new Set(rows.flatMap(({ warns }) => warns ?? []))
  expect(warnings).toEqual([...expected].map((words) => expect.stringContaining(words)))
  for (const { says } of rows) if (says !== undefined) expect(notices).toContain(`[INFO] judge: ${says}`)
})

const isAlive = (pid: string) => rowOf(Number(pid)) !== undefined

describe("programs that do not behave", () => {
  test("hang, crash, print too much, print half an answer, leave children: one warning, and the run goes on", async () => {
    await using place = await newWorkspace()
    const stubborn =
      "trap '' TERM; (trap '' TERM; echo $BASHPID >> ../stubborn; while :; do sleep 0.1; done) & echo $$ >> ../stubborn"
    const run = await runHooked(
      place,
      {
        BeforeAgent: [
          { name: "hangs", command: "sleep 1000", timeout: 200 },
          { name: "stubborn", command: `${stubborn}; while :; do sleep 0.1; done`, timeout: 200 },
          { name: "crashes", command: "kill -SEGV $$" },
          { name: "floods", command: "head -c 100000000 /dev/zero; exit 1" },
          { name: "half", command: `echo '{"decision":"deny"'` },
          { name: "missing", command: "/does/not/exist" },
          { name: "child", command: "sleep 1000 & echo $! > ../child" },
          {
            name: "daemon",
            command:
              "setsid bash -c 'echo $$ > ../daemon; exec sleep 1000' > /dev/null 2>&1 < /dev/null & until test -s ../daemon; do sleep 0.01; done"
          }
        ]
      },
      [say("fine")]
    )
    expect(run.document).toMatchObject({ response: "fine", completion_reason: "success" })
    expect(run.document.warnings).toHaveLength(1)
    for (const name of [
      "hangs: it took longer",
      "stubborn: it took longer",
      "crashes: it was ended by SIGSEGV",
      "floods: it ended with exit code 1",
      "half: its output begins like JSON",
      "missing: it ended with exit code 127"
    ]) {
      expect(String(run.document.warnings)).toContain(name)
    }
    const left = ["child", "daemon", "stubborn"].flatMap((name) =>
      readFileSync(join(place.root, name), "utf8").trim().split("\n")
    )
    expect(left).toHaveLength(4)
    expect(left.filter(isAlive)).toEqual([])
  })

  test("one that must not fail refuses when it does", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(place, { BeforeTool: [{ command: "sleep 1000", timeout: 200, failClosed: true }] }, [
      ask(write("a.txt")),
      say("fine")
    ])
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    expect(run.document.permission_denials).toMatchObject([{ reason: expect.stringContaining("must not fail") }])
  })
})
