import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber, FastCheck as fc } from "effect"
import { runPrepared } from "../../test/kit/edit-room.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { splitCommandLine } from "../kernel/command-line.ts"
import { childVariables } from "../system/child-variables.ts"
import { discoverTools } from "./discovered-tool.ts"
import type { Tool } from "./tool.ts"

const DECLARATION = {
  name: "echo",
  description: "Says it again.",
  parametersJsonSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
}

/** `print` is what the discovery command prints, `call` the body of the script that runs a tool. */
const setup = Effect.fnUntraced(function* (print: string, call = "cat") {
  const cwd = yield* tempFolder({ "tools.json": print, "call.sh": call, "fail.sh": "echo why >&2; exit 3" })
  const env = childVariables({ inherits: { PATH: process.env.PATH ?? "" } })
  const discover = (discoveryCommand = "cat 'tools.json'", more: object = {}) =>
    discoverTools({ discoveryCommand, callCommand: 'sh "call.sh"', cwd, env, ...more })
  return { cwd, discover }
})

const callWith = (tool: Tool | undefined, args: unknown) =>
  (tool?.prepare(args) ?? Effect.dieMessage("no tool")).pipe(
    Effect.flatMap(runPrepared),
    Effect.map((output) => String(output.forModel)),
    Effect.catchTag("ToolFailure", (failure) => Effect.succeed(`${failure.type}: ${failure.message}`))
  )

describe("discovered tools", () => {
  it.live("are listed by one command and run by another, with JSON on standard input", () =>
    Effect.gen(function* () {
      const { discover } = yield* setup(JSON.stringify([DECLARATION]), 'echo "$1"; echo note >&2; cat')
      const [tool] = yield* discover()
      expect(tool).toMatchObject({ name: "discovered_tool_echo", kind: "other", description: "Says it again." })
      expect(yield* callWith(tool, { text: "hi" })).toBe('echo\n{"text":"hi"}')
      expect(yield* callWith(tool, { text: 5 })).toBe("invalid_tool_params: params/text must be string")
      expect(yield* callWith(tool, {})).toBe("invalid_tool_params: params must have required property 'text'")
      expect(yield* callWith(tool, "text")).toStartWith("invalid_tool_params: params must be object")
    })
  )

  it.live("may come in groups, with either field for parameters; wrong entries are left out", () =>
    Effect.gen(function* () {
      const old = { name: "old", parameters: { type: "OBJECT", properties: { n: { type: "INTEGER" } } } }
      const groups = [{ functionDeclarations: [DECLARATION] }, { function_declarations: [old] }, { name: 5 }, null]
      const { discover } = yield* setup(JSON.stringify(groups))
      const tools = yield* discover()
      expect(tools.map((tool) => tool.name)).toEqual(["discovered_tool_echo", "discovered_tool_old"])
      expect(tools[1]?.jsonSchema).toEqual({ type: "object", properties: { n: { type: "integer" } } })
    })
  )

  it.live("a failed call shows both outputs and how it ended", () =>
    Effect.gen(function* () {
      const { discover } = yield* setup(JSON.stringify([DECLARATION]), "echo out; echo err >&2; exit 7")
      const [tool] = yield* discover()
      expect(yield* callWith(tool, { text: "" })).toBe(
        "discovered_tool_execution_error: Stdout: out\n\nStderr: err\n\nError: (none)\nExit Code: 7\nSignal: (none)"
      )
      const killed = yield* setup(JSON.stringify([DECLARATION]), "kill -9 $$")
      const [other] = yield* killed.discover()
      expect(yield* callWith(other, { text: "" })).toContain("Exit Code: (none)\nSignal: SIGKILL")
    })
  )

  it.live("a discovery that fails says why", () =>
    Effect.gen(function* () {
      const { discover } = yield* setup("{}")
      const message = (command?: string, more?: object) =>
        Effect.map(Effect.flip(discover(command, more)), (error) => error.message)
      expect(yield* message()).toContain("did not print a JSON array")
      expect(yield* message("sh fail.sh")).toContain("exit code 3 and said: why")
      expect(yield* message("no-such-program-here")).toContain("cannot be started")
      expect(yield* message("cat 'x")).toContain("a quote in the command is not closed")
      expect(yield* message(" ")).toContain("the command is empty")
      expect(yield* message("sleep 30", { discoveryTimeout: "200 millis" })).toContain("longer than 200ms")
      expect(yield* message("head -c 11000000 /dev/zero")).toContain("wrote more than 10485760 bytes")
    })
  )

  it.live("an interrupted call leaves no process behind", () =>
    Effect.gen(function* () {
      const { cwd, discover } = yield* setup(JSON.stringify([DECLARATION]), "(sleep 2; touch late) & touch began; wait")
      const [tool] = yield* discover()
      const fiber = yield* Effect.fork(callWith(tool, { text: "" }))
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => existsSync(join(cwd, "began")) })
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep("2500 millis")
      expect(existsSync(join(cwd, "late"))).toBe(false)
    })
  )

  it.live("a process that keeps the output open is not waited for", () =>
    Effect.gen(function* () {
      const { discover } = yield* setup(JSON.stringify([DECLARATION]), "echo done; sleep 60 &")
      const [tool] = yield* discover()
      expect(yield* callWith(tool, { text: "" })).toBe("done\n")
    })
  )
})

describe("the words of a command", () => {
  test.each([
    ["a b  c", ["a", "b", "c"]],
    ["a 'b c' \"d e\"", ["a", "b c", "d e"]],
    ["a\\ b", ["a b"]],
    ['"a \\" \\n"', ['a " \\n']],
    ["'' x", ["", "x"]],
    ["a'b'c", ["abc"]],
    ["$HOME `x` | y", ["$HOME", "`x`", "|", "y"]],
    ["", []],
    ["'a", null]
  ])("%p", (line, words) => expect(splitCommandLine(line)).toEqual(words))

  test("words in single quotes come back as they were", () => {
    const word = fc.string().map((text) => text.replaceAll("'", ""))
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitCommandLine(words.map((text) => `'${text}'`).join(" "))).toEqual(words)
      })
    )
  })
})
