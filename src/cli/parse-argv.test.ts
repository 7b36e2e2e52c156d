import { describe, expect, test } from "bun:test"
import { Either, FastCheck as fc } from "effect"
import { type OptionRow, propertyOf } from "./option-row.ts"
import { rootOptions } from "./option-table.ts"
import { type OptionValue, parseArgv } from "./parse-argv.ts"

const parse = (...argv: ReadonlyArray<string>) => Either.getOrThrowWith(parseArgv(rootOptions, argv), (error) => error)
const refuse = (...argv: ReadonlyArray<string>) =>
  Either.match(parseArgv(rootOptions, argv), {
    onLeft: ({ message, hint, exitCode }) => ({ message, hint, exitCode }),
    onRight: (parsed) => parsed
  })

describe("spellings", () => {
  test.each<[ReadonlyArray<string>, Record<string, OptionValue>, ReadonlyArray<string>]>([
    [["-o", "json"], { outputFormat: "json" }, []],
    [["-ojson"], { outputFormat: "json" }, []],
    [["-o=json"], { outputFormat: "json" }, []],
    [["--output-format", "json"], { outputFormat: "json" }, []],
    [["--output-format=json"], { outputFormat: "json" }, []],
    [["--outputFormat", "json"], { outputFormat: "json" }, []],
    [["--o", "json"], { outputFormat: "json" }, []],
    [["-dy"], { debug: true, yolo: true }, []],
    [["-dojson"], { debug: true, outputFormat: "json" }, []],
    [["-dp", "hi"], { debug: true, prompt: "hi" }, []],
    [["--no-yolo"], { yolo: false }, []],
    [["--no-screenReader"], { screenReader: false }, []],
    [["--yolo=false"], { yolo: false }, []],
    [["-y=false"], { yolo: false }, []],
    [["--yolo", "false", "go"], { yolo: false }, ["go"]],
    [["--yolo", "go"], { yolo: true }, ["go"]],
    [["--experimental-acp"], { acp: true }, []],
    [["-s"], { sandbox: true }, []],
    [["-s", "docker"], { sandbox: true }, ["docker"]],
    [["--sandbox=docker"], { sandbox: "docker" }, []],
    [["-p", ""], { prompt: "" }, []],
    [["--prompt="], { prompt: "" }, []],
    [["--prompt=a=b"], { prompt: "a=b" }, []],
    [["-p", "-"], { prompt: "-" }, []],
    [["-p", "-5"], { prompt: "-5" }, []],
    [["-p", "- item"], { prompt: "- item" }, []],
    [["-p", "-v does what?"], { prompt: "-v does what?" }, []],
    [["-p=--help"], { prompt: "--help" }, []],
    [["--resume"], { resume: "" }, []],
    [["--resume", "latest", "do", "it"], { resume: "latest" }, ["do", "it"]],
    [["--resume=3"], { resume: "3" }, []],
    [["-r3"], { resume: "3" }, []],
    [["--resume", "-o", "json"], { resume: "", outputFormat: "json" }, []],
    [["-e", "a, b,,c ", "-e", "d"], { extensions: ["a", "b", "c", "d"] }, []],
    [["-e", ""], { extensions: [""] }, []],
    [["-e", "", "-e", "a"], { extensions: ["a"] }, []],
    [["-e", "a", "word"], { extensions: ["a"] }, ["word"]],
    [["--", "-p", "--yolo"], {}, ["-p", "--yolo"]],
    [["-", "-5", "---", "- x"], {}, ["-", "-5", "---", "- x"]],
    [
      ["--approval-mode=yolo", "--resume", "latest", "do", "it", "--output-format", "json"],
      { approvalMode: "yolo", resume: "latest", outputFormat: "json" },
      ["do", "it"]
    ]
  ])("%j", (argv, options, words) => expect(parse(...argv)).toEqual({ options, words }))
})

test("of a value that is repeated the last one wins, and it is told", () => {
  expect(parse("-p", "a", "-p", "b")).toEqual({
    options: { prompt: "b" },
    words: [],
    repeated: new Map([["prompt", "b"]])
  })
})

describe("refusals", () => {
  test.each<[ReadonlyArray<string>, string, string]>([
    [["--modle", "x"], "Unknown option --modle", "Did you mean --model? See gemini --help."],
    [["--aproval-mode=plan"], "Unknown option --aproval-mode", "Did you mean --approval-mode? See gemini --help."],
    [["-x"], "Unknown option -x", "See gemini --help; put -- before words that begin with a dash."],
    [["--zzzzzz"], "Unknown option --zzzzzz", "See gemini --help; put -- before words that begin with a dash."],
    [["--__proto__"], "Unknown option --__proto__", "See gemini --help; put -- before words that begin with a dash."],
    [["-p"], "--prompt needs a value", "See gemini --help."],
    [["-p", "--yolo"], "--prompt needs a value, but --yolo follows", "If that is the value, write --prompt=--yolo."],
    [["-p", "--", "x"], "--prompt needs a value, but -- follows", "If that is the value, write --prompt=--."],
    [["-o", "xml"], '--output-format cannot be "xml"', "Choose one of: text, json, stream-json."],
    [["--yolo=maybe"], '--yolo takes true or false, not "maybe"', "See gemini --help."],
    [["--no-yolo=true"], "--no-yolo takes no value", "See gemini --help."]
  ])("%j", (argv, message, hint) => expect(refuse(...argv)).toEqual({ message, hint, exitCode: 1 }))

  test("a file has a name", () => {
    expect(refuse("--replay=")).toMatchObject({ message: "--replay needs a value, and what is given is empty" })
    expect(refuse("--file", "a", "--file", "")).toMatchObject({
      message: expect.stringContaining("--file needs a value")
    })
  })

  test("an option that takes a value cannot be negated", () => {
    expect(refuse("--no-model")).toMatchObject({ message: "Unknown option --no-model" })
  })

  test("what was typed is shown on one line", () => {
    expect(refuse("--a\nb\u001b[2J")).toMatchObject({ message: "Unknown option --a b [2J" })
  })
})

const plainText = fc.string().filter((text) => text !== "--" && !/^(-[A-Za-z]|--[^\s-])/.test(text))
const item = fc.stringMatching(/^[a-z][a-z0-9./]{0,8}$/)

/** A value that the row can hold, already in its parsed form. */
const valueFor = (row: OptionRow): fc.Arbitrary<OptionValue> => {
  switch (row.type) {
    case "boolean":
      return fc.boolean()
    case "choice":
      return fc.constantFrom(...(row.choices ?? []))
    case "list":
    case "texts":
      return fc.array(item, { minLength: 1 })
    case "string":
      return fc.string({ minLength: row.names === undefined ? 0 : 1 })
    case "optional-string":
      return fc.string()
  }
}

const setting = fc
  .constantFrom(...rootOptions)
  .chain((row) => valueFor(row).map((value): readonly [OptionRow, OptionValue] => [row, value]))
const settings = fc.uniqueArray(setting, { selector: ([row]) => row.long })

const render = ([row, value]: readonly [OptionRow, OptionValue]): ReadonlyArray<string> => {
  if (value === true) return [`--${row.long}`]
  if (value === false) return [`--no-${row.long}`]
  return typeof value === "string" ? [`--${row.long}=${value}`] : value.flatMap((one) => [`--${row.long}`, one])
}

const expected = (given: ReadonlyArray<readonly [OptionRow, OptionValue]>) =>
  Object.fromEntries(given.map(([row, value]) => [propertyOf(row.long), value]))

describe("properties", () => {
  test("what is written out is read back", () => {
    fc.assert(
      fc.property(settings, fc.array(fc.string()), (given, words) => {
        expect(plain(parse(...given.flatMap(render), "--", ...words))).toEqual({ options: expected(given), words })
      })
    )
  })

  test("options mean the same before, between and after words", () => {
    const pieces = fc.tuple(settings, fc.array(plainText.filter((text) => text !== "true" && text !== "false")))
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.boolean()), ([given, words], turns) => {
        const argv: Array<string> = []
        const left = [...given]
        for (const word of words) {
          const next = turns.next().value ? left.shift() : undefined
          argv.push(...(next === undefined ? [] : render(next)), word)
        }
        expect(plain(parse(...argv, ...left.flatMap(render)))).toEqual({ options: expected(given), words })
      })
    )
  })

  test("any command line is either read or refused in one line", () => {
    const flags = rootOptions.flatMap((row) => [`--${row.long}`, `--no-${row.long}`, `-${row.short ?? "x"}`])
    const token = fc.oneof(fc.string(), fc.constantFrom(...flags, "--", "-", "=", "--=", "-=", "true"))
    fc.assert(
      fc.property(fc.array(token), (argv) => {
        const result = parseArgv(rootOptions, argv)
        if (Either.isLeft(result)) expect(`${result.left.message}${result.left.hint}`).not.toMatch(/\p{Cc}/u)
      }),
      { numRuns: 500 }
    )
  })
})

/** Without what is kept beside: which paths stood before --cwd. */
function plain({ options, words }: ReturnType<typeof parse>) {
  return { options, words }
}
