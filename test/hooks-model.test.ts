/** Hooks around a request to the model: what they read, and what they change. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { answering, runHooked, specific } from "./kit/hook-run.ts"
import { ask, call, chunk, finish, say, text } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const seen = (place: Workspace, name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(place.root, name), "utf8"))
const write = (name: string, content = "x") => call("write_file", { file_path: name, content })

describe("BeforeModel", () => {
  test("changes messages, parameters and model, and sees them", async () => {
    await using place = await newWorkspace()
    const change = {
      model: "gemini-2.5-flash",
      messages: [{ role: "user", content: "other words" }],
      config: { temperature: 0.25 }
    }
    const run = await runHooked(place, { BeforeModel: [`cat > ../model.json; ${specific({ llm_request: change })}`] }, [
      say("fine")
    ])
    expect(run.paths[0]).toContain("gemini-2.5-flash")
    expect(run.bodies[0]).toContain("other words")
    expect(run.contents[0]).not.toContain("the prompt")
    expect(JSON.parse(run.bodies[0] ?? "").generationConfig).toMatchObject({ temperature: 0.25, topP: 0.95 })
    expect(seen(place, "model.json").llm_request).toMatchObject({
      model: "gemini-2.5-pro",
      config: { temperature: 1, topP: 0.95, topK: 64 }
    })
  })

  test.each([
    ["blocked", { decision: "deny", reason: "why" }],
    ["stopped", { continue: false, stopReason: "why" }]
  ])("ends the run (%s), also after tools have run, and their results are kept", async (kind, output) => {
    await using place = await newWorkspace()
    const command = `test -e a.txt || exit 0; ${answering(output)}`
    const run = await runHooked(place, { BeforeModel: [command] }, [ask(write("a.txt"))])
    expect(run.bodies).toHaveLength(1)
    expect(run.document).toMatchObject({
      completion_reason: "stopped_by_hook",
      warnings: [`Agent execution ${kind}: why`]
    })
    const next = await runHooked(place, {}, [say("fine")], { args: ["--resume"] })
    expect(next.result.exitCode).toBe(0)
    expect(next.bodies[0]).toContain("functionResponse")
  })
})

describe("AfterModel", () => {
  const spoken = (words: string) => ({ llm_response: { candidates: [{ content: { role: "model", parts: [words] } }] } })
  test("sees the whole answer once and replaces its words, and calls stay", async () => {
    await using place = await newWorkspace()
    const replies = [
      { ...say(), chunks: [chunk(text("secret ")), chunk(text("words"), write("a.txt")), finish("STOP")] },
      say("and ", "more")
    ]
    const run = await runHooked(
      place,
      { AfterModel: [`cat >> ../model.jsonl; echo >> ../model.jsonl; ${specific(spoken("clean"))}`] },
      replies
    )
    expect(run.document).toMatchObject({ response: "clean", full_response: "clean\nclean" })
    expect(run.bodies[1]).toContain('"text":"clean"')
    expect(run.contents[1]).not.toContain("secret")
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
    const calls = readFileSync(join(place.root, "model.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(calls.map(({ llm_response }) => llm_response.text)).toEqual(["secret words", "and more"])
  })

  test("with stream it sees every piece", async () => {
    await using place = await newWorkspace()
    const command = `cat > ../piece; grep -q '"text":"two' ../piece && ${specific(spoken("2"))}; exit 0`
    const run = await runHooked(place, { AfterModel: [{ stream: true, command }] }, [say("one ", "two ", "three")])
    expect(run.document).toMatchObject({ response: "one 2three" })
  })
})
