import { describe, expect, test } from "bun:test"
import { Either, FastCheck as fc } from "effect"
import { editDistance } from "../kernel/closest-name.ts"
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
    ["doctor please help", `gemini doctor takes no words: "please". See gemini doctor --help. ${ASK}`],
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
  const words = fc.stringMatching(/^[A-Z]{2}[a-z]{0,10}$/)
  // What is nearly a verb, whatever its case, is one with a slip.
  const prose = fc
    .tuple(fc.constantFrom(...exact), words)
    .filter(([{ verbs }, word]) => verbs.every((verb) => editDistance(word.toLowerCase(), verb) > 2))
  fc.assert(fc.property(prose, ([row, word]) => expect(match(row.name, word, "it", "please")).toBe("Prompt")))
})

/** One slip of the fingers: a letter too few, too many, another one, or two that changed places. */
const slipIn = (name: string) =>
  fc
    .tuple(fc.constantFrom("drop", "add", "change", "swap"), fc.nat(name.length - 1), fc.stringMatching(/^[a-z]$/))
    .map(([kind, at, letter]) => {
      const [before, here, after] = [name.slice(0, at), name[at] ?? "", name.slice(at + 1)]
      if (kind === "drop") return before + after
      if (kind === "add") return before + letter + here + after
      return kind === "change" ? before + letter + after : before + after.slice(0, 1) + here + after.slice(1)
    })

const typed = subcommands.filter(({ since }) => since !== "never")
const isName = (word: string) =>
  word === "help" || word === "version" || subcommands.some(({ aliases, name }) => [name, ...aliases].includes(word))

test("no slip in a name, alone, in capitals or before a verb, reaches a model, and what was meant is named", () => {
  const slips = fc
    .constantFrom(...typed.filter(({ name }) => name.length > 2))
    .chain((row) => fc.tuple(fc.constant(row), slipIn(row.name)))
    .filter(([, slip]) => slip !== "" && !isName(slip))
  fc.assert(
    fc.property(slips, fc.boolean(), ([{ name, verbs }, slip], shouts) => {
      const word = shouts ? slip.toUpperCase() : slip
      for (const rest of [[], ...verbs.map((verb) => [verb])]) {
        const end = match(word, ...rest)
        expect(end).not.toBe("Prompt")
        expect(end).toEqual(expect.stringContaining("Did you mean"))
        if (rest.length === 0) expect(end).toEqual(expect.stringContaining(name))
      }
    })
  )
})

test("two slips before a verb do not either", () => {
  expect(match("toolls", "list")).toContain("Did you mean tools?")
  expect(match("atuth", "status")).toContain("Did you mean auth?")
  expect(match("Config", "list")).toContain("Did you mean config?")
})

test("no slip in a verb reaches a model", () => {
  const exact = typed.filter(
    ({ matching, since, verbs }) => matching === "exact" && since === "0.1" && verbs.length > 0
  )
  const slips = fc
    .constantFrom(...exact.flatMap((row) => row.verbs.map((verb) => ({ row, verb }))))
    .chain(({ row, verb }) => fc.tuple(fc.constant(row), fc.constant(verb), slipIn(verb)))
    .filter(([row, , slip]) => slip !== "" && !row.verbs.includes(slip))
  fc.assert(
    fc.property(slips, fc.nat(4), ([row, , slip], more) =>
      expect(match(row.name, slip, ...Array(more).fill("word"))).toContain(`gemini ${row.name} has no command`)
    )
  )
})
