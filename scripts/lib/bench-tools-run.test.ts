/** The stop-watch itself, on a program that plays the binary: what is counted, and what ends the bench. */
import { expect, test } from "bun:test"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { call } from "../../test/kit/replies.ts"
import { type Turn, timesOf } from "./bench-tools-run.ts"

/** Asks the model until it has no more calls, and reports each of them with a status. */
const PLAYER = (status: string) => `#!${process.execPath}
console.log(JSON.stringify({ type: "init" }))
for (;;) {
  const answer = await (await fetch(process.env.GOOGLE_GEMINI_BASE_URL, { method: "POST", body: "{}" })).text()
  const calls = answer.split("functionCall").length - 1
  if (calls === 0) break
  for (let index = 0; index < calls; index++) console.log(JSON.stringify({ type: "tool_result", status: "${status}" }))
}
console.log(JSON.stringify({ type: "result" }))
`

const play = (status: string, turns: ReadonlyArray<Turn>) => playAs(PLAYER(status), turns)

const playAs = async (player: string, turns: ReadonlyArray<Turn>) => {
  const cwd = await mkdtemp(join(tmpdir(), "bench-tools-"))
  const binary = join(cwd, "player.ts")
  try {
    await writeFile(binary, player)
    await chmod(binary, 0o755)
    return await timesOf({ binary, cwd, env: {} }, turns)
  } finally {
    await rm(cwd, { recursive: true })
  }
}

test("every turn has a time, and what happens before it knows the process", async () => {
  const pids: Array<number> = []
  const before = async (pid: number) => {
    pids.push(pid)
  }
  const two = { calls: [call("a"), call("b")], before }
  expect(await play("success", [two, { calls: [call("c")] }, two])).toHaveLength(3)
  expect(pids).toHaveLength(2)
  expect(pids[0]).toBe(pids[1] ?? 0)
})

test("a request that is sent again while its answer is prepared is no turn of its own", async () => {
  const again = "fetch(process.env.GOOGLE_GEMINI_BASE_URL, { method: 'POST', body: '{}' }).catch(() => {})"
  const impatient = PLAYER("success").replace("for (;;) {", `${again}\nfor (;;) {`)
  const prepared: Array<number> = []
  const before = async (pid: number) => {
    prepared.push(pid)
    await Bun.sleep(50)
  }
  expect(await playAs(impatient, [{ calls: [call("a")], before }])).toHaveLength(1)
  expect(prepared).toHaveLength(1)
})

test("a call that fails ends the bench", async () => {
  await expect(play("error", [{ calls: [call("a")] }])).rejects.toThrow("a tool call failed")
})
