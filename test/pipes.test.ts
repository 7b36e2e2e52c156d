/** Standard output as the world treats it: closed early, full, slow, large. */

import { describe, expect, test } from "bun:test"
import { expectNoTrace } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { testWith } from "./kit/needs.ts"
import { answer, chunk, finish, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

/** Numbered, since a model that says the same over and over is stopped. */
const PIECE = Array.from({ length: 4096 }, (_, line) => `${String(line).padStart(15, "0")}\n`).join("")
const PIECES = 320

/** 20 MiB of text in chunks of 64 KiB. */
const LARGE = answer([...Array.from({ length: PIECES }, () => chunk(text(PIECE))), finish("STOP")])
const LARGE_BYTES = PIECE.length * PIECES

describe("20 MiB through a pipe are complete", () => {
  testWith("jq").each([
    ["text", '"$GEMINI" -p hi | wc -c', String(LARGE_BYTES)],
    ["json", '"$GEMINI" -p hi -o json | jq ".response | length"', String(LARGE_BYTES)],
    [
      "stream-json",
      '"$GEMINI" -p hi -o stream-json | jq -s "map(.content // \\"\\" | length) | add"',
      String(LARGE_BYTES + 2)
    ],
    ["text with a slow reader", '"$GEMINI" -p hi | (sleep 2; cat) | wc -c', String(LARGE_BYTES)],
    [
      "json with a slow reader",
      '"$GEMINI" -p hi -o json | (sleep 2; cat) | jq ".response | length"',
      String(LARGE_BYTES)
    ]
  ])("%s", async (_, script, expected) => {
    await using server = await startModelServer([LARGE])
    await using place = await newWorkspace()
    const result = await place.shell(`set -o pipefail; ${script}`, { server })
    expect(result).toEqual({ stdout: `${expected}\n`, stderr: "", exitCode: 0 })
  })
})

describe("a reader that leaves early", () => {
  test.each(["text", "json", "stream-json"])("%s: quiet, exit 0", async (format) => {
    await using server = await startModelServer([LARGE])
    await using place = await newWorkspace()
    const result = await place.shell(`"$GEMINI" -p hi -o ${format} | head -c 1 >/dev/null; exit "\${PIPESTATUS[0]}"`, {
      server
    })
    expect(result).toEqual({ stdout: "", stderr: "", exitCode: 0 })
  })

  test("also for --help", async () => {
    await using place = await newWorkspace()
    const result = await place.shell(`"$GEMINI" --help | true; exit "\${PIPESTATUS[0]}"`)
    expect(result).toEqual({ stdout: "", stderr: "", exitCode: 0 })
  })
})

describe("a place that takes nothing", () => {
  test.each([
    ["a full device, text", '"$GEMINI" -p hi >/dev/full'],
    ["a full device, json", '"$GEMINI" -p hi -o json >/dev/full'],
    ["a full device, stream-json", '"$GEMINI" -p hi -o stream-json >/dev/full'],
    ["a full device, version", '"$GEMINI" --version >/dev/full'],
    ["a full device, help", '"$GEMINI" --help >/dev/full'],
    // The runtime opens missing descriptors on /dev/null before we begin, so that no file of ours can take their place.
    ["no descriptor at all, text", '"$GEMINI" -p hi >&-'],
    ["no descriptor at all, json", '"$GEMINI" -p hi -o json >&-'],
    ["no descriptor at all, stream-json", '"$GEMINI" -p hi -o stream-json >&-'],
    ["no descriptor at all, a sub-command", '"$GEMINI" config list --all >&-'],
    ["no descriptor at all, version", '"$GEMINI" --version >&-'],
    ["no descriptor at all, help", '"$GEMINI" --help >&-']
  ])("%s: exit 1, and stderr says so", async (_, script) => {
    await using server = await startModelServer([answer([chunk(text("hello")), finish("STOP")])])
    await using place = await newWorkspace()
    const result = await place.shell(script, { server })
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toMatch(/stdout|standard output|output/)
    expectNoTrace(result)
  })

  test.each(["text", "json", "stream-json"])("the null device, %s: that is what was asked for", async (format) => {
    await using server = await startModelServer([answer([chunk(text("hello")), finish("STOP")])])
    await using place = await newWorkspace()
    // As the shell opens it, and as programs do that start others.
    const result = await place.shell(`"$GEMINI" -p hi -o ${format} >/dev/null && "$GEMINI" --version 1<>/dev/null`, {
      server
    })
    expect(result).toEqual({ stdout: "", stderr: "", exitCode: 0 })
  })

  test.each(["2>&-", "2>/dev/full"])("stderr %s does not disturb the answer", async (redirection) => {
    await using server = await startModelServer([answer([chunk(text("hello")), finish("STOP")])])
    await using place = await newWorkspace()
    expect(await place.shell(`"$GEMINI" -d -p hi ${redirection}`, { server })).toMatchObject({
      stdout: "hello\n",
      exitCode: 0
    })
  })
})
