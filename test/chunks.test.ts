/** What a start loads: the entry alone for version and help, and no vendor SDK before it is needed. */
import { describe, expect, test } from "bun:test"
import { resolve } from "node:path"
import { type Chunk, decodeReport, loadedWith } from "../scripts/lib/chunks.ts"

const report = decodeReport(await Bun.file(resolve(import.meta.dir, "../dist/chunks.json")).text())

/** Large packages that only a lazily loaded part may bring. */
const VENDORS = [
  "@google/genai",
  "google-auth-library",
  "gaxios",
  "@effect/cli",
  "@effect/printer",
  "protobufjs",
  "ws",
  "zod"
]

const packagesOf = (chunks: ReadonlyArray<Chunk>): ReadonlyArray<string> => [
  ...new Set(chunks.flatMap((chunk) => Object.keys(chunk.packages)))
]

test("the entry loads nothing but itself", () => {
  expect(loadedWith(report.chunks, "src/main.ts").map((chunk) => chunk.entryPoint)).toEqual(["src/main.ts"])
})

describe.each(["src/main.ts", "src/cli/generated/help.ts"])("%s", (entryPoint) => {
  test("brings no package at all", () => {
    const loaded = loadedWith(report.chunks, entryPoint)
    expect(loaded).not.toBeEmpty()
    expect(packagesOf(loaded)).toEqual(["src"])
  })
})

test.each(["src/boot.ts", "src/model/gemini/gemini-client.ts"])("%s brings Effect and no vendor SDK", (entryPoint) => {
  const packages = packagesOf(loadedWith(report.chunks, entryPoint))
  expect(packages).toContain("effect")
  expect(packages.filter((name) => VENDORS.includes(name))).toEqual([])
})

test("vendor SDKs are in the binary, behind a lazy part", () => {
  expect(packagesOf(report.chunks)).toContain("@google/genai")
})

test("the documentation is in the binary, and no start loads it", () => {
  const docs = report.chunks.filter(({ entryPoint }) => entryPoint === "src/agents/docs/embedded-docs.ts")
  expect(docs).toHaveLength(1)
  const started = ["src/boot.ts", "src/app/headless/run.ts", "src/app/line/terminal.ts"]
  for (const entryPoint of started) expect(loadedWith(report.chunks, entryPoint)).not.toContain(docs[0])
})
