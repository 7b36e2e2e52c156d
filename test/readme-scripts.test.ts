/** What the README shows under "In a script" runs as it stands there. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { BINARY, newWorkspace } from "./kit/run-gemini.ts"

const readme = readFileSync(resolve(import.meta.dir, "../README.md"), "utf8")
const onPath = { PATH: `${dirname(BINARY)}:${process.env.PATH}` }

/** The first block of commands behind these words. */
const blockAfter = (words: string): string => {
  const at = readme.indexOf(words)
  if (at < 0) throw new Error(`the README does not say "${words}"`)
  return /```sh\n([\s\S]*?)```/.exec(readme.slice(at))?.[1] ?? ""
}

test("a CI job without a key: recorded once, played anywhere", async () => {
  await using server = await startModelServer([say("Buy milk.")])
  await using place = await newWorkspace()
  await place.write("work/notes.md", "milk\n")
  const [record = "", ...others] = blockAfter("**A test without a key.**").trimEnd().split("\n")
  expect(await place.shell(`mkdir tests; ${record}`, { server, env: onPath })).toMatchObject({ exitCode: 0 })
  await place.write("work/tests/notes.expected", "Buy milk.\n")
  const played = await place.shell(`set -eo pipefail\n${others.join("\n")}`, { env: onPath })
  expect(played).toMatchObject({ stderr: "", exitCode: 0 })
  expect(server.generations).toHaveLength(1)
})

test("a service keeps one process for many prompts", async () => {
  await using server = await startModelServer([say("red"), say("blue")])
  await using place = await newWorkspace()
  const result = await place.shell(blockAfter("A service keeps one process"), { server, env: onPath })
  expect(result.exitCode).toBe(0)
  const results = result.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(results).toMatchObject([
    { type: "result", prompt_index: 0, status: "success" },
    { type: "result", prompt_index: 1, status: "success" }
  ])
})

test("a prompt that is a program", async () => {
  await using server = await startModelServer([say("Hallo")])
  await using place = await newWorkspace()
  await place.write("work/letter.txt", "Hello")
  const result = await place.shell(blockAfter("**A prompt that is a program.**"), { server, env: onPath })
  expect(result).toMatchObject({ stdout: "Hallo\n", exitCode: 0 })
  expect(JSON.stringify(server.generations[0]?.body)).toContain("Translate into German:\\nHello")
})
