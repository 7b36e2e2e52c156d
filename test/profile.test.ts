/** What `--profile` says, and with it: that a run which does not need a part does not load it. */
import { describe, expect, test } from "bun:test"
import { resolve } from "node:path"
import { decodeReport } from "../scripts/lib/chunks.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const report = decodeReport(await Bun.file(resolve(import.meta.dir, "../dist/chunks.json")).text())

/** A run with a tool call, told about by `--profile`. */
const profiled = async (...args: ReadonlyArray<string>) => {
  await using server = await startModelServer([ask(call("read_file", { file_path: "a.ts" })), say("done")])
  await using place = await newWorkspace()
  await place.write("work/a.ts", "export const a = 1\n")
  const result = await place.run(["-p", "hi", "-m", "gemini-2.5-pro", "--profile", ...args], { server })
  const [phases = "", ...chunks] = result.stderr.trim().split("\n\n")
  const names = [...chunks.join("\n").matchAll(/^([\w.-]+\.js|gemini) +[\d.]+ KiB$/gm)].map(([, name]) => name)
  return { result, phases, names }
}

const { names, phases, result } = await profiled()

test("the parts of the start stand on standard error, each with its time, and the answer alone on standard output", () => {
  expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" })
  const told = [...phases.matchAll(/^([a-z_]+) +[\d.]+ +[\d.]+ +[\d.]+$/gm)].map(([, name]) => name)
  expect(told).toEqual([
    "load_program",
    "parse_arguments",
    "load_settings",
    "load_cli_config",
    "authenticate",
    "discover_tools",
    "initialize_app",
    "cli_startup"
  ])
  expect(result.stderr).toMatch(/^loaded at the start: \d+ +[\d.]+ KiB$/m)
})

describe("chunks", () => {
  const loaded = report.chunks.filter(({ name }) => names.includes(name))
  const isTelling = ({ entryPoint = "", packages }: (typeof report.chunks)[number]) =>
    /telemetry|telling|told-|tell-/.test(entryPoint) ||
    Object.keys(packages).some((name) => /opentelemetry|grpc/.test(name))

  test("every one that is named is one of the binary", () => {
    expect(loaded.length).toBeGreaterThan(3)
    expect(names.filter((name) => name !== "gemini" && !report.chunks.some((chunk) => chunk.name === name))).toEqual([])
  })

  test("with telemetry off none of it is loaded, to the very end of the run", () => {
    expect(report.chunks.filter(isTelling).length).toBeGreaterThan(5)
    expect(loaded.filter(isTelling)).toEqual([])
  })

  test("with telemetry to a file, that exporter and no other", async () => {
    const told = await profiled("--telemetry", "--telemetry-outfile", "t.log")
    const entries = report.chunks.filter(({ name }) => told.names.includes(name)).map(({ entryPoint }) => entryPoint)
    const exporters = entries.filter((entry) => entry?.startsWith("src/telemetry/exporters/"))
    expect(exporters).toEqual(["src/telemetry/exporters/file-exporter.live.ts"])
  })
})

test("a start that fails says how far it came", async () => {
  await using place = await newWorkspace()
  const run = await place.run(["-p", "hi", "--profile"])
  expect(run.exitCode).toBe(41)
  expect(run.stderr).toMatch(/^authenticate +unfinished$/m)
})
