import { expect, test } from "bun:test"
import { parseBuildOptions, TARGETS } from "./build-options.ts"

test("no flags: this machine, to dist/gemini", () => {
  expect(parseBuildOptions([])).toEqual({
    _tag: "Build",
    jobs: [{ target: undefined, outfile: "dist/gemini", isChosen: false }]
  })
})

test("all targets, each to a file of its own", () => {
  const command = parseBuildOptions(["--target", "all"])
  if (command._tag !== "Build") throw new Error(command._tag)
  expect(command.jobs.map((job) => job.target)).toEqual([...TARGETS])
  expect(new Set(command.jobs.map((job) => job.outfile)).size).toBe(TARGETS.length)
  expect(command.jobs.find((job) => job.target === "windows-x64")?.outfile).toBe("dist/gemini-windows-x64.exe")
})

test("a list, with the prefix that Bun uses and without, once each", () => {
  expect(parseBuildOptions(["--target=bun-linux-x64,darwin-arm64", "--target", "linux-x64"])).toEqual({
    _tag: "Build",
    jobs: [
      { target: "linux-x64", outfile: "dist/gemini-linux-x64", isChosen: false },
      { target: "darwin-arm64", outfile: "dist/gemini-darwin-arm64", isChosen: false }
    ]
  })
})

test("a file of the caller's choice", () => {
  expect(parseBuildOptions(["--outfile", "/tmp/a=b"])).toEqual({
    _tag: "Build",
    jobs: [{ target: undefined, outfile: "/tmp/a=b", isChosen: true }]
  })
})

test.each([
  [["--target", "linux-mips"], 'unknown target "linux-mips"'],
  [["--target"], "--target needs a value"],
  [["--outfile="], "--outfile needs a value"],
  [["--outfile", "x", "--target", "all"], "one target only"],
  [["--fast"], 'unknown argument "--fast"']
])("%j is refused", (argv, message) => {
  expect(parseBuildOptions(argv)).toEqual({ _tag: "Wrong", message: expect.stringContaining(message) })
})

test("--help wins", () => {
  expect(parseBuildOptions(["--target", "linux-x64", "--help"])).toEqual({ _tag: "Help" })
})
