import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { type Command, type CommandSource, print } from "./command.ts"
import { matchCommand } from "./command-match.ts"
import { resolveNames } from "./command-names.ts"
import { CommandRegistry, isSlashLine, layer } from "./command-registry.ts"

const builtIn: CommandSource = { _tag: "BuiltIn" }

const told = (name: string, more: Partial<Command> = {}): Command => ({
  name,
  description: `does ${name}`,
  source: builtIn,
  run: ({ args }) => Effect.succeed(print(`${name}(${args})`, { name, args })),
  ...more
})

const memory: Command = {
  name: "memory",
  description: "Context files",
  source: builtIn,
  subcommands: [told("show"), told("reload", { aliases: ["refresh"] })]
}
const plan = told("plan", { usage: "[prompt]", subcommands: [told("copy")] })
const model = told("model", {
  usage: "<name>",
  complete: () => Effect.succeed({ from: 0, candidates: [{ value: "gemini-x" }] })
})
const COMMANDS = [
  told("clear", { aliases: ["new"] }),
  told("compress"),
  memory,
  plan,
  model,
  told("joke", { isHidden: true })
]

describe("which command a line means", () => {
  test.each<[string, string]>([
    ["/clear", "clear()"],
    ["/new", "clear()"],
    ["/cl", "clear()"],
    ["/c", "unknown c"],
    ["/CLEAR", "unknown CLEAR"],
    ["/memory show", "memory show()"],
    ["/mem  sh", "memory show()"],
    ["/memory refresh", "memory reload()"],
    ["/memory", "memory()"],
    ["/plan copy", "plan copy()"],
    ["/plan copy the   file", "plan(copy the file)"],
    ["/plan co", "plan(co)"],
    ["/joke", "joke()"],
    ["/jo", "unknown jo"],
    ["/model x --json", "model(x) as json"],
    ["/nothing at all", "unknown nothing"]
  ])("%p", (line, expected) => {
    const match = matchCommand(COMMANDS, line)
    const text =
      match._tag === "Unknown"
        ? `unknown ${match.word}`
        : `${match.path}(${match.args})${match.wantsJson ? " as json" : ""}`
    expect(text).toBe(expected)
  })

  test.each<[string, boolean]>([
    ["/help", true],
    ["  /help", true],
    ["// comment", false],
    ["/* comment */", false],
    ["say /help", false]
  ])("%p is a slash line: %p", (line, expected) => {
    expect(isSlashLine(line)).toBe(expected)
  })
})

const run = (line: string, discovered: ReadonlyArray<Command> = []) =>
  Effect.gen(function* () {
    const registry = yield* CommandRegistry
    return yield* registry.run(line, { isInteractive: true }).pipe(
      Effect.map((result) => (result._tag === "Print" ? result.text : result._tag)),
      Effect.catchTag("CommandError", (error) => Effect.succeed(`${error.kind}: ${error.message}`))
    )
  }).pipe(
    Effect.provide(layer({ builtins: () => COMMANDS, discover: Effect.succeed({ commands: discovered, notices: [] }) }))
  )

describe("running a line", () => {
  it.effect("results, help of a bare parent, and JSON for programs", () =>
    Effect.gen(function* () {
      expect(yield* run("/clear now")).toBe("clear(now)")
      expect(yield* run("/memory")).toBe("Context files\n  /memory show    does show\n  /memory reload  does reload")
      expect(JSON.parse(yield* run("/model x --json"))).toEqual({ name: "model", args: "x" })
    })
  )

  it.effect("unknown commands name the nearest; paths and several lines are prompts", () =>
    Effect.gen(function* () {
      expect(yield* run("/compres")).toBe("compress()")
      expect(yield* run("/comprss")).toBe("unknown: There is no command /comprss. Did you mean /compress?")
      expect(yield* run("/m")).toBe("unknown: There is no command /m. Did you mean /memory or /model?")
      expect(yield* run("/qqqqqqqq")).toBe("unknown: There is no command /qqqqqqqq. /help lists them.")
      expect(yield* run("/memory forget")).toBe("usage: /memory has no sub-command forget. It has: show, reload.")
      expect(yield* run("/usr/bin/env is missing")).toBe("SubmitTyped")
      expect(yield* run("/nope\nsecond line")).toBe("SubmitTyped")
      expect(yield* run("/")).toBe("SubmitTyped")
    })
  )
})

describe("names of commands from files", () => {
  const file = (name: string, scope: "user" | "workspace"): Command =>
    told(name, { source: { _tag: "File", scope, file: `${scope}/${name}.toml` } })

  test("neither of two of the same name keeps it, and built-in ones always do", () => {
    const extension = told("fix", { source: { _tag: "Extension", extension: "ext", file: "e" } })
    const named = resolveNames(COMMANDS, [
      file("fix", "user"),
      file("fix", "workspace"),
      extension,
      file("clear", "user"),
      file("own", "workspace"),
      file("user.clear", "workspace")
    ])
    expect(named.commands.slice(COMMANDS.length).map(({ name }) => name)).toEqual([
      "user.fix",
      "workspace.fix",
      "ext:fix",
      "user.clear2",
      "own",
      "user.clear"
    ])
    expect(named.notices).toContain("/fix is not unique: that of user/fix.toml is /user.fix")
    expect(named.notices).toHaveLength(4)
  })
})

describe("completion", () => {
  const complete = (text: string, cursor = text.length) =>
    Effect.gen(function* () {
      const registry = yield* CommandRegistry
      const { candidates, from } = yield* registry.complete(text, cursor)
      return [from, ...candidates.map(({ value }) => value)]
    }).pipe(
      Effect.provide(layer({ builtins: () => COMMANDS, discover: Effect.succeed({ commands: [], notices: [] }) }))
    )

  it.effect("names, aliases where no name fits, sub-commands, arguments", () =>
    Effect.gen(function* () {
      expect(yield* complete("/c")).toEqual([1, "clear", "compress"])
      expect(yield* complete("/ne")).toEqual([1, "new"])
      expect(yield* complete("/")).toEqual([1, "clear", "compress", "memory", "model", "plan"])
      expect(yield* complete("/memory ")).toEqual([8, "reload", "show"])
      expect(yield* complete("/memory sh")).toEqual([8, "show"])
      expect(yield* complete("/clear x", 3)).toEqual([1, "clear"])
      expect(yield* complete("/model ge")).toEqual([7, "gemini-x"])
      expect(yield* complete("/nope x")).toEqual([7])
    })
  )
})
