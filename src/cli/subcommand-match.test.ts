import { describe, expect, test } from "bun:test"
import { Either, FastCheck as fc } from "effect"
import { subcommands } from "./generated/subcommands.ts"
import { matchSubcommand } from "./subcommand-match.ts"

/** What runs, the message of an error, or another end. */
const match = (...argv: ReadonlyArray<string>) =>
  Either.match(matchSubcommand(argv), {
    onLeft: ({ hint, message }) => `${message}. ${hint}`,
    onRight: (found) => {
      if (found._tag !== "Subcommand") return found._tag
      const { args, debug, subcommand } = found.invocation
      return { name: subcommand.name, args, debug }
    }
  })

describe("sub-commands", () => {
  test.each<[string, string, ReadonlyArray<string>, boolean]>([
    ["mcp", "mcp", [], false],
    ["mcp list", "mcp", ["list"], false],
    ["mcp servers are nice", "mcp", ["servers", "are", "nice"], false],
    ["extension list", "extensions", ["list"], false],
    ["skill list", "skills", ["list"], false],
    ["hook migrate", "hooks", ["migrate"], false],
    ["help config", "config", ["--help"], false],
    ["help sessions list", "sessions", ["--help"], false],
    ["--debug help config", "config", ["--help"], true],
    ["gemma start", "gemma", ["start"], false],
    ["--debug mcp list", "mcp", ["list"], true],
    ["-d config list", "config", ["list"], true],
    ["--debug=false mcp", "mcp", [], false],
    ["--debug false mcp", "mcp", [], false],
    ["--debug true mcp", "mcp", [], true],
    ["--no-debug mcp", "mcp", [], false],
    ["undo", "undo", [], false],
    ["undo list", "undo", ["list"], false],
    ["undo --json", "undo", ["--json"], false],
    ["undo 0b6c9a52-1 --yes", "undo", ["0b6c9a52-1", "--yes"], false],
    ["config get model.name", "config", ["get", "model.name"], false],
    ["sessions 0b6c9a52-7e5e-4b57-9a31-6a2d2c0f9e11", "sessions", ["0b6c9a52-7e5e-4b57-9a31-6a2d2c0f9e11"], false]
  ])("%s", (line, name, args, debug) => expect(match(...line.split(" "))).toEqual({ name, args, debug }))
})

describe("prompts", () => {
  test.each([
    "undo my last commit",
    "undo my last commit please",
    "undo 2 commits -m pro of today",
    "config files are where?",
    "sessions of parliament in England",
    "stats 0 and 1",
    "explain mcp",
    "hello",
    "hello world",
    "patch the bug",
    "books about rust",
    "tool for the job",
    "Help me with this",
    "confg the router",
    "why",
    "-m pro mcp list",
    "-- mcp list",
    "-- confg",
    ""
  ])("%s", (line) => expect(match(...line.split(" "))).toBe("Prompt"))

  test("several words in quotes", () => {
    expect(match("confg list")).toBe("Prompt")
    expect(match("help me")).toBe("Prompt")
  })
})

describe("too near to a sub-command to be sent", () => {
  const ASK = "To ask the model, use -p or quotes."
  test.each<[string, string]>([
    ["config lst", `gemini config has no command "lst". Did you mean list? ${ASK}`],
    ["config lst of all my settings", `gemini config has no command "lst". Did you mean list? ${ASK}`],
    [
      "config files",
      `gemini config has no command "files". Choose one of: list, get, explain, set, unset, init, path, validate. ${ASK}`
    ],
    [
      "sessions remove 3",
      expect.stringContaining('gemini sessions has no command "remove". Choose one of: list, show')
    ],
    ["sessions 0b6c9a52-1", expect.stringContaining('gemini sessions has no command "0b6c9a52-1"')],
    ["policy tst x", `gemini policy has no command "tst". Did you mean test? ${ASK}`],
    [
      "undo 2 commits",
      `gemini undo has no command "2". Choose one of: list, the id of a run, the id of a session. ${ASK}`
    ],
    ["undo it -m pro", expect.stringContaining('gemini undo has no command "it"')],
    ["stats weekly", `gemini stats has no command "weekly". Choose one of: the id of a session. ${ASK}`],
    ["completion powershell", expect.stringContaining("Choose one of: bash, zsh, fish.")],
    ["completion of a whole long sentence", expect.stringContaining("Choose one of: bash, zsh, fish.")],
    ["doctor please help", `gemini doctor takes no words: "please". ${ASK}`],
    ["confg", 'There is no command "confg". Did you mean config? To ask the model, use -p.'],
    ["confg list", `There is no command "confg". Did you mean config? ${ASK}`],
    ["confg lst", `There is no command "confg". Did you mean config? ${ASK}`],
    ["sesions -d", 'There is no command "sesions". Did you mean sessions? To ask the model, use -p.'],
    ["mcps", 'There is no command "mcps". Did you mean mcp? To ask the model, use -p.'],
    ["hlep", 'There is no command "hlep". Did you mean help? To ask the model, use -p.'],
    ["hlep config", `There is no command "hlep". Did you mean help? ${ASK}`],
    ["help me with this", `gemini help has no page "me with this". gemini help topics lists them. ${ASK}`],
    ["version 2", `gemini version takes no "2". ${ASK}`]
  ])("%s", (line, error) => expect(match(...line.split(" "))).toEqual(error))
})

test("help and version", () => {
  const lines = ["help", "-d help", "help --help", "version", "version -h"]
  expect(lines.map((line) => match(...line.split(" ")))).toEqual(["Help", "Help", "Help", "Version", "Help"])
})

test("a page of the manual is asked for by its topic, also where a sub-command has its name", () => {
  const lines = ["help topics", "help getting-started", "help mcp", "-d help hooks"]
  expect(lines.map((line) => match(...line.split(" ")))).toEqual(lines.map(() => "Manual"))
  expect(match("help", "mcp", "list")).toMatchObject({ name: "mcp", args: ["--help"] })
})

test("no sentence is taken away", () => {
  const exact = subcommands.filter((row) => row.matching === "exact" && row.name !== "completion")
  const prose = fc.stringMatching(/^[A-Z]{2}[a-z]{0,10}$/)
  fc.assert(
    fc.property(fc.constantFrom(...exact), prose, (row, word) =>
      expect(match(row.name, word, "it", "please")).toBe("Prompt")
    )
  )
})

test("no slip in a name, alone or before a verb, reaches a model", () => {
  const known = subcommands.filter(({ name, since }) => since === "0.1" && name.length > 3)
  fc.assert(
    fc.property(fc.constantFrom(...known), fc.nat(), ({ name, verbs: [verb] }, at) => {
      const slip = name.slice(0, at % name.length) + name.slice((at % name.length) + 1)
      for (const argv of [[slip], ...(verb === undefined ? [] : [[slip, verb]])])
        expect(match(...argv)).not.toBe("Prompt")
    })
  )
})

test("names and verbs are unique", () => {
  const names = subcommands.flatMap((row) => [row.name, ...row.aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const row of subcommands) expect(new Set(row.verbs).size).toBe(row.verbs.length)
})
